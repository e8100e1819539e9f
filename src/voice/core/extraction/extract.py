"""Extract entities and relations from notes, for review.

Law: one sentence must state a relation between two named things; questions, denials, wishes, plans and doubts do not
count. Its span reaches from end to end, and a period in the sentence bounds it. Notes are read one by one; only equal
names of one type are merged, so batches do not matter. Inactive notes and the inner voice's own give nothing (ruling
A13). Everything has a confidence; `sure_enough` filters.
Source: spec rag-organize 2; rulings A13, C13, F.1, F.2, F.5.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import regex

from voice.core.extraction.entities import NamedThing, Slot, slots_of, things_in
from voice.core.extraction.relations import LETTER_OF, WORDINGS, Wording, calendar_at, period_in
from voice.core.extraction.sentences import ParsedNote, Sentence, parse_note
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.review.extraction_results import SYMMETRIC, Extracted, ExtractedEntity, ExtractedRelation
from voice.core.records import EntityName, Origin, Provenance, RowStatus, Thought
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import norm_v1
from voice.core.text.words import has_negation, words

# Confidence by how the ends are given: (right + 1) / (read + 2) over the first sixty labelled notes (ruling F.2).
_NAMED: Final = 0.97  # 33 of 33
_BY_PRONOUN: Final = 0.94  # 15 of 15
_LISTED: Final = 0.5  # never seen
_UNCERTAIN: Final = late_pattern(
    r"\b(?:would|could|might|may|wants? to|wanted to|hopes? to|hoping|plans? to|planned|will|if|whether|maybe"
    r"|perhaps|almost|nearly|wish(?:es)?|thinking of|considering|should|supposed|used to|no longer|not|never|dreams?"
    r"|rumou?r|pretend(?:s|ed)?"
    r"|vielleicht|würde|möchte|wenn|ob|soll|will nach|nicht|nie|kein|quizás|quiere|quería|si|ojalá|no|nunca)\b",
    regex.IGNORECASE,
)
_LONGEST: Final = 600  # characters of a sentence
_NEXT_IN_LIST: Final = late_pattern(r"(?: and | und | y | & |, )«([A-Z]\d+)»")  # behind "«P0» works at «O1»"
_LAST_IN_LIST: Final = late_pattern(r"«([A-Z]\d+)»(?: and | und | y | & )$")
_POSSIBLE_STOP: Final = late_pattern(r"\b(?:Co|Corp|Inc|Ltd|Bros|etc|[ap]\.m)\.\s+(?=\p{Lu})")  # may end a sentence


class _Match(NamedTuple):
    wording: Wording
    source: Slot
    target: Slot
    confidence: float


def extract(thoughts: Sequence[Thought], known: Iterable[EntityName] = ()) -> Extracted:
    """Extract from notes of any origin, with spans and confidence; `known` entities count in any context."""
    names = KnownNames(nodes=tuple(known))
    entities: list[ExtractedEntity] = []
    relations: list[ExtractedRelation] = []
    for thought in thoughts:
        if thought.is_synthesis or thought.status is not RowStatus.ACTIVE:
            continue
        note = parse_note(thought.content)
        author = _author(thought)
        things = things_in(note, names, author)
        speaker = next((thing for thing in things if thing.name == author), None)
        slots = slots_of(note, things, speaker)
        if speaker is not None and not speaker.spans:  # named by "I" alone
            speaker.spans = [(slot.start, slot.end) for row in slots for slot in row if slot.thing is speaker]
        entities += (_entity(thought, thing) for thing in things if thing.spans)
        relations += _relations_in(thought, note, slots)
    return Extracted(entities=_merged_entities(entities), relations=_merged_relations(relations))


def _author(thought: Thought) -> str | None:
    """Return a note's author by name; None for models, and for addresses and numbers."""
    name = thought.speaker
    is_name = name is not None and "@" not in name and any(sign.isalpha() for sign in name)
    return name if is_name and thought.origin is not Origin.MODEL else None


def _entity(thought: Thought, thing: NamedThing) -> ExtractedEntity:
    return ExtractedEntity(
        name=thing.name,
        entity_type=thing.entity_type,
        aliases=tuple(thing.aliases),
        confidence=thing.confidence,
        mentions=tuple(Provenance(thought_id=thought.id, start=start, end=end) for start, end in thing.spans),
    )


def _merged_entities(found: Iterable[ExtractedEntity]) -> tuple[ExtractedEntity, ...]:
    """Merge entities of one name and type, in order of first mention."""
    merged: dict[tuple[str, str], ExtractedEntity] = {}
    for entity in found:
        key = (norm_v1(entity.name), entity.entity_type)
        same = merged.setdefault(key, entity)
        if same is not entity:
            aliases = tuple(dict.fromkeys((*same.aliases, *entity.aliases)))
            confidence, mentions = max(same.confidence, entity.confidence), same.mentions + entity.mentions
            merged[key] = replace(same, aliases=aliases, confidence=confidence, mentions=mentions)
    return tuple(merged.values())


def _merged_relations(found: Iterable[ExtractedRelation]) -> tuple[ExtractedRelation, ...]:
    """Merge relations of one type, ends and period."""
    merged: dict[tuple[object, ...], ExtractedRelation] = {}
    for relation in found:
        ends = [norm_v1(relation.source), norm_v1(relation.target)]
        ends = sorted(ends) if relation.rel_type in SYMMETRIC else ends
        key = (relation.rel_type, *ends, relation.valid_from, relation.valid_until)
        same = merged.setdefault(key, relation)
        if same is not relation:
            confidence, mentions = max(same.confidence, relation.confidence), same.mentions + relation.mentions
            merged[key] = replace(same, confidence=confidence, mentions=mentions)
    return tuple(merged.values())


def _relations_in(thought: Thought, note: ParsedNote, slots: Sequence[Sequence[Slot]]) -> Iterator[ExtractedRelation]:
    """Yield the relations in `thought`, each once per sentence; `slots` are by sentence (`slots_of`)."""
    for sentence, places in zip(note.sentences, slots, strict=True):
        if sentence.is_question or len(places) < 2 or sentence.end - sentence.start > _LONGEST:
            continue
        seen: set[tuple[str, int, int]] = set()
        for match in _matches(*_masked(note.text, sentence, places)):
            key = (match.wording.rel_type, id(match.source.thing), id(match.target.thing))
            if key in seen or match.source.thing is match.target.thing or not _is_asserted(note.text, sentence, match):
                continue
            seen.add(key)
            yield _relation(thought, note, sentence, match)


def _masked(text: str, sentence: Sentence, places: Sequence[Slot]) -> tuple[str, Mapping[str, Slot]]:
    """Replace the things of a sentence by names such as «P0», and return the things by name."""
    pieces: list[str] = []
    slots: dict[str, Slot] = {}
    at = sentence.start
    for number, slot in enumerate(places):
        name = f"{LETTER_OF[slot.thing.entity_type]}{number}"
        slots[name] = slot
        # "her boss" reads as "Ann's boss" does.
        pieces.append(f"{text[at : slot.start]}«{name}»" + ("'s" if slot.is_possessive else ""))
        at = slot.end
    return "".join((*pieces, text[at : sentence.end])), slots


def _matches(masked: str, slots: Mapping[str, Slot]) -> Iterator[_Match]:
    """Yield the matches of all wordings, with what is listed beside an end: "Ken and Mei work at Acme"."""
    for wording in WORDINGS:
        for match in wording.pattern.finditer(masked):
            source, target = slots[match["a"]], slots[match["b"]]
            confidence = _NAMED if source.is_named and target.is_named else _BY_PRONOUN
            yield _Match(wording, source, target, confidence)
            following = _NEXT_IN_LIST.match(masked, match.end())
            if following and following[1][0] == match["b"][0]:
                yield _Match(wording, source, slots[following[1]], _LISTED)
            opens = match.start() == match.start("a") - 1  # the wording begins with its source
            preceding = _LAST_IN_LIST.search(masked[: match.start()]) if opens else None
            if preceding and preceding[1][0] == match["a"][0]:
                yield _Match(wording, slots[preceding[1]], target, _LISTED)


def _is_asserted(text: str, sentence: Sentence, match: _Match) -> bool:
    """Return whether the sentence up to the second end is neither negated nor uncertain."""
    lead = text[sentence.start : max(match.source.end, match.target.end)]
    # The last clause alone: "He may move, but Ann lives in Rome".
    lead = lead[max(lead.rfind(". "), lead.rfind("; "), lead.rfind(", but "), 0) :]
    return not _UNCERTAIN.search(lead) and not has_negation(lead, words(lead))


def _clause(text: str, sentence: Sentence, start: int, end: int) -> str:
    """Return the part of a sentence around a relation; "Co." and the like may have ended a sentence, too."""
    stops = [stop.end() for stop in _POSSIBLE_STOP.finditer(text, sentence.start, sentence.end)]
    first = max((stop for stop in stops if stop <= start), default=sentence.start)
    return text[first : min((stop for stop in stops if stop > end), default=sentence.end)]


def _relation(thought: Thought, note: ParsedNote, sentence: Sentence, match: _Match) -> ExtractedRelation:
    source, target = match.source.thing, match.target.thing
    start = min(match.source.start, match.target.start)
    end = max(match.source.end, match.target.end)
    clause = _clause(note.text, sentence, start, end)
    period = period_in(clause, note.language, calendar_at(thought.created_at), begins=match.wording.begins)
    return ExtractedRelation(
        source=source.name,
        rel_type=match.wording.rel_type,
        target=target.name,
        confidence=min(match.confidence, source.confidence, target.confidence),  # no surer than its ends
        mentions=(Provenance(thought_id=thought.id, start=start, end=end),),
        valid_from=period.start,
        valid_until=period.end,
    )
