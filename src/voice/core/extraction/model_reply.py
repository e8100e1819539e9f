"""Parse a model's extraction reply, and verify it against the notes.

Law: parsing never raises, whatever a provider returns: other than an object with two lists is no reply; malformed and
surplus entries are dropped and counted.

The model adds nothing to the notes: a name must be in its note as written. A relation needs both ends, of suitable
types, in a located span that is not a question and has a word of the relation; between ends of one type the source must
come first. Hopes and denials are left to the person who reviews. Confidence is unmeasured, hence the threshold.
Source: rulings A3, C13, D1, D22, F.1, F.2; spec rag-organize 2; DESIGN 6.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast, get_args

import regex

from voice.core.extraction.relations import LETTER_OF, calendar_at, period_in
from voice.core.extraction.sentences import NEVER, parse_note
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
from voice.core.grounding.draft import TEXT_SCHEMA, is_list, list_schema, object_schema, objects_in
from voice.core.records import Provenance, Thought
from voice.core.text.language_data import is_common_word
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import norm_v1
from voice.core.text.prompt_injection import find_instruction
from voice.core.text.sentences import ASKED, sentence_spans
from voice.core.text.spans import locate
from voice.core.text.words import fold_key, words

MAX_REPLY_CHARS: Final = 200_000
MAX_ENTRIES: Final = 200
"""Maximum per list and call."""
MAX_NAME_CHARS: Final = 120
MAX_SPAN_CHARS: Final = 600
MAX_ALIASES: Final = 8
ENTITY_TYPES: Final[Mapping[str, EntityType]] = {each: each for each in get_args(EntityType)}
RELATION_TYPES: Final[Mapping[str, RelationType]] = {each: each for each in get_args(RelationType)}
EXTRACT_SCHEMA: Final = object_schema(
    entities=list_schema(
        note=TEXT_SCHEMA,
        name=TEXT_SCHEMA,
        type={"type": "string", "enum": list(ENTITY_TYPES)},
        aliases={"type": "array", "items": TEXT_SCHEMA},
    ),
    relations=list_schema(
        note=TEXT_SCHEMA,
        source=TEXT_SCHEMA,
        type={"type": "string", "enum": list(RELATION_TYPES)},
        target=TEXT_SCHEMA,
        span=TEXT_SCHEMA,
    ),
)
"""Sent to providers; not trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyEntity:
    """An entity that a note is said to name."""

    note: str
    """The note's id in the prompt."""
    name: str = field(repr=False)
    entity_type: EntityType
    aliases: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRelation:
    """A relation that a note is said to state."""

    note: str
    source: str = field(repr=False)
    rel_type: RelationType
    target: str = field(repr=False)
    span: str = field(repr=False)
    """The words that are said to state it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """A parsed reply."""

    entities: tuple[ReplyEntity, ...] = ()
    relations: tuple[ReplyRelation, ...] = ()
    misshapen: int = 0
    """Dropped entries: malformed or surplus."""


def parse_reply(text: str) -> ModelReply | None:
    """Parse a reply, also in fences, prose or behind `<think>`; None if it is not the requested object."""
    found = objects_in(text, _DECODER) if len(text) <= MAX_REPLY_CHARS else ()
    reply = next((one for one in found if is_list(one.get("entities")) and is_list(one.get("relations"))), None)
    if reply is None:
        return None
    rows = [cast("Sequence[object]", reply[name]) for name in ("entities", "relations")]
    entities = tuple(entity for row in rows[0][:MAX_ENTRIES] if (entity := _reply_entity(row)) is not None)
    relations = tuple(edge for row in rows[1][:MAX_ENTRIES] if (edge := _reply_relation(row)) is not None)
    misshapen = len(rows[0]) + len(rows[1]) - len(entities) - len(relations)
    return ModelReply(entities=entities, relations=relations, misshapen=misshapen)


def _no_number(_: str) -> None:
    """Skip numbers: none is wanted, and one of a million digits would be slow to parse."""


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
    """Return the named members of an entry; None unless all are texts, neither blank nor too long."""
    if not isinstance(row, dict):
        return None
    members = cast("Mapping[str, object]", row)
    found = {name: value for name in names if isinstance(value := members.get(name), str) and value.strip()}
    limits = {name: MAX_SPAN_CHARS if name == "span" else MAX_NAME_CHARS for name in found}
    return found if len(found) == len(names) and all(len(found[each]) <= limits[each] for each in found) else None


class RelationWording(NamedTuple):
    """The types that a relation connects, and the words that state it."""

    sources: frozenset[EntityType]
    targets: frozenset[EntityType]
    words: regex.Pattern[str]


def _wording(ends: str, stems: str) -> RelationWording:
    types: Mapping[str, EntityType] = {letter: entity_type for entity_type, letter in LETTER_OF.items()}
    sources, targets = (frozenset[EntityType](types[letter] for letter in end) for end in ends.split(">"))
    return RelationWording(sources, targets, late_pattern(rf"\b(?:{stems})", regex.IGNORECASE))


RELATIONS: Final[Mapping[RelationType, RelationWording]] = {
    "works_at": _wording(
        "P>O",
        r"work(?:s|ed|ing)?\b|employ|job\b|hired\b|joined\b|consult|teach|taught\b|intern\b|ceo\b|cto\b|cfo\b|director\b"
        r"|engineer\b|manager\b|arbeit|angestellt|trabaj|emplead",
    ),
    "works_on": _wording("P>JT", r"work(?:s|ed|ing)?\b|contribut|develop|maintain|arbeitet|trabaj"),
    "works_with": _wording("P>P", r"work(?:s|ed|ing)?\b|colleague|coworker|arbeitet|kolleg|trabaj"),
    "leads": _wording("P>JO", r"lead(?:s|er|ing)?\b|led\b|runs\b|head(?:s|ed)?\b|manag|leitet|dirige|lidera"),
    "reports_to": _wording("P>P", r"report(?:s|ed|ing)?\b|manager\b|boss\b|supervis|chef"),
    "lives_in": _wording("P>L", r"liv(?:es?|ed|ing)\b|resid|moved\b|home\b|wohn|lebt|viv"),
    "comes_from": _wording("P>L", r"from\b|born\b|grew\b|stammt|kommt|nació|natural"),
    "studies_at": _wording("P>O", r"stud(?:y|ies|ied|ying|ent)|graduat|studiert|estudi"),
    "married_to": _wording("P>P", r"marri|husband\b|wife\b|spouse\b|wedding|verheiratet|heirat|ehe|cas"),
    "partner_of": _wording("P>P", r"partner\b|boyfriend|girlfriend|fianc|freund|novi[oa]"),
    "parent_of": _wording(
        "P>P", r"mother|father|parent|mum\b|mom\b|dad\b|son\b|daughter|mutter|vater|madre|padre|hij[oa]"
    ),
    "sibling_of": _wording("P>P", r"brother|sister|sibling|twin|bruder|schwester|herman[oa]"),
    "friend_of": _wording("P>P", r"friend|freund|amig[oa]"),
    "member_of": _wording("P>OJ", r"member|plays\b|sings\b|volunteer|mitglied|miembro"),
    "customer_of": _wording("PO>O", r"customer|client|kund|cliente"),
    "founded": _wording("P>OJ", r"(?:co-?)?found|started\b|gründet|fund(?:ó|a)"),
    "owns": _wording("PO>OLTJ", r"own(?:s|ed|er)?\b|bought\b|acquir|gehört|besitz|posee|compró"),
    "uses": _wording("POJ>T", r"us(?:es?|ed|ing)\b|runs\b|nutz|verwend|usa\b|utiliza"),
    "depends_on": _wording("JT>JT", r"depend|relies\b|requires?\b|built\b|needs?\b|hängt|depende"),
    "replaces": _wording("JT>JT", r"replac|instead\b|ersetzt|reemplaz|sustituy"),
    "made_by": _wording("TJ>OP", r"mak(?:es?|er)\b|made\b|develop|built\b|builds\b|created?\b|entwickel|hecho"),
    "located_in": _wording("OL>L", r"in\b|based\b|located|en\b"),
    "takes_place_in": _wording("E>L", r"in\b|place\b|held\b|en\b"),
    "attends": _wording("P>E", r"attend|went\b|spoke\b|visit|besuch|asist"),
}

_COMPLETE_MATCHES: Final = ("exact", "normalised")  # an elided or misspelt name is not as written
# A name has a capital, a digit, or letters without case.
_NAME_CHAR: Final = late_pattern(r"[\p{Lu}\p{Lt}\p{Lo}\p{Nd}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedReply:
    """What the notes support, and the number of dropped entries."""

    extracted: Extracted
    dropped: int


class _Ends(NamedTuple):
    source: ExtractedEntity
    target: ExtractedEntity


def verify_reply(reply: ModelReply, notes: Mapping[str, Thought]) -> VerifiedReply:
    """Keep what the notes support; `notes` are by their ids in the prompt."""
    by_name: dict[tuple[str, str], ExtractedEntity] = {}
    for each in reply.entities:
        entity = _entity(each, notes.get(each.note))
        if entity is not None:
            by_name |= {(each.note, norm_v1(name)): entity for name in (*entity.aliases, entity.name)}
    entities = tuple({id(each): each for each in by_name.values()}.values())
    found = (_relation(each, notes.get(each.note), by_name) for each in reply.relations)
    relations = tuple(each for each in found if each is not None)
    offered = reply.misshapen + len(reply.entities) + len(reply.relations)
    extracted = Extracted(entities=entities, relations=relations)
    return VerifiedReply(extracted=extracted, dropped=offered - len(entities) - len(relations))


def beside(rules: Extracted, model: Extracted) -> Extracted:
    """Return what only the model found; entities that the rules found keep the rules' type."""
    named = {norm_v1(name) for entity in rules.entities for name in (entity.name, *entity.aliases)}
    entities = tuple(each for each in model.entities if norm_v1(each.name) not in named)
    return Extracted(entities=entities, relations=model.relations)


def _entity(found: ReplyEntity, note: Thought | None) -> ExtractedEntity | None:
    at = _name_at(found.name, note) if note is not None else None
    if at is None or note is None:
        return None
    spans = [span for alias in found.aliases if (span := _name_at(alias, note)) is not None]
    name, texts = note.content[slice(*at)], [note.content[slice(*span)] for span in spans]
    return ExtractedEntity(
        name=name,
        entity_type=found.entity_type,
        aliases=tuple(alias for alias in dict.fromkeys(texts) if norm_v1(alias) != norm_v1(name)),
        confidence=ENTITY_THRESHOLDS[found.entity_type],  # unmeasured: just enough to be staged
        mentions=tuple(Provenance(thought_id=note.id, start=a, end=b) for a, b in sorted({at, *spans})),
    )


def _name_at(name: str, note: Thought) -> tuple[int, int] | None:
    """Return the span of a name in a note; None for an instruction, a mere word or a sentence's first word."""
    found = locate(name, note.content)
    if found.status not in _COMPLETE_MATCHES:
        return None
    text = note.content[found.start : found.end]
    keys = [fold_key(word.text) for word in words(text)]
    opens = any(start == found.start for start, _ in sentence_spans(note.content))
    is_word = all(key in NEVER for key in keys) or (opens and len(keys) == 1 and is_common_word(keys[0]))
    if not keys or is_word or "\n" in text or not _NAME_CHAR.search(text) or find_instruction(text):
        return None
    return found.start, found.end


def _relation(
    found: ReplyRelation, note: Thought | None, by_name: Mapping[tuple[str, str], ExtractedEntity]
) -> ExtractedRelation | None:
    source, target = (by_name.get((found.note, norm_v1(name))) for name in (found.source, found.target))
    if note is None or source is None or target is None or source is target:
        return None
    span, wording, ends = locate(found.span, note.content), RELATIONS[found.rel_type], _Ends(source, target)
    text = norm_v1(note.content[span.start : span.end])
    if span.status is None or not _connects(wording, ends) or not _is_stated(wording, ends, text):
        return None
    around = _sentences_around(span.start, span.end, note)
    if ASKED.search(around.rstrip()) or _is_reversed(found.rel_type, wording, ends, text):
        return None
    period = period_in(around, parse_note(note.content).language, calendar_at(note.created_at))
    return ExtractedRelation(
        source=source.name,
        rel_type=found.rel_type,
        target=target.name,
        confidence=RELATION_THRESHOLD,  # unmeasured: just enough to be staged
        mentions=(Provenance(thought_id=note.id, start=span.start, end=span.end),),
        valid_from=period.start,
        valid_until=period.end,
    )


def _connects(wording: RelationWording, ends: _Ends) -> bool:
    return ends.source.entity_type in wording.sources and ends.target.entity_type in wording.targets


def _is_stated(wording: RelationWording, ends: _Ends, text: str) -> bool:
    """Return whether a normalised text names both ends, and has a word of the relation beside them."""
    rest = text
    for end in ends:
        names = sorted({norm_v1(each) for each in (end.name, *end.aliases)}, key=len, reverse=True)
        present = [name for name in names if _whole_word(name).search(rest)]
        if not present:
            return False
        for name in present:
            rest = _whole_word(name).sub(" \N{WHITE SQUARE} ", rest)  # a name says nothing of the relation
    return wording.words.search(rest) is not None


def _is_reversed(rel_type: RelationType, wording: RelationWording, ends: _Ends, text: str) -> bool:
    """Return whether the target comes first in a relation that could hold in either direction."""

    def first_place(end: ExtractedEntity) -> int:
        found = (_whole_word(norm_v1(name)).search(text) for name in (end.name, *end.aliases))
        return min(match.start() for match in found if match is not None)  # both are there (`_is_stated`)

    if rel_type in SYMMETRIC or not _connects(wording, _Ends(ends.target, ends.source)):
        return False
    return first_place(ends.target) < first_place(ends.source)


def _whole_word(name: str) -> regex.Pattern[str]:
    return late_pattern(rf"(?<!\w){regex.escape(name)}(?!\w)")


def _sentences_around(start: int, end: int, note: Thought) -> str:
    """Return the whole sentences of a span, since its edges may have lost "I doubt that …"."""
    touched = [(left, right) for left, right in sentence_spans(note.content) if left < end and right > start]
    return note.content[min(start, touched[0][0]) : max(end, touched[-1][1])] if touched else note.content[start:end]
