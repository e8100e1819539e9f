"""Candidates: entities and relations that wait to become rows of the graph.

Law: a candidate's id is a function of its kind, the normalised name or names in it and its type, so whatever proposes
the same thing again meets the same candidate. What a person decided stands: a rejected candidate is not proposed again,
and an edit lies over what was proposed, never in its place. What is private changes nothing of what is not. Staging
again what was staged changes nothing.

Source: rulings C10, C13, F; spec rag-organize 2.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Final, assert_never

from blake3 import blake3

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.records import Origin, Provenance, require_utc
from voice.core.text.normalise import clean_text, norm_v1

_SEPARATOR: Final = "\x1f"
"""Stands in no normalised name: `norm_v1` drops it."""
_KEY_BYTES: Final = 10
_CURSOR: Final = "~"
THING: Final = "thing"
"""The type of an entity of which nobody has said what it is."""
_SURE_OF_KIND: Final[Mapping[str, float]] = {"tool": 0.97, "place": 0.97}
"""Kind → how sure a reading must be for the entity to be called one.

Below are names that only look like one (`CamelCase`), or stand where one may stand ("using X", "in X").
"""
MAX_MENTIONS: Final = 100
"""Mentions that are kept of one candidate."""


class CandidateKind(StrEnum):
    """What a candidate would become."""

    ENTITY = "entity"
    RELATION = "relation"


class CandidateStatus(StrEnum):
    """What a person said of a candidate."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityProposal:
    """An entity as it was found or as a person put it right."""

    name: str
    entity_type: str = "concept"
    aliases: tuple[str, ...] = ()
    description: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", one_line(self.name, "an entity's name"))
        object.__setattr__(self, "entity_type", one_line(self.entity_type, "an entity's type"))
        object.__setattr__(self, "aliases", other_names(self.name, self.aliases))
        object.__setattr__(self, "description", " ".join(clean_text(self.description).split()))


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationProposal:
    """An edge between two entities by their names; an end may also be an entity's id."""

    source: str
    rel_type: str
    target: str
    description: str = ""
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", one_line(self.source, "a relation's source"))
        object.__setattr__(self, "target", one_line(self.target, "a relation's target"))
        object.__setattr__(self, "rel_type", one_line(self.rel_type, "a relation's type").replace(" ", "_"))
        object.__setattr__(self, "description", " ".join(clean_text(self.description).split()))
        for end in ("valid_from", "valid_until"):
            moment: datetime | None = getattr(self, end)
            object.__setattr__(self, end, None if moment is None else require_utc(moment, end))


Proposal = EntityProposal | RelationProposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that waits to become a row of the graph, with where it stands in the notes."""

    id: str
    proposed: Proposal
    """As it was found; the id is a function of it."""
    edited: Proposal | None = None
    """What a person made of it."""
    status: CandidateStatus = CandidateStatus.PENDING
    confidence: float
    provenance: tuple[Provenance, ...] = ()
    is_private: bool = False
    """Whether it rests on private thoughts alone, or did when a person approved or edited it."""
    staged_at: datetime
    """When it was first staged; it never changes, so a list in this order has a stable place to go on from."""
    decided_at: datetime | None = None
    decided_by: Origin | None = None
    """Who approved or rejected it; only a human's word makes a row green (ruling C10)."""
    reason: str = ""
    row_id: str | None = None
    """The row it became or was merged into."""
    revision: int = 1
    seq: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "staged_at", require_utc(self.staged_at, "staged_at"))
        if self.decided_at is not None:
            object.__setattr__(self, "decided_at", require_utc(self.decided_at, "decided_at"))
        object.__setattr__(self, "provenance", joined_spans(self.provenance))
        if self.id != candidate_id(self.proposed):
            raise InvalidParams(messages.CANDIDATE_ID)
        if self.edited is not None and type(self.edited) is not type(self.proposed):
            raise InvalidParams(messages.EDIT_CHANGES_KIND)
        if not (math.isfinite(self.confidence) and 0 <= self.confidence <= 1):
            raise InvalidParams(messages.CONFIDENCE_BOUNDS)
        if (self.row_id is not None) != (self.status is CandidateStatus.APPROVED):
            raise InvalidParams(messages.APPROVED_WITHOUT_ROW)

    @property
    def kind(self) -> CandidateKind:
        """What it would become."""
        return kind_of(self.proposed)

    @property
    def proposal(self) -> Proposal:
        """What stands to be decided: as it was edited, or else as it was found, of a kind where that is sure."""
        if self.edited is None and isinstance(self.proposed, EntityProposal):
            return of_sure_kind(self.proposed, self.confidence)
        return self.edited or self.proposed

    @property
    def mentions(self) -> int:
        """How many places it rests on; of very many the first `MAX_MENTIONS`."""
        return len(self.provenance)

    @property
    def names(self) -> tuple[str, ...]:
        """The normalised names it was found under, and those it was edited to: what it is looked up by."""
        edited = () if self.edited is None else names_of(self.edited)
        return tuple(dict.fromkeys((*names_of(self.proposed), *edited)))

    @property
    def is_undecided(self) -> bool:
        """Whether no human has said what becomes of it: it waits, or something else decided (ruling F)."""
        return self.status is CandidateStatus.PENDING or self.decided_by is not Origin.HUMAN

    @property
    def new_row_id(self) -> str:
        """The id of the row it becomes where there is none yet: the same one however often it is approved."""
        key = self.id.partition(":")[2]
        return f"e:{key}" if self.kind is CandidateKind.ENTITY else f"r:{key}"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Cursor:
    """The place behind one candidate in the order of staging."""

    staged_at: datetime
    id: str

    @classmethod
    def behind(cls, candidate: Candidate) -> "Cursor":
        """Return the place behind `candidate`; candidates that come or go elsewhere do not move it."""
        return cls(staged_at=candidate.staged_at, id=candidate.id)

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """Return the place that `text` names.

        Raises:
            InvalidParams: it is no cursor.
        """
        moment, found, candidate = text.strip().partition(_CURSOR)
        try:
            staged_at = require_utc(datetime.fromisoformat(moment), "a cursor's time")
        except (ValueError, OverflowError, InvalidParams):
            staged_at = None
        if not found or staged_at is None or not candidate.startswith("c:"):
            raise InvalidParams(messages.CURSOR_UNKNOWN)
        return cls(staged_at=staged_at, id=candidate)

    def __str__(self) -> str:
        return f"{self.staged_at.isoformat()}{_CURSOR}{self.id}"


def of_sure_kind(proposed: EntityProposal, confidence: float) -> EntityProposal:
    """Return an entity as it was found; of a kind that was read off too little it is a thing."""
    is_sure = confidence >= _SURE_OF_KIND.get(proposed.entity_type, 0.0)
    return proposed if is_sure else replace(proposed, entity_type=THING)


def undecided_among(candidates: Iterable[Candidate], thought_ids: Iterable[str]) -> dict[str, int]:
    """Return how many of the candidates rest on each of the thoughts and no human has decided; none is left out."""
    waiting = Counter(
        thought_id
        for candidate in candidates
        if candidate.is_undecided
        for thought_id in {span.thought_id for span in candidate.provenance}
    )
    return {thought_id: waiting[thought_id] for thought_id in thought_ids if waiting[thought_id]}


def is_hidden(thought_ids: Iterable[str], privacy: Mapping[str, bool]) -> bool:
    """Return whether all that is there of what something rests on is private by now.

    Args:
        privacy: of the thoughts that are there, whether each is private.
    """
    backing = [privacy[each] for each in thought_ids if each in privacy]
    return bool(backing) and all(backing)


def kind_of(proposal: Proposal) -> CandidateKind:
    """Return what `proposal` would become."""
    match proposal:
        case EntityProposal():
            return CandidateKind.ENTITY
        case RelationProposal():
            return CandidateKind.RELATION
        case _:
            assert_never(proposal)


def type_of(proposal: Proposal) -> str:
    """Return the entity's or the relation's type."""
    return proposal.entity_type if isinstance(proposal, EntityProposal) else proposal.rel_type


def names_of(proposal: Proposal) -> tuple[str, ...]:
    """Return the normalised name of an entity, or those of a relation's source and target."""
    if isinstance(proposal, EntityProposal):
        return (norm_v1(proposal.name),)
    return (norm_v1(proposal.source), norm_v1(proposal.target))


def candidate_id(proposal: Proposal) -> str:
    """Return the id of what is proposed: a hash of kind, normalised names and type (ruling F)."""
    parts = (kind_of(proposal), *names_of(proposal), norm_v1(type_of(proposal).replace("_", " ")))
    return f"c:{blake3(_SEPARATOR.join(parts).encode('utf-8', 'surrogatepass')).hexdigest(length=_KEY_BYTES)}"


def restaged(held: Candidate | None, fresh: Candidate) -> Candidate | None:
    """Return what is to be stored when `fresh` is proposed and `held` is there already; None: nothing changes.

    Mentions come together; what was rejected stays so, untouched. A mention in a private thought adds nothing to a
    candidate that is not private, and one in another takes the place of what is only private and undecided, unless a
    person edited it: then it stays private with the edit, whose words may be those of the private thought, and gets the
    mention besides. Of very many mentions the first `MAX_MENTIONS` are kept: what is named in every note must not make
    every note cost more.
    """
    fresh = _bounded((), fresh)
    if held is None:
        return fresh
    if held.status is CandidateStatus.REJECTED or (fresh.is_private and not held.is_private):
        return None
    is_untouched = held.status is CandidateStatus.PENDING and held.edited is None
    if held.is_private and not fresh.is_private and is_untouched:
        return replace(fresh, staged_at=held.staged_at, revision=held.revision + 1)
    merged = replace(
        held,
        proposed=_joined(held.proposed, fresh.proposed),
        confidence=max(held.confidence, fresh.confidence),
        provenance=_bounded(held.provenance, fresh).provenance,
    )
    return None if merged == held else replace(merged, revision=held.revision + 1)


def _bounded(held: tuple[Provenance, ...], fresh: Candidate) -> Candidate:
    """Return `fresh` resting on `held` and as many of its own mentions as there is room for besides."""
    if not held and len(fresh.provenance) <= MAX_MENTIONS:
        return fresh
    more = (span for span in fresh.provenance if span not in held)
    return replace(fresh, provenance=(*held, *islice(more, max(0, MAX_MENTIONS - len(held)))))


def joined_spans(spans: Iterable[Provenance]) -> tuple[Provenance, ...]:
    """Return the spans, each once, in one order: a list of (thought, start, end), never a comma string (ruling F)."""
    return tuple(sorted(set(spans), key=lambda span: (span.thought_id, span.start, span.end)))


def other_names(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that are not `name` itself, each once however it is written."""
    cleaned = (" ".join(clean_text(each).split()) for each in names)
    seen = {norm_v1(name): ""}
    for each in cleaned:
        if norm_v1(each):
            seen.setdefault(norm_v1(each), each)
    return tuple(found for found in seen.values() if found)


def one_line(text: str, what: str) -> str:
    """Return `text` on one line.

    Raises:
        InvalidParams: there is nothing in it that can be seen.
    """
    line = " ".join(clean_text(text).split())
    if not norm_v1(line):
        raise InvalidParams(messages.empty(what))
    return line


def _joined(held: Proposal, fresh: Proposal) -> Proposal:
    """Return what was held, with what is only in `fresh`; both are of the same names and type."""
    description = held.description or fresh.description
    if isinstance(held, EntityProposal):
        more = (fresh.name, *fresh.aliases) if isinstance(fresh, EntityProposal) else ()
        return replace(held, aliases=(*held.aliases, *more), description=description)
    if not isinstance(fresh, RelationProposal) or held.valid_from or held.valid_until:
        return replace(held, description=description)
    return replace(held, description=description, valid_from=fresh.valid_from, valid_until=fresh.valid_until)
