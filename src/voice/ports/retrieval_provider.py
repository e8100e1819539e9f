"""Finding candidates for a query, by a strategy that has a name.

Law: a provider scores in [0, 1], absolutely: a score does not depend on the limit nor on what else was found; nothing
that fails the filter is returned or counted; the order is `(-score, table, id)`; the same query over the same data with
the same `now` gives the same answer, or `is_deterministic` says that it does not. What a provider returns is asked
again whether it may be seen: a careless one cannot leak.

Source: spec retrieval-contract, Provider Contract and Custom Providers; rulings A24, C9, C20, G.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from voice.core.records import Table
from voice.core.retrieval.values import Hit, RowFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderQuery:
    """One search."""

    text: str = field(repr=False)
    """Any string."""
    filter: RowFilter
    """What may be seen: tables, scope, window, privacy, tags."""
    limit: int
    """Results per table, at least 1."""
    now: datetime
    """The instant recency is measured from."""
    exclude_ids: frozenset[str] = frozenset()
    """Rows that are shown elsewhere already: neither returned nor counted."""
    speaker: str | None = None
    """The one person the query names, if it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One row as a provider scored it."""

    hit: Hit
    """The row with its arms; a provider without arms leaves `cosine` None and `lexical` 0.0."""
    score: float
    """Relevance in [0, 1], rounded to 6 places (spec: ProviderSearchResult)."""
    rank_score: float
    """What it ranks by, before it was brought into [0, 1]; ascends with `score`."""
    boosts: tuple[tuple[str, float], ...] = ()
    """What raised it besides the arms, by name (promise 9)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """Who embedded a query, for S0's diagnostics."""

    provider: str = "none"
    """`none` when no vectors were compared."""
    model: str = "none"
    dim: int = 0
    excluded_other_model: int = 0
    """Admitted rows that the vector arm could not compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAnswer:
    """The best rows of each table, with true counts."""

    found: Sequence[Found]
    admitted: Mapping[Table, int]
    """Rows that passed the filter, before any score."""
    matched: Mapping[Table, int]
    """Rows that could have been returned, before `limit`."""
    embedding: Embedding = Embedding()


class RetrievalProvider(Protocol):
    """A named way to search one memory."""

    @property
    def name(self) -> str:
        """What it is chosen by, e.g. `local-fts`."""
        ...

    @property
    def is_deterministic(self) -> bool:
        """Whether the same query over the same data gives the same answer."""
        ...

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        """Return what was found.

        Raises:
            EmbedderUnavailable: it needs an encoder and that one failed (ruling C17).
            StoreError: its index or store failed.
        """
        ...
