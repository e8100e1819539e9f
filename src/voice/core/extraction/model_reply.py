"""Read a model's extraction reply, and keep what the notes bear out.

Law: one schema for every provider (`extract.schema.json`), and no provider is believed to keep to it. Nothing in a
reply can make this module raise: what is no object of two lists is no reply, an entry of another shape is counted
and left out, and of more entries than a call may give the rest is counted. Nothing here was held against a note yet.

What of a model's findings its notes bear out. A model may point, and adds nothing. A name is taken as it stands in the
note it was said to be in, or not at all. A relation needs both of its ends, held as named in that note, of kinds that
it can stand between, in a stretch that is located there, asks nothing and holds a word of the relation's own; between
two of one kind the one it goes out from stands first. Whether the words mean it (somebody hopes to, or does not) is for
the person to say who decides on every candidate. What does not hold is dropped and counted. A confidence that nobody
measured is the least that is enough.

Source: rulings A3, D22, F.1; spec rag-organize 2; rulings D1, F.1, F.2, C13; DESIGN 6.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast, get_args

import regex

from voice.core.extraction.relations import LETTER_OF
from voice.core.extraction.sentences import NEVER, read
from voice.core.extraction.validity import NO_PERIOD, calendar_at, period_in
from voice.core.graph.review.extraction_results import (
    ENTITY_THRESHOLDS,
    RELATION_THRESHOLD,
    SYMMETRIC,
    EntityType,
    Extracted,
    ExtractedEntity,
    ExtractedRelation,
    RelationType,
)
from voice.core.records import Provenance, Thought
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import norm_v1
from voice.core.text.prompt_injection.detection import find_instruction
from voice.core.text.sentences import sentence_spans
from voice.core.text.spans import locate
from voice.core.text.word_weights import is_common_word
from voice.core.text.words import fold_key, words

MAX_REPLY_CHARS: Final = 200_000
MAX_ENTRIES: Final = 200
"""Of each list, over all notes of a call."""
MAX_NAME_CHARS: Final = 120
MAX_SPAN_CHARS: Final = 600
MAX_ALIASES: Final = 8
_MAX_STARTS: Final = 32
ENTITY_TYPES: Final[Mapping[str, EntityType]] = {each: each for each in get_args(EntityType)}
RELATION_TYPES: Final[Mapping[str, RelationType]] = {each: each for each in get_args(RelationType)}

_TEXT: Mapping[str, object] = {"type": "string"}


def _rows(members: Mapping[str, object]) -> Mapping[str, object]:
    row = {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
    return {"type": "array", "items": row}


EXTRACT_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "entities": _rows(
            {
                "note": _TEXT,
                "name": _TEXT,
                "type": {"type": "string", "enum": list(ENTITY_TYPES)},
                "aliases": {"type": "array", "items": _TEXT},
            }
        ),
        "relations": _rows(
            {
                "note": _TEXT,
                "source": _TEXT,
                "type": {"type": "string", "enum": list(RELATION_TYPES)},
                "target": _TEXT,
                "span": _TEXT,
            }
        ),
    },
    "required": ["entities", "relations"],
    "additionalProperties": False,
}
"""What providers are asked to enforce: every key required, nothing else allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyEntity:
    """A thing that a note is said to name."""

    note: str
    """The note's id in the prompt."""
    name: str = field(repr=False)
    entity_type: EntityType
    aliases: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRelation:
    """A relation that a note is said to tell."""

    note: str
    source: str = field(repr=False)
    rel_type: RelationType
    target: str = field(repr=False)
    span: str = field(repr=False)
    """The words of the note that are said to tell it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """Everything that one reply says."""

    entities: tuple[ReplyEntity, ...] = ()
    relations: tuple[ReplyRelation, ...] = ()
    misshapen: int = 0
    """Entries that were left out for their shape or their number."""


def parse_reply(text: str) -> ModelReply | None:
    """Return what a reply says, or None where it is not the object that was asked for; never raises.

    Code fences, a leading `<think>` block and prose around the object are tolerated.
    """
    found = _object_in(text) if len(text) <= MAX_REPLY_CHARS else None
    if found is None:
        return None
    rows = [cast("Sequence[object]", found[name]) for name in ("entities", "relations")]
    entities = [_reply_entity(row) for row in rows[0][:MAX_ENTRIES]]
    relations = [_reply_relation(row) for row in rows[1][:MAX_ENTRIES]]
    kept_entities = tuple(each for each in entities if each is not None)
    kept_relations = tuple(each for each in relations if each is not None)
    misshapen = len(rows[0]) + len(rows[1]) - len(kept_entities) - len(kept_relations)
    return ModelReply(entities=kept_entities, relations=kept_relations, misshapen=misshapen)


_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)


def _object_in(text: str) -> Mapping[str, object] | None:
    """Return the first object of a reply that has both lists."""
    thinking = _THINKING.match(text)
    body = text[thinking.end() :] if thinking else text
    start = body.find("{")
    for _ in range(_MAX_STARTS):
        if start < 0:
            return None
        try:
            value = cast("object", _DECODER.raw_decode(body, start)[0])
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            found = cast("Mapping[str, object]", value)
            if all(isinstance(found.get(name), list) for name in ("entities", "relations")):
                return found
        start = body.find("{", start + 1)
    return None


def _no_number(_: str) -> None:
    """Read a number as nothing: none is wanted, and one of a million digits costs nothing then."""


_DECODER = json.JSONDecoder(parse_int=_no_number, parse_float=_no_number)


def _reply_entity(row: object) -> ReplyEntity | None:
    members = _members(row, ("note", "name", "type"))
    if members is None or members["type"] not in ENTITY_TYPES:
        return None
    aliases = cast("Mapping[str, object]", row).get("aliases", [])
    if not isinstance(aliases, list):
        return None
    others = [each for each in cast("list[object]", aliases)[:MAX_ALIASES] if isinstance(each, str)]
    short = tuple(each for each in others if len(each) <= MAX_NAME_CHARS)
    entity_type = ENTITY_TYPES[members["type"]]
    return ReplyEntity(note=members["note"], name=members["name"], entity_type=entity_type, aliases=short)


def _reply_relation(row: object) -> ReplyRelation | None:
    members = _members(row, ("note", "source", "type", "target", "span"))
    if members is None or members["type"] not in RELATION_TYPES:
        return None
    return ReplyRelation(
        note=members["note"],
        source=members["source"],
        rel_type=RELATION_TYPES[members["type"]],
        target=members["target"],
        span=members["span"],
    )


def _members(row: object, names: Sequence[str]) -> dict[str, str] | None:
    """Return the members of an entry as texts that are neither empty nor too long, or None."""
    if not isinstance(row, dict):
        return None
    held = cast("Mapping[str, object]", row)
    found = {name: value for name in names if isinstance(value := held.get(name), str) and value.strip()}
    most = {name: MAX_SPAN_CHARS if name == "span" else MAX_NAME_CHARS for name in found}
    return found if len(found) == len(names) and all(len(found[each]) <= most[each] for each in found) else None


class RelationWording(NamedTuple):
    """How a relation is told."""

    sources: frozenset[EntityType]
    targets: frozenset[EntityType]
    words: regex.Pattern[str]


def _told(ends: str, told: str) -> RelationWording:
    kinds: Mapping[str, EntityType] = {letter: kind for kind, letter in LETTER_OF.items()}
    source, target = ends.split(">")
    sources: frozenset[EntityType] = frozenset(kinds[letter] for letter in source)
    targets: frozenset[EntityType] = frozenset(kinds[letter] for letter in target)
    return RelationWording(sources, targets, late_pattern(rf"\b(?:{told})", regex.IGNORECASE))


RELATIONS: Final[Mapping[RelationType, RelationWording]] = {
    "works_at": _told(
        "P>O",
        r"work(?:s|ed|ing)?\b|employ|job\b|hired\b|joined\b|consult|teach|taught\b|intern\b|ceo\b|cto\b|cfo\b|director\b"
        r"|engineer\b|manager\b|arbeit|angestellt|trabaj|emplead",
    ),
    "works_on": _told("P>JT", r"work(?:s|ed|ing)?\b|contribut|develop|maintain|arbeitet|trabaj"),
    "works_with": _told("P>P", r"work(?:s|ed|ing)?\b|colleague|coworker|arbeitet|kolleg|trabaj"),
    "leads": _told("P>JO", r"lead(?:s|er|ing)?\b|led\b|runs\b|head(?:s|ed)?\b|manag|leitet|dirige|lidera"),
    "reports_to": _told("P>P", r"report(?:s|ed|ing)?\b|manager\b|boss\b|supervis|chef"),
    "lives_in": _told("P>L", r"liv(?:es?|ed|ing)\b|resid|moved\b|home\b|wohn|lebt|viv"),
    "comes_from": _told("P>L", r"from\b|born\b|grew\b|stammt|kommt|nació|natural"),
    "studies_at": _told("P>O", r"stud(?:y|ies|ied|ying|ent)|graduat|studiert|estudi"),
    "married_to": _told("P>P", r"marri|husband\b|wife\b|spouse\b|wedding|verheiratet|heirat|ehe|cas"),
    "partner_of": _told("P>P", r"partner\b|boyfriend|girlfriend|fianc|freund|novi[oa]"),
    "parent_of": _told(
        "P>P",
        r"mother|father|parent|mum\b|mom\b|dad\b|son\b|daughter|mutter|vater|madre|padre|hij[oa]",
    ),
    "sibling_of": _told("P>P", r"brother|sister|sibling|twin|bruder|schwester|herman[oa]"),
    "friend_of": _told("P>P", r"friend|freund|amig[oa]"),
    "member_of": _told("P>OJ", r"member|plays\b|sings\b|volunteer|mitglied|miembro"),
    "customer_of": _told("PO>O", r"customer|client|kund|cliente"),
    "founded": _told("P>OJ", r"(?:co-?)?found|started\b|gründet|fund(?:ó|a)"),
    "owns": _told("PO>OLTJ", r"own(?:s|ed|er)?\b|bought\b|acquir|gehört|besitz|posee|compró"),
    "uses": _told("POJ>T", r"us(?:es?|ed|ing)\b|runs\b|nutz|verwend|usa\b|utiliza"),
    "depends_on": _told("JT>JT", r"depend|relies\b|requires?\b|built\b|needs?\b|hängt|depende"),
    "replaces": _told("JT>JT", r"replac|instead\b|ersetzt|reemplaz|sustituy"),
    "made_by": _told("TJ>OP", r"mak(?:es?|er)\b|made\b|develop|built\b|builds\b|created?\b|entwickel|hecho"),
    "located_in": _told("OL>L", r"in\b|based\b|located|en\b"),
    "takes_place_in": _told("E>L", r"in\b|place\b|held\b|en\b"),
    "attends": _told("P>E", r"attend|went\b|spoke\b|visit|besuch|asist"),
}


_WHOLE: Final = ("exact", "normalised")
_ASKS: Final = ("?", "？", "؟")
_NAMED: Final = late_pattern(r"[\p{Lu}\p{Lt}\p{Lo}\p{Nd}]")
"""What a name has that a mere word does not: a capital, a digit, or letters that know no case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedReply:
    """What holds, and how much did not."""

    extracted: Extracted
    dropped: int


class _Ends(NamedTuple):
    source: ExtractedEntity
    target: ExtractedEntity


def verify_reply(said: ModelReply, notes: Mapping[str, Thought]) -> VerifiedReply:
    """Return what of `said` its notes bear out.

    Args:
        notes: those that were shown, by their ids in the prompt.
    """
    held: dict[tuple[str, str], ExtractedEntity] = {}
    for each in said.entities:
        entity = _entity(each, notes.get(each.note))
        if entity is not None:
            held |= {(each.note, norm_v1(name)): entity for name in (*entity.aliases, entity.name)}
    entities = list({id(each): each for each in held.values()}.values())
    relations = [_relation(each, notes.get(each.note), held) for each in said.relations]
    kept = tuple(each for each in relations if each is not None)
    offered = said.misshapen + len(said.entities) + len(said.relations)
    extracted = Extracted(entities=tuple(entities), relations=kept)
    return VerifiedReply(extracted=extracted, dropped=offered - len(entities) - len(kept))


def beside(rules: Extracted, model: Extracted) -> Extracted:
    """Return what only the model found: what the rules named, too, is of the kind that they say."""
    named = {norm_v1(name) for entity in rules.entities for name in (entity.name, *entity.aliases)}
    entities = tuple(each for each in model.entities if norm_v1(each.name) not in named)
    return Extracted(entities=entities, relations=model.relations)


def _entity(said: ReplyEntity, note: Thought | None) -> ExtractedEntity | None:
    at = _name_at(said.name, note) if note is not None else None
    if at is None or note is None:
        return None
    found = [span for alias in said.aliases if (span := _name_at(alias, note)) is not None]
    name, texts = note.content[slice(*at)], [note.content[slice(*span)] for span in found]
    return ExtractedEntity(
        name=name,
        entity_type=said.entity_type,
        aliases=tuple(alias for alias in dict.fromkeys(texts) if norm_v1(alias) != norm_v1(name)),
        confidence=ENTITY_THRESHOLDS[said.entity_type],
        mentions=tuple(Provenance(thought_id=note.id, start=a, end=b) for a, b in sorted({at, *found})),
    )


def _name_at(name: str, note: Thought) -> tuple[int, int] | None:
    """Return where a note has a name, where that is one: no order, no mere word, nothing that opens a sentence."""
    found = locate(name, note.content)
    if found.status not in _WHOLE:
        return None
    text = note.content[found.start : found.end]
    keys = [fold_key(word.text) for word in words(text)]
    opens = any(start == found.start for start, _ in sentence_spans(note.content))
    is_word = all(key in NEVER for key in keys) or (opens and len(keys) == 1 and is_common_word(keys[0]))
    if not keys or is_word or "\n" in text or not _NAMED.search(text) or find_instruction(text):
        return None
    return found.start, found.end


def _relation(
    said: ReplyRelation, note: Thought | None, held: Mapping[tuple[str, str], ExtractedEntity]
) -> ExtractedRelation | None:
    source, target = (held.get((said.note, norm_v1(name))) for name in (said.source, said.target))
    if note is None or source is None or target is None or source is target:
        return None
    span, told, ends = locate(said.span, note.content), RELATIONS[said.rel_type], _Ends(source, target)
    stretch = note.content[span.start : span.end]
    if span.status is None or not _stands_between(told, ends) or not _is_told(told, ends, stretch):
        return None
    around = _sentences_around(span.start, span.end, note)
    if around.rstrip().endswith(_ASKS) or _is_turned(said.rel_type, told, ends, stretch):
        return None
    period = period_in(around, read(note.content).language, calendar_at(note.created_at))
    return ExtractedRelation(
        source=source.name,
        rel_type=said.rel_type,
        target=target.name,
        confidence=RELATION_THRESHOLD,
        mentions=(Provenance(thought_id=note.id, start=span.start, end=span.end),),
        valid_from=None if period == NO_PERIOD else period.start,
        valid_until=None if period == NO_PERIOD else period.end,
    )


def _stands_between(told: RelationWording, ends: _Ends) -> bool:
    return ends.source.entity_type in told.sources and ends.target.entity_type in told.targets


def _is_told(told: RelationWording, ends: _Ends, stretch: str) -> bool:
    """Return whether a stretch names both ends and holds a word of the relation beside them."""
    rest = norm_v1(stretch)
    for end in ends:
        names = sorted({norm_v1(each) for each in (end.name, *end.aliases)}, key=len, reverse=True)
        there = [name for name in names if _whole(name).search(rest)]
        if not there:
            return False
        for name in there:
            rest = _whole(name).sub(" \N{WHITE SQUARE} ", rest)
    return told.words.search(rest) is not None


def _is_turned(rel_type: RelationType, told: RelationWording, ends: _Ends, stretch: str) -> bool:
    """Return whether a relation that could go either way, as its ends are of one kind, begins with its target."""
    if rel_type in SYMMETRIC or not _stands_between(told, _Ends(ends.target, ends.source)):
        return False
    source, target = (_first_place(end, stretch) for end in ends)
    return target < source


def _first_place(end: ExtractedEntity, stretch: str) -> int:
    text = norm_v1(stretch)
    found = (_whole(norm_v1(name)).search(text) for name in (end.name, *end.aliases))
    return min(match.start() for match in found if match is not None)


def _whole(name: str) -> regex.Pattern[str]:
    return late_pattern(rf"(?<!\w){regex.escape(name)}(?!\w)")


def _sentences_around(start: int, end: int, note: Thought) -> str:
    """Return the whole sentences of a stretch: what was left off at its edges ("I doubt that …") counts."""
    touched = [(left, right) for left, right in sentence_spans(note.content) if left < end and right > start]
    return note.content[min(start, touched[0][0]) : max(end, touched[-1][1])] if touched else note.content[start:end]
