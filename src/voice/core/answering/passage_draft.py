"""Draft an answer from passages: the sentence that answers, then what follows it in the note.

Law: every sentence is one of the rows, word for word, and cites it; where its note and heading are said before it, the
judge finds it quoted with them. What leads in is given with what stands under it, and so is a bullet. Of anything else
three sentences that follow are given; where one sentence answers ("Who …?"), or says all of a question that asks for no
reason, way or opinion, one that points back or says more of the question; where a list is asked for, the whole passage;
of further passages one. Lines "name: value" that stand together are given together. Of a list or table in which some
lines say most of the question, with what they stand under, these are given, with what hangs under them, and nothing
that follows. Nor is what follows an item that says words of the question which its path does not. Of the best passage
the other rows that a re-ranker reads as relevant by themselves are given as well. What stands behind a passage in its
note, under the same path, is given with it.

Source: DESIGN 5 "Evidence … is a passage"; rulings D1, D2, I1.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import dropwhile, islice, pairwise, takewhile
from typing import Final

from voice.core.answering.answer_layout import Layout
from voice.core.answering.sentence_rendering import (
    MOST_OF_A_ROW,
    begins_item,
    body_sentences,
    compose_layout,
    continues_line,
    is_heading,
    is_table_head,
    is_under,
    is_uninformative,
    opens_section,
    owners_of_items,
    parent_stems,
    remark,
    render_sentences,
    with_short_parents,
    with_sub_items,
)
from voice.core.answering.wanted_sentences import WantedSentences
from voice.core.graph.thoughts.sentence_kinds import points_back
from voice.core.grounding.extractive.answer_composition import Days, follow_up_question
from voice.core.grounding.extractive.evidence_sentences import EvidenceSentence, sentences_of
from voice.core.grounding.source_labels import said_on
from voice.core.grounding.values import Draft, DraftSentence, Evidence, Stance
from voice.core.text.dates import stated_dates
from voice.core.text.markdown import cells_of, is_lead_in, list_item_of
from voice.core.text.words import stems_in

_LINES: Final = 3
"""The fewest items of a list, or lines of a table with its head, of which one alone may answer."""
_SHARED: Final = 2
"""The fewest words of a yes-or-no question that the deciding sentence shares with it…"""
_FOLLOWING: Final = 3
"""Sentences given after the one that answers, where it may not say all: "Why …?", "What did I think of …?"."""
_BEFORE: Final = 2  # rows given before what was found, where they say more of the question
_FIELDS: Final = 6  # the most lines "name: value" that are given together
_FIELD: Final = re.compile(r"[^\W\d_][\w /-]{0,30}+: +\S")  # not "10:30 called" or "https://"
_LED: Final = 12
"""The most rows given under a line that leads them in."""


def compose_reading(
    question: str,
    evidence: Sequence[Evidence],
    stance: Stance = Stance.SYNTHESIZE,
    *,
    now: datetime | None = None,
    layout: Layout | None = None,
) -> Draft:
    """Return the draft of what was read for a question: as its layout says, else as passages (`compose_passages`)."""
    if layout is None or not (layout.parts or layout.answers):
        return compose_passages(question, evidence, stance, now=now, more=layout.more if layout else "")
    if layout.parts:
        return compose_layout(layout, evidence, now=now)
    by_id = {row.row_id: row for row in evidence}
    sentences: dict[str, DraftSentence] = {}  # what answers two of the questions is said once
    for part in layout.answers:
        read = [
            replace(by_id[row.row_id], passage=row.passage, is_hit=row.is_hit, is_relevant=row.is_relevant)
            for row in part.rows
            if row.row_id in by_id
        ]
        own = Layout(parts=part.parts, more=part.more)
        drafted = compose_reading(part.question, read, now=now, layout=own).sentences if read else ()
        sentences |= {each.text.strip(): each for each in drafted if each.text.strip() not in sentences}
    more = [remark(layout.more)] if layout.more and sentences else []
    return Draft(sentences=(*sentences.values(), *more)) if sentences else Draft(refused=True, notes=None)


def compose_passages(
    question: str,
    evidence: Sequence[Evidence],
    stance: Stance = Stance.SYNTHESIZE,
    *,
    now: datetime | None = None,
    more: str = "",
) -> Draft:
    """Return the draft of an answer from passages, the best first.

    Args:
        stance: with `question`, the draft gives the first sentences of two notes and asks back.
        more: a last line that says what is not shown; empty if all is.
    """
    wanted = WantedSentences.of(question)
    if stance is Stance.QUESTION:
        return _with_question_back(question, wanted, [row for row in evidence if row.is_hit], now)
    has_several_days = len({said_on(row) for row in evidence}) > 1
    blocks: list[list[EvidenceSentence]] = []
    notes: set[str] = set()
    used: set[str] = set()
    for number in dict.fromkeys(row.passage for row in evidence):
        rows = [row for row in evidence if row.passage == number and row.row_id not in used]
        if not rows:
            continue
        others = [row for row in evidence if row.passage != number and row.row_id not in used]
        lines = _lines(rows, others, wanted, is_first=not blocks)
        while len(lines) > (not blocks) and is_lead_in(lines[-1].text):  # nothing that it leads in is given
            lines.pop()
        if not lines or (blocks and notes.issuperset(rows[0].thought_ids) and all(map(_repeats_path, lines))):
            continue
        before = next((block for block in blocks if _goes_on_in(block, lines)), None)
        blocks += [] if before else [lines]
        (before or []).extend(lines)
        notes.update(rows[0].thought_ids)
        used.update(line.row.row_id for line in lines)
    sentences: list[DraftSentence] = []
    for lines in blocks:
        says_day = wanted.is_covered_by(lines) if wanted.wants_day else has_several_days
        sentences += _rendered(lines, "undated" if says_day else "ended", now)
    sentences += [remark(more)] if more and sentences else []
    return Draft(sentences=tuple(sentences)) if sentences else Draft(refused=True, notes=None)


def _goes_on_in(block: Sequence[EvidenceSentence], lines: Sequence[EvidenceSentence]) -> bool:
    """Return whether sentences stand behind a block in its note, under the same path: one label is said for both."""
    last, row = block[-1].row, lines[0].row
    if last.place is None or row.place is None or (row.place[0], row.context) != (last.place[0], last.context):
        return False
    return block[0].row.context == row.context and last.place[1] < row.place[1]


def _with_question_back(
    question: str, wanted: WantedSentences, hits: Sequence[Evidence], now: datetime | None
) -> Draft:
    """Return the best hit, the best hit of another note, and a question about both."""
    others = (hit for hit in hits if not set(hit.thought_ids) & set(hits[0].thought_ids))
    sentences = [
        each
        for hit in (*hits[:1], *islice(others, 1))
        for each in _rendered(_lines([hit], (), wanted, is_first=False), "undated", now)
    ]
    if not sentences:
        return Draft(refused=True, notes=None)
    back = follow_up_question(question, [source.span for each in sentences for source in each.sources])
    return Draft(sentences=(*sentences, DraftSentence(text=f"\n{back}", kind="question")))


def _rendered(lines: Sequence[EvidenceSentence], days: Days, now: datetime | None) -> list[DraftSentence]:
    """Render sentences under their path; sentences without a path say their day where `days` asks for it."""
    says_nothing = (is_heading, is_uninformative, _is_signature, is_table_head)
    shown = [line for line in lines if not any(rule(line) for rule in says_nothing)] or lines
    return render_sentences(shown, days="undated" if shown and shown[0].row.context else days, now=now) if shown else []


def _repeats_path(sentence: EvidenceSentence) -> bool:
    """Return whether a sentence only repeats its path."""
    return sentence.own_stems <= stems_in(sentence.row.context or "")


def _is_signature(sentence: EvidenceSentence) -> bool:
    """Return whether a sentence is a single word at the end of a message."""
    return sentence.row.speaker is not None and sentence.start > 0 and len(sentence.words) == 1


def _lines(
    rows: Sequence[Evidence], others: Sequence[Evidence], wanted: WantedSentences, *, is_first: bool
) -> list[EvidenceSentence]:
    """Return the sentences of a passage to give, the hit's first."""
    at = _top(rows, wanted)
    hit, after = rows[at], rows[at + 1 :]
    section, is_last = _section(hit, wanted)
    deciding = _deciding(hit, section, wanted) if is_first else _best_items(hit, section, wanted)
    own = section if deciding is None else deciding
    if section and deciding is None and wanted.is_told_whole_in(hit) and not any(map(_is_listed, section)):
        own = wanted.answering(section)
        is_last = is_last and own[-1] is section[-1]
    leading = [line for line in own if is_lead_in(line.text) or opens_section(line)]
    if leading:
        following = _under(leading[-1], [*after, *others])
    elif deciding is not None or not is_last:
        following = list(_rest_of_line(own[-1], after))
    elif wanted.wants_many and is_first:
        return [line for row in rows for line in body_sentences(row)]
    elif not own:  # one sentence, longer than is read: what follows it in its note answers nothing
        return []
    else:
        is_answered = wanted.is_answered_by(hit) and not wanted.is_repeated_by(hit)
        is_one = not is_first or is_answered or (wanted.is_short and not wanted.is_repeated_by(hit))
        if not is_one and (record := _record(rows, at)):
            return [line for row in record for line in body_sentences(row)]
        near = list(_following(hit, after, is_alone=wanted.is_told_apart_in(hit)))
        under = list(takewhile(lambda row: is_under(row, own[-1].row, own[-1].text), near))[:_LED]
        few = near[:1] if is_one else under or near[:_FOLLOWING]
        following = [row for row in few if not is_answered or wanted.continues_in(row, hit)]
    is_read = leading or deciding is not None or any(row.is_relevant for row in rows)
    before = [] if is_read else _before(rows[:at], hit, wanted)
    behind = [line for row in following for line in sentences_of(row)[:MOST_OF_A_ROW]]
    lines = [*before, *own[:MOST_OF_A_ROW], *behind]
    if not is_first:
        return lines
    chosen = rows if deciding is None or not any(map(_is_listed, deciding)) else ()
    lines = _day_first(lines, chosen) if wanted.wants_day else _amount_first(lines, chosen, wanted)
    return _with_relevant_rows(lines, rows)


def _with_relevant_rows(lines: list[EvidenceSentence], rows: Sequence[Evidence]) -> list[EvidenceSentence]:
    """Return sentences and the other relevant rows of their passage.

    In the note's order if the first points back, or one of the rows stands right before it in its paragraph.
    """
    given = {line.row.row_id for line in lines}
    more = [row for row in rows if row.is_relevant and row.row_id not in given]
    if more and (
        points_back(lines[0].text)
        or any(one in more and two is lines[0].row and continues_line(one, two) for one, two in pairwise(rows))
    ):
        kept = given | {row.row_id for row in more}
        return [line for row in rows if row.row_id in kept for line in body_sentences(row)]
    return [*lines, *(line for row in more for line in body_sentences(row)[:MOST_OF_A_ROW])]


def _is_listed(line: EvidenceSentence) -> bool:
    """Return whether a sentence is an item of a list or a row of a table."""
    return list_item_of(line.text) is not None or cells_of(line.text) is not None


def _top(rows: Sequence[Evidence], wanted: WantedSentences) -> int:
    """Return which row to start from: the hit, or a row above it that says more of the question."""
    hit = next((place for place, row in enumerate(rows) if row.is_hit), 0)
    above = [place for place, row in enumerate(rows[:hit]) if is_under(rows[hit], row, row.text)]
    if own := wanted.weight(*sentences_of(rows[hit])):  # what it stands under is said before it
        own = wanted.weight_of(stems_in(rows[hit].text), stems_in(rows[hit].context or ""))
    return max((hit, *above), key=lambda place: own if place == hit else wanted.weight(*sentences_of(rows[place])))


def _before(rows: Sequence[Evidence], hit: Evidence, wanted: WantedSentences) -> list[EvidenceSentence]:
    """Return the sentences right before the hit, from the first that says of the question what the hit does not."""
    stems = stems_in(f"{hit.text}\n{hit.context or ''}\n{hit.speaker or ''}")
    near = [row for row in rows[-_BEFORE:] if row.context == hit.context and list_item_of(row.text) is None]
    lines = [line for row in near for line in sentences_of(row)[:MOST_OF_A_ROW]]
    return list(dropwhile(lambda line: not wanted.weight_of(line.own_stems - stems), lines))


def _section(row: Evidence, wanted: WantedSentences) -> tuple[list[EvidenceSentence], bool]:
    """Return the section of a row that says most of the question, and whether it is the last one."""
    sections: list[list[EvidenceSentence]] = [[]]
    every = sentences_of(row)
    for line in every:
        if sections[-1] and opens_section(line) and line not in with_sub_items(row, sections[-1], every):
            sections.append([])
        sections[-1].append(line)
    best = max(sections, key=lambda lines: wanted.weight(*lines))
    telling = [line for line in best if not (is_heading(line) or is_uninformative(line))]
    return telling or best, best is sections[-1]


def _deciding(
    row: Evidence, lines: Sequence[EvidenceSentence], wanted: WantedSentences
) -> list[EvidenceSentence] | None:
    """Return the sentences of the hit that decide, where it has others besides; None where none stands out.

    Of a list or a table they are the lines that say most of the question together with what they stand under, with what
    hangs under them; of prose, where yes or no is asked for, the sentence that says most, with what follows it.
    """
    weights = [0.0 if is_table_head(line) else wanted.weight(line) for line in lines]
    most = max(weights, default=0.0)
    if not most or wanted.wants_many:
        return None
    owners = [line for line in owners_of_items(row, lines) if not _is_listed(line)]
    if wanted.is_open and any(is_lead_in(line.text) for line in owners):
        return None  # of steps or reasons all are told
    if sum(map(_is_listed, lines)) + len(owners) >= _LINES:
        # Each line counts together with what it stands under.
        placed = [
            wanted.weight_of(line.own_stems, over) for line, over in zip(lines, parent_stems(row, lines), strict=True)
        ]
        most = max(weight for own, weight in zip(weights, placed, strict=True) if own)
        best = [line for line, own, weight in zip(lines, weights, placed, strict=True) if own and weight == most]
        best = list(filter(wanted.states_kind, best)) or best
        if not wanted.is_open:
            said = [len(wanted.keys.intersection(word.key for word in line.words)) for line in best]
            best = [line for line, count in zip(best, said, strict=True) if count == max(said)]
        return _around(row, best, lines, wanted) if 2 * len(best) <= len(lines) else None
    first = weights.index(most)
    shared = len(wanted.words & lines[first].own_stems)
    return list(lines[first:]) if first and wanted.is_yes_no and shared >= _SHARED else None


def _best_items(
    row: Evidence, lines: Sequence[EvidenceSentence], wanted: WantedSentences
) -> list[EvidenceSentence] | None:
    """Return the items of a further passage that say most of the question, with their sub-items."""
    most = max(map(wanted.weight, lines), default=0.0)
    if not most or not any(map(_is_listed, lines)):
        return None
    return _around(row, [line for line in lines if wanted.weight(line) == most], lines, wanted)


def _around(
    row: Evidence, best: Sequence[EvidenceSentence], lines: Sequence[EvidenceSentence], wanted: WantedSentences
) -> list[EvidenceSentence]:
    """Return items with their sub-items, and with the parents that can turn their meaning or say what is asked for."""
    return with_short_parents(row, with_sub_items(row, best, lines), lines, wanted.states_kind)


def _rest_of_line(line: EvidenceSentence, after: Sequence[Evidence]) -> Iterator[Evidence]:
    """Yield the rows that continue a line: the further sentences of an item, or the next one of a paragraph."""
    last = line.row
    if line.end == len(last.text):
        for row in after[: _FOLLOWING if list_item_of(line.text) else 1]:
            if not continues_line(last, row):
                return
            yield row
            last = row


def _record(rows: Sequence[Evidence], at: int) -> Sequence[Evidence]:
    """Return the rows "name: value" that stand together with one under its path; none if there are too many."""

    def is_field(row: Evidence) -> bool:
        return row.context == rows[at].context and row.speaker is None and _FIELD.match(row.text) is not None

    if not is_field(rows[at]):
        return ()
    first = at - sum(1 for _ in takewhile(is_field, reversed(rows[:at])))
    record = rows[first : at + sum(1 for _ in takewhile(is_field, rows[at:]))]
    return record if 1 < len(record) <= _FIELDS else ()


def _under(lead: EvidenceSentence, rows: Sequence[Evidence]) -> list[Evidence]:
    under = {row.row_id: row for row in rows if is_under(row, lead.row, lead.text)}
    return sorted(under.values(), key=lambda row: row.place or ("", 0))[:_LED]


def _following(hit: Evidence, after: Sequence[Evidence], *, is_alone: bool) -> Iterator[Evidence]:
    """Yield the rows after the hit under its path, up to the next heading; with `is_alone`, up to the next item."""
    given = [hit]
    for row in after:
        is_below = any(is_under(row, each, each.text) for each in given)
        is_near = is_below or (row.context == hit.context and not (is_alone and begins_item(given[-1], row)))
        if not is_near or any(map(opens_section, sentences_of(row)[:1])):
            return
        given.append(row)
        yield row


def _day_first(lines: list[EvidenceSentence], rows: Sequence[Evidence]) -> list[EvidenceSentence]:
    """Put the only sentence that states a day first; where none of them does, the only one of the passage."""
    dated = [line for line in lines if stated_dates(line.text)]
    dated = dated or [line for row in rows for line in body_sentences(row) if stated_dates(line.text)]
    if len(dated) != 1:
        return lines
    key = (dated[0].row.row_id, dated[0].start)
    return [dated[0], *(line for line in lines if (line.row.row_id, line.start) != key)]


def _amount_first(
    lines: list[EvidenceSentence], rows: Sequence[Evidence], wanted: WantedSentences
) -> list[EvidenceSentence]:
    """Put the sentence of the passage that states the amount first, where none of `lines` does.

    Where they say words of the question, that sentence says some of them as well.
    """
    if not wanted.amounts or any(map(wanted.states_amount, lines)):
        return lines
    is_said = wanted.weight(*lines) > 0
    stating = [line for row in rows for line in body_sentences(row) if wanted.states_amount(line)]
    stating = [line for line in stating if wanted.weight(line) > 0 or not is_said]
    return [max(stating, key=wanted.weight), *lines] if stating else lines
