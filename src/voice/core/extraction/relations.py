"""Who stands to whom in which relation, as a note says it.

Law: a relation is read only where one sentence words it between two things the note names; what is asked, denied,
wished, planned or doubted is no relation. Its direction is the wording's. Its span reaches from the one end to the
other. When the sentence bounds it in time, it is valid only then.

Source: rulings F.1, F.2, F.6; spec rag-organize 2.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import regex

from voice.core.extraction.coreference import Slot
from voice.core.extraction.entities import Thing
from voice.core.extraction.periods import calendar_at, period_in
from voice.core.extraction.reading import Reading, Sentence
from voice.core.extraction.wordings import LETTER_OF, WORDINGS, Wording
from voice.core.graph.extracted import ExtractedRelation
from voice.core.records import Provenance, Thought
from voice.core.text.lazy import late_pattern
from voice.core.text.negation import has_negation
from voice.core.text.words import words


class Way(StrEnum):
    """How the ends of a relation are given."""

    NAMED = "named"
    STOOD_FOR = "stood_for"
    LISTED = "listed"


SHARES: Final[Mapping[Way, float]] = {
    Way.NAMED: 0.97,  # 33 of 33
    Way.STOOD_FOR: 0.94,  # 15 of 15
    Way.LISTED: 0.5,  # never seen
}
"""(right + 1) / (read + 2) over the first sixty of the labelled notes (ruling F.2)."""
_UNSURE: Final = late_pattern(
    r"\b(?:would|could|might|may|wants? to|wanted to|hopes? to|hoping|plans? to|planned|will|if|whether|maybe"
    r"|perhaps|almost"
    r"|nearly|wish(?:es)?|thinking of|considering|should|supposed|used to|no longer|not|never|dreams?|rumou?r"
    r"|pretend(?:s|ed)?"
    r"|vielleicht|würde|möchte|wenn|ob|soll|will nach|nicht|nie|kein|quizás|quiere|quería|si|ojalá|no|nunca)\b",
    regex.IGNORECASE,
)
_LONGEST: Final = 600
"""Characters of a sentence; a longer one is a heap of words."""
_JOINT: Final = r"(?: and | und | y | & |, )"
_MORE: Final = late_pattern(rf"{_JOINT}«([A-Z]\d+)»")
_MAY_END: Final = late_pattern(r"\b(?:Co|Corp|Inc|Ltd|Bros|etc|[ap]\.m)\.\s+(?=\p{Lu})")
_EARLIER: Final = late_pattern(r"«([A-Z]\d+)»(?: and | und | y | & )$")


class _Masked(NamedTuple):
    """A sentence with its things replaced by their kinds and numbers."""

    text: str
    slots: Mapping[str, Slot]
    places: Sequence[tuple[int, int]]
    """Where in the masked text each slot stands; with the note's offsets to be had from `slots`."""


class _Found(NamedTuple):
    wording: Wording
    source: Slot
    target: Slot
    way: Way


def relations_in(thought: Thought, reading: Reading, slots: Sequence[Sequence[Slot]]) -> list[ExtractedRelation]:
    """Return the relations that `thought` words, each once per sentence.

    Args:
        thought: the note.
        reading: its sentences.
        slots: for each of them, the places that stand for things.
    """
    found: list[ExtractedRelation] = []
    for sentence, places in zip(reading.sentences, slots, strict=True):
        if not sentence.is_question and len(places) > 1 and sentence.end - sentence.start <= _LONGEST:
            found.extend(_of_sentence(thought, reading, sentence, places))
    return found


def _of_sentence(
    thought: Thought, reading: Reading, sentence: Sentence, places: Sequence[Slot]
) -> Iterator[ExtractedRelation]:
    masked = _mask(reading.text, sentence, places)
    said: set[tuple[str, int, int]] = set()
    for one in _matches(masked):
        key = (one.wording.rel_type, id(one.source.thing), id(one.target.thing))
        if key in said or one.source.thing is one.target.thing or not _is_told(reading.text, sentence, one):
            continue
        said.add(key)
        yield _relation(thought, reading, sentence, one)


def _mask(text: str, sentence: Sentence, places: Sequence[Slot]) -> _Masked:
    pieces: list[str] = []
    slots: dict[str, Slot] = {}
    marks: list[tuple[int, int]] = []
    at, length = sentence.start, 0
    for number, slot in enumerate(places):
        name = f"{LETTER_OF[slot.thing.entity_type]}{number}"
        slots[name] = slot
        tail = "'s" if slot.owns else ""
        piece = f"{text[at : slot.start]}«{name}»{tail}"
        pieces.append(piece)
        length += len(piece)
        marks.append((length - len(name) - 2 - len(tail), length))
        at = slot.end
    pieces.append(text[at : sentence.end])
    return _Masked("".join(pieces), slots, marks)


def _matches(masked: _Masked) -> Iterator[_Found]:
    for wording in WORDINGS:
        for match in wording.pattern.finditer(masked.text):
            source, target = masked.slots[match["a"]], masked.slots[match["b"]]
            way = Way.NAMED if source.is_named and target.is_named else Way.STOOD_FOR
            yield _Found(wording, source, target, way)
            for beside in _beside(masked, match, match["b"], backwards=False):
                yield _Found(wording, source, beside, Way.LISTED)
            if match.start() == match.start("a") - 1:
                for beside in _beside(masked, match, match["a"], backwards=True):
                    yield _Found(wording, beside, target, Way.LISTED)


def _beside(masked: _Masked, match: regex.Match[str], name: str, *, backwards: bool) -> Iterator[Slot]:
    """Yield what is listed with an end of a wording: "uses Flask and SQLite", "Ken and Mei work at Acme"."""
    other = _EARLIER.search(masked.text[: match.start()]) if backwards else _MORE.match(masked.text, match.end())
    if other is not None and other[1][0] == name[0]:
        yield masked.slots[other[1]]


def _is_told(text: str, sentence: Sentence, found: _Found) -> bool:
    """Return whether the sentence tells it as so, up to the second end."""
    until = max(found.source.end, found.target.end)
    lead = text[sentence.start : until]
    cut = max(lead.rfind(". "), lead.rfind("; "), lead.rfind(", but "), 0)
    lead = lead[cut:]
    return not _UNSURE.search(lead) and not has_negation(lead, words(lead))


def _told_with(text: str, sentence: Sentence, start: int, end: int) -> str:
    """Return what of the sentence bounds a relation: it ends, too, where "Co." and the like may have ended one."""
    stops = [stop.end() for stop in _MAY_END.finditer(text, sentence.start, sentence.end)]
    first = max((stop for stop in stops if stop <= start), default=sentence.start)
    return text[first : min((stop for stop in stops if stop > end), default=sentence.end)]


def _relation(thought: Thought, reading: Reading, sentence: Sentence, found: _Found) -> ExtractedRelation:
    ends: tuple[Thing, Thing] = (found.source.thing, found.target.thing)
    start = min(found.source.start, found.target.start)
    end = max(found.source.end, found.target.end)
    told = _told_with(reading.text, sentence, start, end)
    period = period_in(told, reading.language, calendar_at(thought.created_at), begins=found.wording.begins)
    return ExtractedRelation(
        source=ends[0].name,
        rel_type=found.wording.rel_type,
        target=ends[1].name,
        confidence=min(SHARES[found.way], *(thing.confidence for thing in ends)),
        mentions=(Provenance(thought_id=thought.id, start=start, end=end),),
        valid_from=period.start,
        valid_until=period.end,
    )
