"""Compose answers of verbatim sentences: tasks, challenges, a follow-up question.

Law: every claim is verbatim in the row it cites; date and speaker are added only if the judge still finds the
sentence quoted, and what has ended gives its date. Counter-evidence is structural: a superseding row, or a sentence on
the same topic with another number, date, name or polarity. Text that reads like an instruction is never used.
Questions for tasks are answered by lines with the box or mark of what is open (or done, if that is asked for), and by
items under a heading that names tasks; what is struck out or cancelled is neither.
Source: DESIGN 7 (`extractive`); rulings A23, D1, D2, D5, D22, J5; spec stateful-design-v2, stances.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Final, Literal, NamedTuple, cast

import regex

from voice.core.grounding.citations import words_of_note
from voice.core.grounding.doubts import GivenContext, doubts_of
from voice.core.grounding.extractive.evidence_sentences import (
    MOST_READ,
    EvidenceSentence,
    first_person,
    overlap_share,
    sentences_of,
)
from voice.core.grounding.extractive.question_fit import holds_amount, words_of_no_topic
from voice.core.grounding.quotable_sentences import resolve_markup, signs_for_boxes
from voice.core.grounding.quotations import quotations_in
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence, Stance, has_ended
from voice.core.messages import asking as messages
from voice.core.text.dates import stated_dates
from voice.core.text.instants import date_sort_key
from voice.core.text.language_data import (
    Table,
    entries,
    every_phrase,
    every_word,
    language_tables,
    opening_phrase,
    phrase_pattern,
    task_mark,
)
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import ListItem, heading_above, is_header, list_item_of, tables_as_text
from voice.core.text.markup import without_markup
from voice.core.text.normalise import norm_v1
from voice.core.text.prompt_injection import find_instruction
from voice.core.text.sentences import ASKED
from voice.core.text.word_lists import Language, guess_language
from voice.core.text.words import Word, has_negation, stems_in, words

_STATE = {True: "Done: ", False: "To do: ", None: ""}
MAX_TASKS = 40


class Tasks(NamedTuple):
    """A question for open or done tasks."""

    about: frozenset[str]
    """Stems of the topic ("tasks for the garden"); empty: any."""
    is_of_done: bool

    def items(self, evidence: Sequence[Evidence]) -> Iterator[EvidenceSentence]:
        """Yield the sentences of `evidence` that are such items, in order."""
        for row in evidence:
            for sentence in sentences_of(row):
                if sentence.text in row.shown and self._holds(sentence):
                    yield sentence

    def _holds(self, sentence: EvidenceSentence) -> bool:
        state, is_task = task_state(sentence.text), list_item_of(sentence.text) is not None
        above = heading_above(sentence.row.text, sentence.start)
        placed = stems_in(f"{above}\n{sentence.row.context or ''}")
        if self.about and self.about.isdisjoint(sentence.stems | placed):
            return False
        if state == "none":
            return is_task and not self.is_of_done and every_phrase("tasks", "called").search(above) is not None
        return state == ("done" if self.is_of_done else "open")


TaskState = Literal["open", "done", "neither", "none"]


def task_state(line: str) -> TaskState:
    """Return what the box or mark of a line says of it; "neither" if it is cancelled, put off or struck out."""
    found = task_mark().match(line)
    if not any(map(str.isalnum, resolve_markup(line)[found.end() if found else 0 :])):
        return "neither"
    if found is None or (not found["bullet"] and line.endswith(":")):
        return "none"
    mark = found["box"] or found["mark"]
    return (
        "open"
        if mark in entries("tasks", "open_marks")
        else "done"
        if mark in entries("tasks", "done_marks")
        else "neither"
    )


def parse_task_question(question: str) -> Tasks | None:
    """Parse a question for tasks; None if it is none."""
    text = question.partition("\n")[0]
    if opening_phrase("tasks", "asks").match(text) is None or every_phrase("tasks", "tasks").search(text) is None:
        return None
    silent = words_of_no_topic() | every_word("tasks", "no_topic")
    about = frozenset(word.stem for word in words(text) if not word.is_stop and word.key not in silent)
    # "What has to be done?" asks for what is not done.
    rest = every_phrase("tasks", "tasks").sub(" ", text)
    return Tasks(about, every_phrase("tasks", "done").search(rest) is not None)


def tasks_in(question: str, evidence: Sequence[Evidence]) -> list[EvidenceSentence]:
    """Return the tasks in `evidence` that `question` asks for."""
    asked = parse_task_question(question)
    return [] if asked is None else list(asked.items(evidence))


def item_text(item: ListItem) -> str:
    """Return an item in words, without bullet and box."""
    return _STATE[item.is_done] + item.text


def task_draft(items: Sequence[EvidenceSentence]) -> Draft:
    """Return a draft of the first `MAX_TASKS` items, grouped by list under its heading, and how many more there are."""
    sentences: dict[str, DraftSentence] = {}
    for block in _blocks(items[:MAX_TASKS]):
        line, span = _block_text(block)
        source = DraftSource(source_id=block[0].row.alias, span=span)
        sentences.setdefault(line, DraftSentence(text=f"\n{line}", sources=(source,)))
    left = len(items[MAX_TASKS:])
    more = [DraftSentence(text=f"\n{messages.lines_not_shown(left)}", kind="remark")] if left else []
    return Draft(sentences=(*sentences.values(), *more))


def _blocks(items: Sequence[EvidenceSentence]) -> list[list[EvidenceSentence]]:
    """Group items by list; an item without a heading is its own group."""
    blocks: dict[tuple[str, str | int], list[EvidenceSentence]] = {}
    for place, sentence in enumerate(items):
        name = heading_above(sentence.row.text, sentence.start)
        blocks.setdefault((sentence.row.alias, name or place), []).append(sentence)
    return list(blocks.values())


def _block_text(block: Sequence[EvidenceSentence]) -> tuple[str, str]:
    """Return the answer text of one list, and the source span."""
    first = block[0]
    text, name = first.row.text, heading_above(first.row.text, first.start)
    items = [item for one in block if (item := list_item_of(one.text))]
    if not name:
        return f"{(item_text(items[0]) if items else first.text).rstrip('.')}.", first.text
    span = text[text.rfind(name, 0, first.start) : block[-1].end]
    if any(task_state(one.text) != "none" for one in block):
        return "\n".join([f"{name}:", *(" ".join(one.text.split()) for one in block)]), span
    return f"{name}: {', '.join(item.text.rstrip('.,;') for item in items)}.", span


def task_search_words(question: str) -> str:
    """Return extra search terms for a question for tasks; empty otherwise."""
    asked = parse_task_question(question)
    if asked is None:
        return ""
    return "todo tasks ☑" if asked.is_of_done else "todo tasks ☐"


MAX_QUOTES = 3
Days = Literal["all", "undated", "ended"]
"""Which sentences give their date: all, those that state no date, or only those that have ended."""
_ARROWS = late_pattern(r"(?:(?<!\s)\s++)?(?:—(?=\S)|→)\s*+")
_TYPE = late_pattern(r"\s\([\w ]+\):")
_HEADING = late_pattern(r"^#{1,6}\s+(?=\S)")
_SENTENCE_ENDS: Final = (".", "!", "?", "…", ":", ";", "。", "！", "？", "؟", "।", '"', "”", "»")
_SIGN_AT_END = late_pattern(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]$")
"""An emoji at the end; a full stop after it would be parsed as a separate sentence."""


def compose_answer(
    question: str, evidence: Sequence[Evidence], stance: Stance, *, now: datetime | None = None
) -> Draft:
    """Compose a draft of verbatim sentences, or a refusal; without `now`, every row with an end has ended."""
    question = question[:MOST_READ]
    if stance is Stance.CHALLENGE:
        counter = counter_evidence(question, evidence, now)[:MAX_QUOTES]
        by_day = sorted(counter, key=lambda sentence: date_sort_key(sentence.row.created_at))
        lines = [one for each in by_day for one in on_own_line(render_in_order([each], days="undated", now=now))]
        return Draft(sentences=tuple(lines)) if lines else _refusal(messages.NO_SENTENCE_AGAINST)
    items = tasks_in(question, evidence)
    return task_draft(items) if items else _refusal(messages.NO_SENTENCE)


def draft_json(draft: Draft) -> str:
    """Return `draft` as JSON of the wire schema (ruling A3).

    Its sentences cite by `sources`, so what reads as a marker is a note's own, and is no marker; boxes are signs.
    """
    sentences = [
        {
            "text": words_of_note(signs_for_boxes(one.text)),
            "kind": one.kind,
            "sources": [{"source_id": source.source_id, "span": source.span} for source in one.sources],
        }
        for one in draft.sentences
    ]
    return json.dumps({"sentences": sentences, "refused": draft.refused, "notes": draft.notes}, ensure_ascii=False)


def on_own_line(group: list[DraftSentence]) -> list[DraftSentence]:
    """Start a new line before a group of sentences."""
    return [replace(one, text=one.text if at else f"\n{one.text}") for at, one in enumerate(group)]


def render_in_order(group: Sequence[EvidenceSentence], *, days: Days, now: datetime | None) -> list[DraftSentence]:
    """Return a group of sentences as the answer shows them; the first gives date and speaker."""
    first = group[0]
    ended = any(has_ended(one.row, now) for one in group)
    says_day = ended or (days != "ended" and first.row.source_type == "kg_observation")
    heads = _heads(first, dated=says_day and (days == "all" or not stated_dates(first.text)))
    rendered: list[DraftSentence] = []
    for one in group:
        plain = readable_line(one)
        # The longest prefix (date, speaker) under which it still counts as quoted.
        lines = (*(f"{head}: {plain}" for head in (heads if one is first else ())), plain)
        line = next((line for line in lines if quotations_in(line, (one.row,))), None)
        if line is not None:
            rendered.append(DraftSentence(text=line, sources=(DraftSource(source_id=one.row.alias, span=one.text),)))
    return rendered


def readable_line(sentence: EvidenceSentence) -> str:
    """Return a sentence on one line with a full stop, without markup; code below it keeps its lines."""
    said, code = sentence.prose_and_code
    item = list_item_of(said)
    line = _item_told(sentence, item) if item else " ".join(tables_as_text(said, sentence.header).split())
    line = _HEADING.sub("", line)
    if sentence.row.source_type != "kg_observation":
        line = _ARROWS.sub(" ", _TYPE.sub(":", line, count=1))
    if code:
        return f"{line}\n{code}"
    return with_stop(line)


def with_stop(text: str) -> str:
    """Return a sentence with a full stop where no mark ends what is read of it."""
    is_ended = without_markup(text).rstrip().endswith(_SENTENCE_ENDS) or _SIGN_AT_END.search(text)
    return text if is_ended else f"{text}."


def _item_told(sentence: EvidenceSentence, item: ListItem) -> str:
    """Return a list item after its heading, or with its state in words."""
    name = heading_above(sentence.row.text, sentence.start)
    if not any(map(str.isalnum, name)):
        return item_text(item)
    box = "" if item.is_done is None else "[x] " if item.is_done else "[ ] "
    return f"{name}: {box}{_HEADING.sub('', item.text)}"


def _heads(sentence: EvidenceSentence, *, dated: bool) -> list[str]:
    row = sentence.row
    day = sentence.said_on.isoformat() if dated and sentence.said_on else None
    speaker = row.speaker if row.speaker and not sentence.text.startswith(f"{row.speaker}:") else None
    heads = [f"{day}, {speaker}" if day and speaker else day, speaker]
    return [head for head in heads if head]


def _refusal(notes: str) -> Draft:
    return Draft(refused=True, notes=notes)


_CLOSERS = " \t\n\"'”’»)]}*_`"
_LIKE_BEST = 0.7
"""Minimum share of the best match's overlap with the claim…"""
_LEAST = 0.2
"""…and minimum share of the claim's content words."""
_SAME_TOPIC = 0.5
"""Minimum share of the claim's content words, numbers excluded, for the same topic."""
_READ = 100
"""Sentences compared with a claim, from the best rows…"""
_NEAREST = 20
"""…of which this many are searched for another value."""
_SAME = 0.8
"""Word overlap from which two sentences are duplicates."""


class _Like(NamedTuple):
    """A sentence with the weighted share of the claim's content words that it contains."""

    sentence: EvidenceSentence
    share: float


def counter_evidence(claim: str, evidence: Sequence[Evidence], now: datetime | None) -> list[EvidenceSentence]:
    """Return distinct counter-evidence, most similar first; without `now`, every row with an end has ended."""
    content = [word for word in words(claim) if not word.is_stop]
    like = [_Like(each, overlap_share(content, each.stems)) for each in islice(_stated(evidence), _READ)]
    like = sorted((each for each in like if each.share >= _LEAST), key=lambda each: -each.share)
    found = _replaced(like, evidence) or [
        each.sentence for each in like[:_NEAREST] if _speaks_against(claim, content, each.sentence, now)
    ]
    return _distinct(found)


def _stated(evidence: Sequence[Evidence]) -> Iterator[EvidenceSentence]:
    """Yield the shown sentences that make a claim."""
    for row in evidence:
        if find_instruction(row.text):
            continue
        for sentence in sentences_of(row):
            asks = ASKED.search(sentence.text.rstrip(_CLOSERS))
            if not asks and not is_header(row.text, sentence.end) and sentence.text in row.shown:
                yield sentence


def _replaced(like: Sequence[_Like], evidence: Sequence[Evidence]) -> list[EvidenceSentence]:
    """Return the superseded statements most similar to the claim, each followed by its successor."""
    replaced = [each for each in like if each.sentence.row.superseded_by not in (None, each.sentence.row.row_id)]
    found: list[EvidenceSentence] = []
    for sentence, share in replaced:
        if share >= _LIKE_BEST * replaced[0].share:
            successors = [row for row in evidence if row.row_id == sentence.row.superseded_by]
            found += [sentence, *(each for row in successors for each in sentences_of(row)[:1])]
    return found


def _speaks_against(claim: str, content: Sequence[Word], sentence: EvidenceSentence, now: datetime | None) -> bool:
    """Return whether a current sentence on the claim's topic gives another value or the opposite polarity."""
    said = words(claim)
    if has_ended(sentence.row, now) or (sentence.speaker and any(word.key in first_person() for word in said)):
        return False  # what another speaker says is not about the claim's "I"
    today = now.date() if now else None
    in_claim = doubts_of(claim, GivenContext((sentence.row,), today=today))
    in_sentence = doubts_of(sentence.text, GivenContext((replace(sentence.row, text=claim),), today=today))
    new = {word.stem for doubt in in_claim for word in words(claim[doubt.start : doubt.end])}
    topic = {word.stem for word in content if not word.is_number} - new
    if not topic or len(topic & _content_stems(sentence)) < _SAME_TOPIC * len(topic):
        return False
    if {doubt.flag for doubt in in_claim} & {doubt.flag for doubt in in_sentence}:
        return True
    return not in_claim and has_negation(claim, said) != has_negation(sentence.text, sentence.words)


def _distinct(sentences: Sequence[EvidenceSentence]) -> list[EvidenceSentence]:
    chosen: list[EvidenceSentence] = []
    for sentence in sentences:
        if not any(_repeats(sentence, other) for other in chosen):
            chosen.append(sentence)
    return chosen


def _repeats(sentence: EvidenceSentence, other: EvidenceSentence) -> bool:
    stems, others = _content_stems(sentence), _content_stems(other)
    return norm_v1(sentence.text) == norm_v1(other.text) or len(stems & others) >= _SAME * len(stems | others)


def _content_stems(sentence: EvidenceSentence) -> frozenset[str]:
    return frozenset(word.stem for word in sentence.words if not word.is_stop)


_SUM = "sum"


def follow_up_question(question: str, quoted: Sequence[str]) -> str:
    """Return a follow-up question about the quoted sentences, in the question's language."""
    language = guess_language([word.key for word in words(question)])
    table = language_tables("question_back")[language]
    found = {_question_on(text, table, language) for text in quoted}
    is_of_one = len(found) == 1 and (len(quoted) == 1 or table.get(_SUM) not in found)
    return (next(iter(found)) if is_of_one else None) or str(table["one" if len(quoted) == 1 else "several"])


def _question_on(text: str, table: Table, language: Language) -> str | None:
    """Return the follow-up question for the kind of a sentence; None if it is of no kind."""
    found = next((back for pattern, back in _question_patterns(language) if pattern.search(text)), None)
    if found is not None or _SUM not in table:
        return found
    if holds_amount("money", text):
        return str(table[_SUM])
    return str(table["denied"]) if has_negation(text, words(text)) else None


@cache
def _question_patterns(language: Language) -> "tuple[tuple[regex.Pattern[str], str], ...]":
    kinds = cast("list[Mapping[str, object]]", language_tables("question_back")[language].get("turns", []))
    return tuple((phrase_pattern(frozenset(cast("list[str]", each["words"]))), str(each["back"])) for each in kinds)
