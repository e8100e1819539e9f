"""The rows of a memory: thoughts, entities, observations and relations.

Law: what a row *is* is fixed when it is built; a wrong row cannot be built. Trust, privacy and tags of derived rows
follow from where they came from (ruling C10) and are computed here, once. Ids are opaque strings of the form
`<prefix>:<key>`; the prefix names the table (`TABLE_OF_PREFIX`). Instants are aware UTC datetimes.
Source: spec rag-organize 1 and 3; spec inner_voice.retrieve, Trust tier mapping; rulings A12, A13, A18, C10, F.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import ClassVar, Final, Literal, Self

from voice.core.errors import InvalidParams
from voice.core.messages import memory as messages
from voice.core.vouch import Vouch, require_vouched_spans


class Origin(StrEnum):
    """Who made a row; a closed set, set by the entrance and never by the caller (rulings A12, H)."""

    HUMAN = "human"
    LOGGED = "logged"
    TOOL = "tool"
    MODEL = "model"

    @classmethod
    def parse(cls, text: str | None) -> "Origin":
        """Return the origin named by `text`; unknown or missing is `MODEL`, never `HUMAN` (ruling A12)."""
        return cls(text) if text in cls._value2member_map_ else cls.MODEL


class TrustTier(StrEnum):
    """How far a row's origin can be trusted."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


TRUST_RANK: dict[TrustTier, int] = {TrustTier.GREEN: 2, TrustTier.AMBER: 1, TrustTier.RED: 0}  # the lowest one wins
_TIER_OF_ORIGIN = {
    Origin.HUMAN: TrustTier.GREEN,
    Origin.LOGGED: TrustTier.GREEN,
    Origin.TOOL: TrustTier.AMBER,
    Origin.MODEL: TrustTier.RED,  # what a model wrote proves nothing
}


def tier_of_origin(origin: Origin) -> TrustTier:
    """Return the trust tier of a thought (spec: inner_voice.retrieve, Trust tier mapping)."""
    return _TIER_OF_ORIGIN[origin]


class Table(StrEnum):
    """The tables whose rows can be retrieved."""

    THOUGHTS = "thoughts"
    ENTITIES = "kg_entities"
    OBSERVATIONS = "kg_observations"
    RELATIONS = "kg_relations"


PREFIX_OF_TABLE: dict[Table, str] = dict(zip(Table, ("t", "e", "o", "r"), strict=True))  # in the order of `Table`
TABLE_OF_PREFIX: dict[str, Table] = {prefix: table for table, prefix in PREFIX_OF_TABLE.items()}


def table_of(row_id: str) -> Table:
    """Return the table a row id belongs to. Raises InvalidParams: the id has no known prefix."""
    table = TABLE_OF_PREFIX.get(row_id.partition(":")[0])
    if table is None:
        raise InvalidParams(messages.NOT_A_ROW_ID)
    return table


class RowStatus(StrEnum):
    """A row's place in its life (ruling F)."""

    ACTIVE = "active"
    REMOVAL = "removal"
    SUPERSEDED = "superseded"
    REDACTED = "redacted"


LINKS_TO: Final = "links_to"
"""The type of a relation that is a link which somebody wrote."""


class EmbeddingStatus(StrEnum):
    """Whether a row's vector exists (ruling C17)."""

    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """AND-ed isolation ids; a dimension that is None is not asked for (spec: retrieval-contract, Scoping).

    On a row it says where the row belongs. On a read it filters: every dimension that is named must match, and what
    belongs to no scope comes in with `or_unscoped` alone; reading everything is `Scope.ALL` only (ruling A18).
    """

    session_id: str | None = None
    repo_id: str | None = None
    agent_id: str | None = None
    user_id: str | None = None
    everything: bool = False
    or_unscoped: bool = field(default=False, repr=False)
    """On a read: also what belongs to no scope; with no dimension named, that alone. No row has it."""

    ALL: ClassVar["Scope"]

    @property
    def names_none(self) -> bool:
        """True when no dimension is named."""
        return not any((self.session_id, self.repo_id, self.agent_id, self.user_id))

    @property
    def is_empty(self) -> bool:
        """True when nothing is named: no dimension, not everything, not what belongs to no scope."""
        return self.names_none and not self.everything and not self.or_unscoped

    def admits(self, row: "Scope") -> bool:
        """Return whether a row with scope `row` is visible to a read with this scope."""
        if self.everything or (self.or_unscoped and row.is_empty):  # a row without any dimension belongs to no scope
            return True
        wanted = (self.session_id, self.repo_id, self.agent_id, self.user_id)
        has = (row.session_id, row.repo_id, row.agent_id, row.user_id)
        # A scope that names nothing matches every row here; with `or_unscoped` it means the unscoped ones alone.
        matches = all(want is None or want == got for want, got in zip(wanted, has, strict=True))
        return matches and not (self.or_unscoped and self.names_none)


Scope.ALL = Scope(everything=True)  # only here: in its own body the class does not exist yet


YEARS: Final = range(2, 9999)
"""The years that somebody may name: every instant in them can be shown in every zone."""
OUT_OF_RANGE: Final = messages.YEAR_OUT_OF_RANGE


def require_utc(moment: datetime, what: str) -> datetime:
    """Return `moment` in UTC. Raises InvalidParams: it is naive (ruling B10), or in UTC there is no such year."""
    if moment.tzinfo is None:
        raise InvalidParams(messages.no_time_zone(what))
    try:
        return moment.astimezone(UTC)  # late on 9999-12-31 in New York is the year 10000 in UTC
    except OverflowError:
        raise InvalidParams(f"{what} {OUT_OF_RANGE}") from None


def require_instant(moment: datetime, what: str) -> datetime:
    """Return a named instant in UTC. Raises InvalidParams: it is naive, or its year is none of `YEARS`."""
    if moment.year not in YEARS:
        raise InvalidParams(f"{what} {OUT_OF_RANGE}")
    return require_utc(moment, what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Half-open code-point span of a thought's full text that a KG row rests on (rulings C13, F)."""

    thought_id: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise InvalidParams(messages.SPAN_REVERSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What every retrievable row has."""

    id: str
    created_at: datetime
    """When it was said or became true, the date a person means by "last month"; `UNDATED` where nobody told it (I2)."""
    recorded_at: datetime
    """When it entered this store; told of an undated row, and never as its date."""
    origin: Origin
    tags: tuple[str, ...] = ()
    is_private: bool = False
    scope: Scope = Scope()
    status: RowStatus = RowStatus.ACTIVE
    revision: int = 1
    seq: int = 0
    """Store-wide, strictly rising; 0 until the store has assigned it."""
    embedding_status: EmbeddingStatus = EmbeddingStatus.PENDING
    superseded_by: str | None = None
    """The row that took its place, where one did (ruling F)."""
    superseded_at: datetime | None = None
    """When it stopped being what the memory holds, replaced or gone with its note; None where that was not kept."""
    superseded_reason: str | None = None
    """Why, in the words of whoever corrected it."""
    superseded_author: Origin | None = None
    """Who corrected it; the entrance's word, as of every origin."""
    away: tuple[datetime, ...] = ()
    """When it left with its note and when it was back, by turns; in between the memory did not hold it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "created_at", require_utc(self.created_at, "created_at"))  # the class is frozen
        object.__setattr__(self, "recorded_at", require_utc(self.recorded_at, "recorded_at"))
        if self.superseded_at is not None:
            object.__setattr__(self, "superseded_at", require_utc(self.superseded_at, "superseded_at"))
        object.__setattr__(self, "away", tuple(require_utc(each, "away") for each in self.away))
        object.__setattr__(self, "tags", tuple(sorted(set(self.tags))))  # one order: equal rows give equal bytes
        if "\x00" in self.id or ":" not in self.id:  # hashes join ids with NUL; the colon parts prefix and key
            raise InvalidParams(messages.ROW_ID_SHAPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought(_Row):
    """A raw stored note. Thoughts never enter a prompt (ruling A2)."""

    content: str
    kind: str = "note"
    speaker: str | None = None
    thread: str | None = None
    source_ref: str | None = None
    """Where an import found it, e.g. `diary/2025-03-01.md#2`; makes a repeated import idempotent."""
    is_summary: bool = False
    summary_of: tuple[str, ...] = ()
    pipeline: str | None = None
    significance: float = 0.5
    access_count: int = 0
    last_accessed: datetime | None = None
    submode: str | None = None
    injected_memories: tuple[str, ...] = ()
    enriched_content: str | None = None
    injection_scale: int = 0
    framework_enhanced: bool | None = None
    framework_analysis: str | None = None
    removal_marked_at: datetime | None = None
    """When it was marked for removal; of an active thought, when it was marked before somebody took the mark away."""
    noted_by: str | None = None
    """The program that noted it, by the name it gave itself."""
    vouched: Vouch | None = None
    """None where nobody has to vouch for it: a person's own words, and what was imported."""
    vouched_at: datetime | None = None
    vouched_spans: tuple[int, ...] = ()
    unfound: tuple[str, ...] = ()
    """Files and commits that it names and that its working tree did not hold when it came in."""

    def __post_init__(self) -> None:
        _Row.__post_init__(self)  # `super()` fails here: `slots=True` makes the class a second time
        if self.vouched_at is not None:
            object.__setattr__(self, "vouched_at", require_utc(self.vouched_at, "vouched_at"))
        require_vouched_spans(self.vouched, self.vouched_spans)

    @property
    def trust(self) -> TrustTier:
        """The trust tier of its origin."""
        return tier_of_origin(self.origin)

    @property
    def is_synthesis(self) -> bool:
        """True for what the inner voice wrote itself; retrieval excludes it for ever (ruling A13)."""
        return self.is_summary or self.pipeline == "inner_voice"  # either mark is enough (ruling A13)


@dataclass(frozen=True, slots=True, kw_only=True)
class _GraphRow(_Row):
    """What every KG row has; trust is fixed when the row is built from its thoughts (ruling C10)."""

    provenance: tuple[Provenance, ...] = ()
    trust: TrustTier = TrustTier.AMBER
    confidence: float = 1.0
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(_GraphRow):
    """A node: a person, project, tool, place, organisation, event or concept."""

    name: str
    entity_type: str = "concept"
    description: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityName:
    """An entity as far as names go: what questions, sentences and files are searched for."""

    id: str
    name: str
    entity_type: str
    aliases: tuple[str, ...] = ()
    is_private: bool = False

    @classmethod
    def of(cls, entity: Entity) -> Self:
        """Return the names of `entity`."""
        return cls(
            id=entity.id,
            name=entity.name,
            entity_type=entity.entity_type,
            aliases=entity.aliases,
            is_private=entity.is_private,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(_GraphRow):
    """One self-contained statement; distilled ones are verbatim sentences of a thought (ruling A21)."""

    text: str
    entity_ids: tuple[str, ...] = ()
    speaker: str | None = None
    thread: str | None = None
    context_path: tuple[str, ...] = ()
    """Where it stands in its note, outermost first: title, headings, parent bullets (ruling I1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(_GraphRow):
    """A directed edge between two entities."""

    source_id: str
    target_id: str
    rel_type: str
    description: str = ""


Row = Thought | Entity | Observation | Relation
GraphRow = Entity | Observation | Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Inheritance:
    """What a KG row takes over from the thoughts behind it (ruling C10)."""

    is_private: bool
    tags: tuple[str, ...]
    trust: TrustTier
    scope: Scope

    @classmethod
    def of(cls, thoughts: tuple[Thought, ...], *, entered_by: Origin | None = None) -> Self:
        """Return private-if-any, the union of tags, the lowest trust and the shared scope.

        `entered_by` is the origin of a row that somebody entered or approved by hand: what a human did is green.
        Without any thought and without a human the row is amber.
        """
        tiers = [thought.trust for thought in thoughts]
        trust = min(tiers, key=TRUST_RANK.__getitem__) if tiers else TrustTier.AMBER
        if entered_by is Origin.HUMAN:  # approving is vouching (ruling C10)
            trust = TrustTier.GREEN
        scopes = {thought.scope for thought in thoughts}
        return cls(
            is_private=any(thought.is_private for thought in thoughts),
            tags=tuple(sorted({tag for thought in thoughts for tag in thought.tags})),
            trust=trust,
            scope=scopes.pop() if len(scopes) == 1 else Scope(),  # of several scopes none is the row's own
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRow:
    """A row's vector, stored apart from it; `data` is little-endian float32 (DESIGN 4)."""

    row_id: str
    model: str
    dim: int
    data: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if self.dim <= 0 or len(self.data) != 4 * self.dim:  # float32: 4 bytes a number
            raise InvalidParams(messages.vector_length(self.dim, 4 * self.dim))
        if not any(self.data):  # it has no direction, so no cosine
            raise InvalidParams(messages.ZERO_VECTOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What remains of a removed row: its id and a keyed hash (rulings F, H)."""

    row_id: str
    keyed_hash: str
    reason: Literal["forgotten", "finalised", "redacted"]
    at: datetime
    seq: int = 0
