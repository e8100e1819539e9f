"""What retrieval asks, weighs and returns.

Law: scores are absolute and fixed before any limit. `score` is the cosine (spec: inner_voice.retrieve; ruling C20);
`rank_score` is the fused score and appears only in the explain form (ruling A9).

Source: spec inner_voice.retrieve, Parameters and Output Schema; rulings A9, A15, C2-C9, C20, E.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from voice.core.graph.confidence_decay import Confidence
from voice.core.records import Origin, Row, Scope, Table, TrustTier, table_of
from voice.core.text.instants import has_date

LOCAL_VECTOR: Final = "local-vector"
LOCAL_FTS: Final = "local-fts"
LOCAL_HYBRID: Final = "local-hybrid"
LOCAL_PROVIDERS: Final = (LOCAL_VECTOR, LOCAL_HYBRID, LOCAL_FTS)
"""The providers that are always there; other packages may bring more, under names of their own."""
SourceType = Literal["thought", "kg_entity", "kg_observation", "kg_relation"]
Order = Literal["created_at_desc", "created_at_asc"]

SOURCE_TYPE: dict[Table, SourceType] = {
    Table.THOUGHTS: "thought",
    Table.ENTITIES: "kg_entity",
    Table.OBSERVATIONS: "kg_observation",
    Table.RELATIONS: "kg_relation",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Half-open UTC interval; an open end is None (ruling E)."""

    start: datetime | None = None
    end: datetime | None = None

    def admits(self, moment: datetime) -> bool:
        """Return whether `moment` lies in `[start, end)`; what is undated lies in no window (ruling I2)."""
        if self.start is None and self.end is None:
            return True
        return (
            has_date(moment)
            and (self.start is None or self.start <= moment)
            and (self.end is None or moment < self.end)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Which rows may be seen at all; applied before any ranking."""

    tables: frozenset[Table]
    scope: Scope = Scope.ALL
    window: Window = Window()
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    include_superseded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveParams:
    """The parameters of `inner_voice.retrieve`, clamped and validated (`voice.core.retrieval.params`)."""

    query: str
    top_k: int = 10
    floor: float = 0.25
    min_floor: float = 0.15
    mix: float = 0.6
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    provider: str = LOCAL_VECTOR
    """Which retrieval provider searches, by name."""
    scope: Scope = Scope.ALL
    when: str | None = None
    window: Window = Window()
    """What `when` or the question itself was parsed to; rows outside are never seen (ruling E)."""
    order: Order | None = None
    """Orders what is shown, not what is chosen (ruling E)."""
    now: datetime | None = None
    """The instant recency is measured from; None asks the clock (promise 8)."""
    speaker: str | None = None
    """The person a question names; their rows are boosted where ranks are fused."""
    max_candidates_per_source: int = 150
    superseded: bool = False
    """Also find what was superseded, and with it what took its place: for asking how a view has changed."""
    phrases: tuple[str, ...] = ()
    """Rows that hold none of these are left out, unless there are none to hold (ruling E)."""
    lexical_only: bool = False
    """Rank without vectors when the embedder is down: an explicit choice, flagged in diagnostics (ruling C17)."""
    explain: bool = False
    """Give the whole account: every row that was left out, and the doubles of those that were not."""
    rerank: bool = False
    """Let a re-ranker read the best together with the question; the order is by rank then."""
    warnings: tuple[str, ...] = ()
    """What was clamped, in words (ruling C16)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One row as an index scored it; arm scores are absolute and rounded to 6 places."""

    row_id: str
    table: Table
    cosine: float | None
    """None when the row has no vector of the active model and dimension, or no query vector was given."""
    lexical: float
    """BM25 normalised to [0, 1] independently of the result list; 0.0 when no term matches."""
    neighbour: float = 0.0
    """The best that the rows just before and just after it lend of their own scores, when the query asked for it: more
    of what follows a question, and less to a long row."""
    coverage: float = 0.0
    """What the question's words weigh that stand in it or around it, each counted once, when the query asked for it."""
    asking: float = 0.0
    """How much of a mere question it is: 1.0 for a short row that ends in one, less the longer it is, else 0.0."""
    is_speaker: bool = False
    """Whether the query's speaker said it."""
    created_us: int | None = None
    """When the row was told, in microseconds UTC since 1970, where the index knows it: recency needs no row fetched. Of
    an undated row any number before the second year."""
    says: int = 0
    """The key of what the row says (`voice.core.retrieval.selection_rules`), where that is its own words alone; 0: not
    known. Doubles are told apart from it before any row is fetched."""
    trust: TrustTier | None = None
    """How far the row can be trusted, where the index knows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One row as a retrieval provider scored it."""

    hit: Hit
    """The row with its arms; a provider without arms leaves `cosine` None and `lexical` 0.0."""
    score: float
    """Relevance in [0, 1], rounded to 6 places (spec retrieval-contract: ProviderSearchResult)."""
    rank_score: float
    """What it ranks by, before it was brought into [0, 1]; ascends with `score`."""
    boosts: tuple[tuple[str, float], ...] = ()
    """What raised it besides the arms, by name (promise 9)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A hit with its row, not yet chosen."""

    row: Row
    text: str
    """The row's stored text, or a KG row's deterministic rendering (ruling C19); offsets refer to it."""
    content_hash: str
    cosine: float | None
    lexical: float
    rank_score: float
    relevance: float = 0.0
    """The provider's own score, in [0, 1]."""
    boosts: tuple[tuple[str, float], ...] = ()
    reveals_private: bool = False
    """Whether `text` says more than it would without private rows: a private edge, or a private neighbour's name."""

    @property
    def is_private(self) -> bool:
        """Whether the row is private, or anything private went into its text (ruling H)."""
        return self.row.is_private or self.reveals_private

    @property
    def table(self) -> Table:
        """The table of the row."""
        return table_of(self.row.id)

    @property
    def score(self) -> float:
        """S0's score: the cosine, 0.0 when there is none."""
        return self.cosine or 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A returned source: S0's members exactly, plus what only the explain form shows."""

    id: str
    table: Table
    source_type: SourceType
    origin: Origin
    trust_tier: TrustTier
    created_at: datetime
    entered_at: datetime
    """When the row came in; told in place of a date that nobody told."""
    text: str
    score: float
    content_hash: str
    span_start: int
    span_end: int
    rank_score: float
    lexical: float
    cosine: float | None = None
    also_in: tuple[str, ...] = ()
    boosts: tuple[tuple[str, float], ...] = ()
    confidence: Confidence | None = None
    """How sure its row was and is, where that ages."""
    context_path: tuple[str, ...] = ()
    """Where a statement stands in its note, outermost first (ruling I1)."""
    speaker: str | None = None
    thread: str | None = None
    """The conversation that it was said in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A candidate that was left out, and why (promise 9)."""

    id: str
    reason: Literal["below_floor", "duplicate", "no_slot", "synthesis", "bare_name", "no_phrase"]
    score: float
    of: str | None = None
    """For a duplicate: the id that was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """Which re-ranker read how many of the best rows."""

    name: str
    version: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """How the choice was made. The first block is S0's, exactly; the rest is the explain form's."""

    provider: str
    model: str
    dim: int
    k_req: int
    k_ret: int
    kg_candidates: int
    thought_candidates: int
    floor_used: float
    latency_ms: int = 0
    no_results: bool = False
    reason: Literal["floor_excluded_all", "no_candidates"] | None = None

    floor_kg: float = 0.0
    floor_thoughts: float = 0.0
    kg_slots: int = 0
    thought_slots: int = 0
    backfilled: int = 0
    excluded_other_model: int = 0
    """Rows left out because their vector is of another model or dimension, or not there yet."""
    retrieval_provider: str = LOCAL_VECTOR
    candidate_limit: int = 1
    """Rows of a table that the provider was asked for (ruling A15)."""
    admitted: Mapping[Table, int] = field(default_factory=dict[Table, int])
    """Rows of each searched table that may be seen, before any score."""
    matched: Mapping[Table, int] = field(default_factory=dict[Table, int])
    """Rows of each searched table that could have been returned, before the limit."""
    when: str | None = None
    window: Window = Window()
    """What `when`, or the time in the query, was understood as (ruling E)."""
    when_unparsed: str | None = None
    """What in the query sounds like a time and was not understood as one."""
    partial: bool = False
    """Time was up: what was ranked so far is returned (ruling E)."""
    reranked: Reranked | None = None
    """What was read together with the question, where that was asked for."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The chosen snippets in their final order, with the diagnostics of the choice."""

    snippets: tuple[Snippet, ...]
    diagnostics: Diagnostics
    dropped: tuple[Dropped, ...] = ()
    """What was left out, and why; empty unless the account was asked for, as `also_in` of the snippets is."""
    chosen: tuple[Candidate, ...] = ()
    """The candidates behind the snippets, in the same order."""
    unheld: tuple[str, ...] = ()
    """What is quoted and stands in nothing that was looked at (ruling E)."""
