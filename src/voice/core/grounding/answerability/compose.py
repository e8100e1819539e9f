"""An answer made of rows of the memory, without any model, and how its sentences are told.

Law: every sentence that states something is word for word in the evidence it cites; what is put around it (who said it,
on which day) is kept only where the judge finds the sentence quoted with it. A claim is challenged by the sentences
that replaced its like or give other figures, the earlier first; what has ended says its day.

Source: DESIGN 7 (`extractive`); rulings A23, D1, D2, D5, D22.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from voice.core.grounding.answerability.challenge import against
from voice.core.grounding.answerability.evidence_sentences import MOST_READ, EvidenceSentence
from voice.core.grounding.answerability.tasks import item_text, task_draft, tasks_in
from voice.core.grounding.conflicts import has_ended
from voice.core.grounding.quotation.matching import quotations_in
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence, Stance
from voice.core.text.dates import stated_dates
from voice.core.text.instants import date_sort_key
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import ListItem, heading_above, list_item_of, tables_as_text

MAX_QUOTES = 3
"""Sentences that are set against a claim."""
Days = Literal["all", "undated", "ended"]
"""Which sentences say their day: every one, those that state no date themselves, or only what has ended."""
_ARROWS = late_pattern(r"(?:(?<!\s)\s++)?(?:—(?=\S)|→)\s*+")
_TYPE = late_pattern(r"\s\([\w ]+\):")
_HEADING = late_pattern(r"^#{1,6}\s+(?=\S)")
ENDS = (".", "!", "?", "…", ":", ";", "。", "！", "？", "؟", "।", '"', "”", "»")
_SIGN_AT_END = late_pattern(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]$")
"""A picture at the end: a full stop behind it would be a sentence of its own."""
_NOTHING_SAID = "The memory holds no sentence that speaks to this."
_NOTHING_AGAINST = "The memory holds no sentence that speaks against this."


def compose(question: str, evidence: Sequence[Evidence], stance: Stance, *, now: datetime | None = None) -> Draft:
    """Return a draft for what is looked up among rows, made of verbatim sentences, or a refusal.

    Args:
        question: one for tasks, or a claim where it is to be challenged.
        evidence: the rows of the prompt.
        stance: how to speak.
        now: when it is asked; without it every row that has an end counts as ended.
    """
    question = question[:MOST_READ]
    if stance is Stance.CHALLENGE:
        return _challenge(question, evidence, now)
    items = tasks_in(question, evidence)
    return task_draft(items) if items else _refusal(_NOTHING_SAID)


def draft_json(draft: Draft) -> str:
    """Return `draft` as a provider would send it: one JSON object of the wire schema (ruling A3)."""
    sentences = [
        {
            "text": one.text,
            "kind": one.kind,
            "sources": [{"source_id": source.source_id, "span": source.span} for source in one.sources],
        }
        for one in draft.sentences
    ]
    return json.dumps({"sentences": sentences, "refused": draft.refused, "notes": draft.notes}, ensure_ascii=False)


def _challenge(claim: str, evidence: Sequence[Evidence], now: datetime | None) -> Draft:
    """Return what speaks against a claim, the earlier first; a refusal where nothing does."""
    chosen = against(claim, evidence, now)[:MAX_QUOTES]
    by_day = sorted(chosen, key=lambda sentence: date_sort_key(sentence.row.created_at))
    told = [one for each in by_day for one in on_a_line(render_in_order([each], days="undated", now=now))]
    return Draft(sentences=tuple(told)) if told else _refusal(_NOTHING_AGAINST)


def on_a_line(told: list[DraftSentence]) -> list[DraftSentence]:
    """Return sentences that belong together, on a line of their own."""
    return [replace(one, text=one.text if at else f"\n{one.text}") for at, one in enumerate(told)]


def render_in_order(group: Sequence[EvidenceSentence], *, days: Days, now: datetime | None) -> list[DraftSentence]:
    """Return sentences that belong together as the answer gives them, the first with day and speaker."""
    first = group[0]
    ended = any(has_ended(one.row, now) for one in group)
    says_day = ended or (days != "ended" and first.row.source_type == "kg_observation")
    heads = _heads(first, dated=says_day and (days == "all" or not stated_dates(first.text)))
    told = [(one, _line(one, heads if one is first else ())) for one in group]
    return [
        DraftSentence(text=line, sources=(DraftSource(source_id=one.row.alias, span=one.text),))
        for one, line in told
        if line is not None
    ]


def _line(sentence: EvidenceSentence, heads: Sequence[str]) -> str | None:
    """Return the sentence as the answer gives it, with day and speaker, where it is found quoted so."""
    plain = readable_line(sentence)
    lines = (*(f"{head}: {plain}" for head in heads), plain)
    return next((line for line in lines if quotations_in(line, (sentence.row,))), None)


def readable_line(sentence: EvidenceSentence) -> str:
    """Return the sentence on one line with a full stop; the graph's without arrows and type, a table's row in words."""
    item = list_item_of(sentence.text)
    line = _item_told(sentence, item) if item else " ".join(tables_as_text(sentence.text, sentence.header).split())
    line = _HEADING.sub("", line)
    if sentence.row.source_type != "kg_observation":
        line = _ARROWS.sub(" ", _TYPE.sub(":", line, count=1))
    return line if line.endswith(ENDS) or _SIGN_AT_END.search(line) else f"{line}."


def _item_told(sentence: EvidenceSentence, item: ListItem) -> str:
    """Return an item with what stands above it, else with the words for its box."""
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
