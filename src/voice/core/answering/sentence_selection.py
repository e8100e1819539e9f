"""The choice of sentences from many rows, for a digest of a time or an overview of a topic.

Law: a time is told by day, the most telling sentences of each day first chosen, as many days as there is room for;
something is told by the sentences that name it, else by those that stand under its name, of several notes. What is
chosen is given in the order in which it was told, what is undated last. How many are left is counted.

Source: DESIGN 5; ruling I2.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, NamedTuple

from voice.core.answering.layout import Part, Stretch
from voice.core.answering.path_rendering import body_sentences, with_short_parents, with_sub_items
from voice.core.grounding.answerability.evidence_sentences import EvidenceSentence
from voice.core.grounding.quotation.counted import CountOf, Unit
from voice.core.grounding.values import Evidence
from voice.core.text.background import weight_of
from voice.core.text.instants import is_told
from voice.core.text.outlines import outline_of
from voice.core.text.words import content_words, stems_in

MOST_OF_A_TIME: Final = 16
"""The most sentences of a digest."""
MOST_ABOUT: Final = 10
"""The most sentences about something."""
_MOST_OF_A_NOTE: Final = 4
MOST_MENTIONS: Final = 60
"""The most sentences that are counted."""
_NAMES_A_TOPIC: Final = 2.0
"""The least weight of a word that is looked up alone."""
_TELLING: Final = 12
"""The most words of a sentence that count towards its weight, so that long sentences do not win."""
_LEAST: Final = 2
"""The fewest content words of a sentence in a digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedSentences:
    """The chosen sentences."""

    part: Part
    left: int
    """How many sentences were left out."""


class _ScoredSentence(NamedTuple):
    place: int
    """The index of its row."""
    sentence: EvidenceSentence
    telling: float


def digest_of(
    rows: Sequence[Evidence], is_then: Callable[[EvidenceSentence], bool] = lambda _: True
) -> SelectedSentences:
    """Return the most telling sentences of each day of a time.

    Args:
        rows: of that time, in the order in which they were told.
        is_then: tells whether a sentence is of that time; its row may be for the sake of another one.
    """
    days: dict[object, list[_ScoredSentence]] = {}
    for point in filter(lambda each: is_then(each.sentence), _scored(rows)):
        told = rows[point.place].created_at
        days.setdefault(told.date() if is_told(told) else None, []).append(point)
    ranked = [sorted(points, key=lambda point: (-point.telling, point.place)) for points in days.values()]
    ranked.sort(key=lambda points: -points[0].telling)
    chosen: list[_ScoredSentence] = []
    for turn in range(MOST_OF_A_TIME):
        chosen += [points[turn] for points in ranked if len(points) > turn][: MOST_OF_A_TIME - len(chosen)]
    return _chosen(rows, chosen, left=sum(map(len, days.values())) - len(chosen))


def _scored(rows: Sequence[Evidence]) -> list[_ScoredSentence]:
    said: set[str] = set()
    found: list[_ScoredSentence] = []
    for place, row in enumerate(rows):
        for sentence in body_sentences(row):
            stems = [word.stem for word in content_words(sentence.text)]
            if len(stems) >= _LEAST and sentence.text not in said:
                said.add(sentence.text)
                found.append(_ScoredSentence(place, sentence, sum(map(weight_of, dict.fromkeys(stems[:_TELLING])))))
    return found


def _chosen(rows: Sequence[Evidence], points: Sequence[_ScoredSentence], *, left: int) -> SelectedSentences:
    """Return sentences in order, each with the bullets above it."""
    places = {(each.place, line.start, line.end) for each in points for line in _bullets_over(rows, each)}
    places |= {(each.place, each.sentence.start, each.sentence.end) for each in points}
    stretches = tuple(Stretch(rows[place].row_id, start, end) for place, start, end in sorted(places))
    return SelectedSentences(part=Part(stretches=stretches), left=left)


def _bullets_over(rows: Sequence[Evidence], point: _ScoredSentence) -> Iterator[EvidenceSentence]:
    """Yield the bullets above a sentence in its row."""
    row = rows[point.place]
    outline = outline_of(row.text)
    for at in outline.at(point.sentence.start, point.sentence.end):
        over = [line for line in outline.over(at) if line.kind == "item"]
        yield from (
            each for each in body_sentences(row) for line in over if each.start < line.end and line.start < each.end
        )


def mentions_of(rows: Sequence[Evidence], said: Sequence[str]) -> Part | None:
    """Return the sentences that mention something, counted by day, or by note if one is undated.

    Args:
        rows: all that may mention it, in the order in which they were told.
        said: the words that each of the sentences holds.

    Returns:
        None where no sentence does, or more than can be given, and where the words tell nothing.
    """
    stems = stems_in(" ".join(said))
    is_telling = max(map(weight_of, stems), default=0.0) >= _NAMES_A_TOPIC
    held = [(row, line) for row in rows for line in body_sentences(row) if is_telling and stems <= line.own_stems]
    if not held or len(held) > MOST_MENTIONS:
        return None
    unit: Unit = "day" if all(is_told(row.created_at) for row, _ in held) else "note"
    stretches = tuple(Stretch(row.row_id, line.start, line.end) for row, line in held)
    return Part(stretches=stretches, counted=CountOf(unit=unit, word=" ".join(said)))


def names_topic(row: Evidence, stems: AbstractSet[str]) -> bool:
    """Return whether a row or its path names a topic."""
    return bool(stems) and stems <= stems_in(f"{row.text}\n{row.context or ''}\n{row.speaker or ''}")


def sentences_about(rows: Sequence[Evidence], stems: AbstractSet[str], *, most: int = MOST_ABOUT) -> SelectedSentences:
    """Return the sentences about something.

    Args:
        rows: the rows that name it, in the order of the answer.
        stems: the stems of its name.
        most: how many sentences to return at most.
    """
    named = [(place, row, *sentences_naming(row, stems)) for place, row in enumerate(rows)]
    of_note: dict[tuple[str, ...], int] = {}
    given: list[tuple[int, Stretch]] = []
    for place, row, lines, _ in sorted(named, key=lambda each: (not each[3], -each[1].relevance)):
        taken = of_note.get(row.thought_ids, 0)
        few = lines[: min(most - len(given), _MOST_OF_A_NOTE - taken)]
        given += [(place, Stretch(row.row_id, line.start, line.end)) for line in few]
        of_note[row.thought_ids] = taken + len(few)
    stretches = tuple(stretch for _, stretch in sorted(given, key=lambda each: each[0]))
    return SelectedSentences(
        part=Part(stretches=stretches), left=sum(len(lines) for *_, lines, _ in named) - len(stretches)
    )


def sentences_naming(row: Evidence, stems: AbstractSet[str]) -> tuple[list[EvidenceSentence], bool]:
    """Return the sentences of a row that name something, with their sub-items, and True.

    All sentences, and False, if none names it.
    """
    every = body_sentences(row)
    naming = [line for line in every if not stems.isdisjoint(line.own_stems)]
    if not naming:
        return every, False
    return with_short_parents(row, with_sub_items(row, naming, every), every), True
