"""An answer made of passages: the sentence that answers first, then what follows it in the note.

Law: every sentence is one of the rows, word for word, and cites it; where its note and heading are said before it, the
judge finds it quoted with them. Three sentences that follow it are given, the whole passage where a list is asked for;
of further passages what was found is given, and the sentence after it. Of a list in which one line says most of the
question that line is given, with what hangs under it, and nothing that follows.

Source: DESIGN 5 "Evidence … is a passage"; rulings D1, D2, I1.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from voice.core.answering.forms import asks_for_many, form_of
from voice.core.answering.placed import MOST_OF_A_ROW, is_heading, placed, stated, with_what_hangs_under
from voice.core.answering.rule import Telling
from voice.core.grounding.answerability.asked import asked_kinds
from voice.core.grounding.answerability.compose import Days, on_a_line, told_in_turn
from voice.core.grounding.answerability.passages import Passage, all_passages, said_on
from voice.core.grounding.values import Draft, DraftSentence, Evidence
from voice.core.text.checklists import item_of
from voice.core.text.words import words

_LINES: Final = 3
"""So many items make a list, of which one may answer."""
_SHARED: Final = 2
"""So many words of a question for yes or no are in the sentence that decides…"""
_SHORTEST: Final = 3
"""…each of so many letters."""
_FOLLOWING: Final = 3
"""Sentences given after the one that answers."""


def compose_passages(question: str, evidence: Sequence[Evidence], *, now: datetime | None = None) -> Draft:
    """Return the draft of passages, the best first.

    Args:
        question: the person's.
        evidence: rows that are part of passages (`Evidence.passage`), in the order of their text.
        now: when it is asked; without it every row that has an end counts as ended.
    """
    sentences: list[DraftSentence] = []
    says_day = "time" in asked_kinds(question) or len({said_on(row.created_at) for row in evidence}) > 1
    days: Days = "undated" if says_day else "ended"
    for number in dict.fromkeys(row.passage for row in evidence):
        rows = [row for row in evidence if row.passage == number]
        sentences += _told(_chosen(rows, question, is_first=not sentences), question, days, now)
    return Draft(sentences=tuple(sentences)) if sentences else Draft(refused=True, notes=None)


def _chosen(rows: Sequence[Evidence], question: str, *, is_first: bool) -> list[Evidence]:
    """Return what of a passage is given, what was found first."""
    found = next((place for place, row in enumerate(rows) if row.is_hit), 0)
    hit, after = rows[found], rows[found + 1 :]
    if _deciding(hit, question) is not None:
        return [hit]
    if not is_first:
        return [hit, *after[:1]]
    if asks_for_many(question):
        return [hit, *after, *rows[:found]]
    return [hit, *after[:_FOLLOWING]]


def _deciding(row: Evidence, question: str) -> list[Passage] | None:
    """Return the sentences of what was found that decide, where it says more than them; None where none stands out.

    Of a list they are the lines that say most of the question, with what hangs under them; of prose, where yes or no is
    asked for, the sentence that says most, with what follows it.
    """
    lines = stated(row)
    telling = Telling.of(question).weights
    weights = [sum(telling.get(stem, 0.0) for stem in line.own_stems) for line in lines]
    most = max(weights, default=0.0)
    if not most or asks_for_many(question):
        return None
    if sum(item_of(line.text) is not None for line in lines) >= _LINES:
        best = [line for line, weight in zip(lines, weights, strict=True) if weight == most]
        return with_what_hangs_under(row, best, lines) if 2 * len(best) <= len(lines) else None
    first = weights.index(most)
    is_asked = form_of(question, is_timed=False).kind == "yes_no"
    return lines[first:] if first and is_asked and _shared(lines[first], question) >= _SHARED else None


def _shared(line: Passage, question: str) -> int:
    """Return how many words of the question a sentence holds, those of no topic too, but the shortest."""
    return len({word.stem for word in words(question) if len(word.key) >= _SHORTEST} & line.own_stems)


def _told(rows: Sequence[Evidence], question: str, days: Days, now: datetime | None) -> list[DraftSentence]:
    """Return the sentences of rows on a line of their own, the first with its place; none where a row is no sentence.

    What stands nowhere says its day where `days` asks for it.
    """
    deciding = _deciding(rows[0], question)
    every = [passage for row in rows for passage in all_passages(row)[:MOST_OF_A_ROW]]
    every = every if deciding is None else deciding[:MOST_OF_A_ROW]
    given = [passage for passage in every if not is_heading(passage)] or every
    if not given:
        return []
    first, *others = given
    told = placed(first)
    if told is None:
        return on_a_line(told_in_turn(given, days="undated" if first.row.context else days, now=now))
    return on_a_line([told, *(told_in_turn(others, days="ended", now=now) if others else ())])
