"""Candidates: entities and relations that await review.

Law: the id is a function of kind, normalised names and type, so repeated proposals meet. A person's decision stands:
rejected candidates are not proposed again, edits overlay proposals. Private mentions change nothing public. Restaging
is idempotent.
Source: rulings C10, C13, F; spec rag-organize 2.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from blake3 import blake3

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.records import Origin, Provenance, Thought, require_utc
from voice.core.text.normalise import clean_text, norm_v1

_SEPARATOR: Final = "\x1f"  # in no normalised name: `norm_v1` drops it
_KEY_BYTES: Final = 10  # 80 bits, so that no two proposals share an id
_CURSOR: Final = "~"  # in no ISO time and no id
THING: Final = "thing"
"""Type of an entity whose type is unknown."""
# Least confidence of a type, else a `thing`: weaker readings only look so (`CamelCase`, "using X", "in X").
_SURE_OF_KIND: Final[Mapping[str, float]] = {"tool": 0.97, "place": 0.97}
MAX_MENTIONS: Final = 100
"""Maximum mentions kept per candidate, so that a name in every note does not slow every note."""


class CandidateKind(StrEnum):
    """What a candidate would become."""

    ENTITY = "entity"
    RELATION = "relation"


class CandidateStatus(StrEnum):
    """A person's decision."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityProposal:
    """An entity as found or edited."""

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
    """An edge between entities by name or id."""

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
    """A possible graph row with its mentions."""

    id: str
    proposed: Proposal
    """As found; determines the id."""
    edited: Proposal | None = None
    """A person's edit."""
    status: CandidateStatus = CandidateStatus.PENDING
    confidence: float
    provenance: tuple[Provenance, ...] = ()
    is_private: bool = False
    """Whether all its sources are private, or were when it was decided or edited."""
    staged_at: datetime
    """First staging; immutable, so that it can serve as a cursor."""
    decided_at: datetime | None = None
    decided_by: Origin | None = None
    """Only a human's decision makes a row green (ruling C10)."""
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
        if self.id != candidate_id(self.proposed):  # one proposal, one candidate: restaging finds it
            raise InvalidParams(messages.CANDIDATE_ID)
        if self.edited is not None and type(self.edited) is not type(self.proposed):
            raise InvalidParams(messages.EDIT_CHANGES_KIND)
        if not (math.isfinite(self.confidence) and 0 <= self.confidence <= 1):
            raise InvalidParams(messages.CONFIDENCE_BOUNDS)
        if (self.row_id is not None) != (self.status is CandidateStatus.APPROVED):  # approved means it has a row
            raise InvalidParams(messages.APPROVED_WITHOUT_ROW)

    @property
    def kind(self) -> CandidateKind:
        """What it would become."""
        return kind_of(self.proposed)

    @property
    def found(self) -> Proposal:
        """The proposal without an edit: as found, with an uncertain type replaced."""
        if not isinstance(self.proposed, EntityProposal):
            return self.proposed
        is_sure = self.confidence >= _SURE_OF_KIND.get(self.proposed.entity_type, 0.0)
        return self.proposed if is_sure else replace(self.proposed, entity_type=THING)

    @property
    def proposal(self) -> Proposal:
        """The proposal to decide."""
        return self.edited or self.found

    @property
    def mentions(self) -> int:
        """Number of mentions, at most `MAX_MENTIONS`."""
        return len(self.provenance)

    @property
    def names(self) -> tuple[str, ...]:
        """Normalised names of proposal and edit, for lookup."""
        edited = () if self.edited is None else names_of(self.edited)
        return tuple(dict.fromkeys((*names_of(self.proposed), *edited)))

    @property
    def is_undecided(self) -> bool:
        """Whether no human has decided (ruling F)."""
        return self.status is CandidateStatus.PENDING or self.decided_by is not Origin.HUMAN

    @property
    def new_row_id(self) -> str:
        """The deterministic id of the row it would create."""
        key = self.id.partition(":")[2]
        return f"e:{key}" if self.kind is CandidateKind.ENTITY else f"r:{key}"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Cursor:
    """A position in staging order."""

    staged_at: datetime
    id: str

    @classmethod
    def behind(cls, candidate: Candidate) -> "Cursor":
        """Return the position after `candidate`; stable under insertions and deletions."""
        return cls(staged_at=candidate.staged_at, id=candidate.id)

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """Parse a cursor. Raises InvalidParams: malformed."""
        moment, found, candidate = text.strip().partition(_CURSOR)
        try:
            staged_at = require_utc(datetime.fromisoformat(moment), "a cursor's time")
        except (ValueError, OverflowError, InvalidParams):  # OverflowError: year 1 or 9999 with an offset
            staged_at = None
        if not found or staged_at is None or not candidate.startswith("c:"):
            raise InvalidParams(messages.CURSOR_UNKNOWN)
        return cls(staged_at=staged_at, id=candidate)

    def __str__(self) -> str:
        return f"{self.staged_at.isoformat()}{_CURSOR}{self.id}"


def undecided_among(candidates: Iterable[Candidate], thought_ids: Iterable[str]) -> dict[str, int]:
    """Count undecided candidates per thought; thoughts without any are omitted."""
    waiting = Counter(
        thought_id
        for candidate in candidates
        if candidate.is_undecided
        for thought_id in {span.thought_id for span in candidate.provenance}  # a note counts once
    )
    return {thought_id: waiting[thought_id] for thought_id in thought_ids if waiting[thought_id]}


def is_hidden(thought_ids: Iterable[str], privacy: Mapping[str, bool]) -> bool:
    """Return whether all existing sources are private. `privacy`: by id of existing thoughts."""
    backing = [privacy[each] for each in thought_ids if each in privacy]
    return bool(backing) and all(backing)


def became_private(candidate: Candidate, thoughts: Mapping[str, Thought]) -> bool:
    """Return whether all that a candidate rests on is private by now, though it was not when it was staged."""
    there = thoughts.keys() & {span.thought_id for span in candidate.provenance}
    return is_hidden(there, {each: thoughts[each].is_private for each in there})


def kind_of(proposal: Proposal) -> CandidateKind:
    """Return what `proposal` would become."""
    return CandidateKind.ENTITY if isinstance(proposal, EntityProposal) else CandidateKind.RELATION


def type_of(proposal: Proposal) -> str:
    """Return the entity's or relation's type."""
    return proposal.entity_type if isinstance(proposal, EntityProposal) else proposal.rel_type


def names_of(proposal: Proposal) -> tuple[str, ...]:
    """Return the normalised name of an entity, or of a relation's two ends."""
    if isinstance(proposal, EntityProposal):
        return (norm_v1(proposal.name),)
    return (norm_v1(proposal.source), norm_v1(proposal.target))


def candidate_id(proposal: Proposal) -> str:
    """Hash kind, normalised names and type to an id (ruling F)."""
    parts = (kind_of(proposal), *names_of(proposal), norm_v1(type_of(proposal).replace("_", " ")))
    return f"c:{blake3(_SEPARATOR.join(parts).encode('utf-8', 'surrogatepass')).hexdigest(length=_KEY_BYTES)}"


def restaged(stored: Candidate | None, fresh: Candidate) -> Candidate | None:
    """Merge a new proposal into the stored candidate; None if nothing changes.

    Rejected candidates stay unchanged. A private mention adds nothing to a public candidate; a public one replaces an
    undecided private candidate, unless it was edited: then it stays private, since the edit may quote the private
    thought.
    """
    if len(fresh.provenance) > MAX_MENTIONS:
        fresh = replace(fresh, provenance=fresh.provenance[:MAX_MENTIONS])
    if stored is None:
        return fresh
    if stored.status is CandidateStatus.REJECTED or (fresh.is_private and not stored.is_private):
        return None
    is_untouched = stored.status is CandidateStatus.PENDING and stored.edited is None
    if stored.is_private and not fresh.is_private and is_untouched:
        return replace(fresh, staged_at=stored.staged_at, revision=stored.revision + 1)
    more = [span for span in fresh.provenance if span not in stored.provenance]
    merged = replace(
        stored,
        proposed=_joined(stored.proposed, fresh.proposed),
        confidence=max(stored.confidence, fresh.confidence),
        provenance=(*stored.provenance, *more[: max(0, MAX_MENTIONS - len(stored.provenance))]),
    )
    return None if merged == stored else replace(merged, revision=stored.revision + 1)


def joined_spans(spans: Iterable[Provenance]) -> tuple[Provenance, ...]:
    """Return distinct spans, sorted by thought, start and end."""
    return tuple(sorted(set(spans), key=lambda span: (span.thought_id, span.start, span.end)))


def other_names(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct names other than `name`, compared normalised."""
    seen = {norm_v1(name): ""}  # "" marks the own name and is filtered out
    for each in names:
        line = " ".join(clean_text(each).split())
        if norm_v1(line):
            seen.setdefault(norm_v1(line), line)
    return tuple(filter(None, seen.values()))


def one_line(text: str, what: str) -> str:
    """Normalise text to one line. Raises InvalidParams: it has no visible content."""
    line = " ".join(clean_text(text).split())
    if not norm_v1(line):
        raise InvalidParams(messages.empty(what))
    return line


def _joined(stored: Proposal, fresh: Proposal) -> Proposal:
    """Merge two proposals of equal names and type."""
    description = stored.description or fresh.description
    if isinstance(stored, EntityProposal):
        more = (fresh.name, *fresh.aliases) if isinstance(fresh, EntityProposal) else ()
        return replace(stored, aliases=(*stored.aliases, *more), description=description)
    if not isinstance(fresh, RelationProposal) or stored.valid_from or stored.valid_until:
        return replace(stored, description=description)
    return replace(stored, description=description, valid_from=fresh.valid_from, valid_until=fresh.valid_until)
