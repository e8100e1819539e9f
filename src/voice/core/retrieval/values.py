"""Values of retrieval: parameters, hits, candidates, results.

Law: scores are absolute and fixed before any limit. `score` is the cosine (ruling C20); `rank_score` is the fused
score, shown only in the explain form (ruling A9).
Source: spec inner_voice.retrieve, Parameters and Output Schema; rulings A9, A15, C2-C9, C20, E.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, NamedTuple

from voice.core.graph.row_display import Confidence
from voice.core.records import Origin, Row, Scope, Table, TrustTier, table_of
from voice.core.text.instants import has_date

LOCAL_VECTOR: Final = "local-vector"
LOCAL_FTS: Final = "local-fts"
LOCAL_HYBRID: Final = "local-hybrid"
LOCAL_PROVIDERS: Final = (LOCAL_VECTOR, LOCAL_HYBRID, LOCAL_FTS)
"""Built-in providers; packages may add others."""
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
    """Half-open UTC interval; None is an open end (ruling E)."""

    start: datetime | None = None
    end: datetime | None = None

    def admits(self, moment: datetime) -> bool:
        """Return whether `moment` is in `[start, end)`; undated moments are in no bounded window (ruling I2)."""
        if self.start is None and self.end is None:
            return True
        return (
            has_date(moment)
            and (self.start is None or self.start <= moment)
            and (self.end is None or moment < self.end)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Which rows may be seen; applied before ranking."""

    tables: frozenset[Table]
    scope: Scope = Scope.ALL
    window: Window = Window()
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    include_superseded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveParams:
    """Validated parameters of `inner_voice.retrieve` (`voice.core.retrieval.params`)."""

    query: str
    top_k: int = 10
    floor: float = 0.25
    min_floor: float = 0.15
    mix: float = 0.6
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    provider: str = LOCAL_VECTOR
    scope: Scope = Scope.ALL
    when: str | None = None
    window: Window = Window()
    """Parsed from `when` or the question; rows outside are invisible (ruling E)."""
    order: Order | None = None
    """Order of display, not of choice (ruling E)."""
    now: datetime | None = None
    """Reference for recency; None asks the clock (promise 8)."""
    speaker: str | None = None
    """The person a question names; boosts their rows in fused ranking."""
    max_candidates_per_source: int = 150
    superseded: bool = False
    """Also find superseded rows, with their successors."""
    phrases: tuple[str, ...] = ()
    """Rows without any of these are dropped, unless none has one (ruling E)."""
    lexical_only: bool = False
    """Rank without vectors; explicit, flagged in diagnostics (ruling C17)."""
    explain: bool = False
    """Report every dropped row and duplicate."""
    rerank: bool = False
    """Re-rank the best rows; the order is then by rank."""
    warnings: tuple[str, ...] = ()
    """Clamped values, in words (ruling C16)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One row as scored by an index; arm scores are absolute, rounded to 6 places."""

    row_id: str
    table: Table
    cosine: float | None
    """None without a query vector or a row vector of the active model and dimension."""
    lexical: float
    """BM25 normalised to [0, 1], independent of other hits; 0.0 without a common term."""
    neighbour: float = 0.0
    """Best share lent by the adjacent rows: more after a question, less to a long row."""
    coverage: float = 0.0
    """Weight of the question's words in the row or around it, each once."""
    asking: float = 0.0
    """1.0 for a short row that ends in a question mark, less if longer, else 0.0."""
    is_speaker: bool = False
    """Whether the query's speaker said it."""
    created_us: int | None = None
    """Creation time in µs since 1970 UTC, if the index has it; undated: before year 2."""
    says: int = 0
    """Text key (`selection_rules.text_key`) to detect duplicates before fetching; 0: unknown."""
    trust: TrustTier | None = None
    """The row's trust, if the index has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One row as scored by a retrieval provider."""

    hit: Hit
    """Providers without arms leave `cosine` None and `lexical` 0.0."""
    score: float
    """Relevance in [0, 1], rounded to 6 places (spec retrieval-contract: ProviderSearchResult)."""
    rank_score: float
    """Unbounded rank, monotonic with `score`."""
    boosts: tuple[tuple[str, float], ...] = ()
    """Named additions to the arms' scores (promise 9)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A hit with its row, not yet chosen."""

    row: Row
    text: str
    """Stored text, or a graph row's rendering (ruling C19); offsets refer to it."""
    content_hash: str
    cosine: float | None
    lexical: float
    rank_score: float
    relevance: float = 0.0
    """The provider's own score, in [0, 1]."""
    boosts: tuple[tuple[str, float], ...] = ()
    reveals_private: bool = False
    """Whether `text` contains a private edge or a private neighbour's name."""

    @property
    def is_private(self) -> bool:
        """Whether the row or anything in its text is private (ruling H)."""
        return self.row.is_private or self.reveals_private

    @property
    def table(self) -> Table:
        """The table of the row."""
        return table_of(self.row.id)

    @property
    def score(self) -> float:
        """S0's score: the cosine, 0.0 if there is none."""
        return self.cosine or 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A returned source: S0's members, plus those of the explain form."""

    id: str
    table: Table
    source_type: SourceType
    origin: Origin
    trust_tier: TrustTier
    created_at: datetime
    entered_at: datetime
    """When the row was stored; shown if it is undated."""
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
    """How reliable the row is now, if that decays."""
    context_path: tuple[str, ...] = ()
    """Titles and headings, outermost first (ruling I1)."""
    speaker: str | None = None
    thread: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A dropped candidate with the reason (promise 9)."""

    id: str
    reason: Literal["below_floor", "duplicate", "no_slot", "synthesis", "bare_name", "no_phrase"]
    score: float
    of: str | None = None
    """For a duplicate: the id that was kept."""


class PassageScore(NamedTuple):
    """The logits that a re-ranker gives a passage."""

    relevance: float
    """That it is about what the question asks."""
    answers: float | None = None
    """That it tells what the question asks; None if the re-ranker does not tell the two apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """The re-ranker, and how many rows it read."""

    name: str
    version: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """How the choice was made. The first block is S0's, the rest the explain form's."""

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
    """Rows without a vector of the current model and dimension."""
    retrieval_provider: str = LOCAL_VECTOR
    candidate_limit: int = 1
    """Rows requested per table (ruling A15)."""
    admitted: Mapping[Table, int] = field(default_factory=dict[Table, int])
    """Visible rows per searched table."""
    matched: Mapping[Table, int] = field(default_factory=dict[Table, int])
    """Matching rows per searched table, before the limit."""
    when: str | None = None
    window: Window = Window()
    """Parsed from `when` or the query (ruling E)."""
    when_unparsed: str | None = None
    """Text of the query that looks like a time but was not parsed."""
    partial: bool = False
    """Whether time ran out and the results are incomplete (ruling E)."""
    reranked: Reranked | None = None
    """The re-ranker's part; None if not used."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The chosen snippets in final order, with diagnostics."""

    snippets: tuple[Snippet, ...]
    diagnostics: Diagnostics
    dropped: tuple[Dropped, ...] = ()
    """Drops with reasons; empty unless `explain`, like `also_in` of the snippets."""
    chosen: tuple[Candidate, ...] = ()
    """The candidates of the snippets, in the same order."""
    unheld: tuple[str, ...] = ()
    """Quoted phrases that no examined row contains (ruling E)."""
