"""Who finds candidates for a query by a strategy with a name, and who orders passages by a question.

Law: a provider scores in [0, 1], absolutely: a score does not depend on the limit nor on what else was found; nothing
that fails the filter is returned or counted; the order is `(-rank_score, table, id)`, in which scores never rise; the
same query over the same data with the same `now` gives the same answer, or `is_deterministic` says that it does not.
What a provider returns is asked again whether it may be seen: a careless one cannot leak.

The re-ranker, which scores how well passages answer a question. A re-ranker sees a question and passages and returns
one score for each; what follows from the scores is decided elsewhere. When it fails, it raises: nothing is guessed in
its place.

Source: spec retrieval-contract, Provider Contract and Custom Providers; rulings A24, C9, C20, G; DESIGN 5 "Re-ranking".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from voice.core.records import Row, Table
from voice.core.retrieval.values import Found, PassageScore, RowFilter
from voice.ports.search_index import Embedder, SearchIndex
from voice.ports.system import Clock

__all__ = [
    "Embedding",
    "Found",  # of the core; providers build it
    "ProviderAnswer",
    "ProviderContext",
    "ProviderQuery",
    "RetrievalProvider",
    "RetrievalProviders",
    "RowReader",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderQuery:
    """One search."""

    text: str = field(repr=False)  # what a person asked
    filter: RowFilter
    """What may be seen: tables, scope, window, privacy, tags."""
    limit: int
    """Results per table, at least 1."""
    now: datetime
    """The instant recency is measured from."""
    exclude_ids: frozenset[str] = frozenset()
    """Rows that are shown elsewhere already: neither returned nor counted."""
    speaker: str | None = None
    within_s: float | None = None
    """How long the answer of a provider of another package is waited for; None: until it comes. One that would take
    longer may answer what it ranked by then, `is_partial`; a local one has nothing to wait for but its encoder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """Who embedded a query, for S0's diagnostics."""

    provider: str = "none"
    """`none` when no vectors were compared."""
    model: str = "none"
    dim: int = 0
    excluded_other_model: int = 0
    """Admitted rows that the vector arm could not compare."""

    def compares_none(self, admitted: Mapping[Table, int]) -> bool:
        """Return whether there are admitted rows, and not one that the vector arm could compare."""
        return 0 < sum(admitted.values()) <= self.excluded_other_model  # without rows there is nothing to miss


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAnswer:
    """The best rows of each table, with true counts."""

    found: Sequence[Found]  # one order over all tables
    admitted: Mapping[Table, int]
    """Rows that passed the filter, before any score."""
    matched: Mapping[Table, int]
    """Rows that could have been returned, before `limit`."""
    embedding: Embedding = Embedding()
    is_partial: bool = False
    """Whether time was up before everything was ranked (ruling E)."""
    by_words: bool = False
    """Whether it ranked by words although it compares vectors: none of the admitted rows has one of its encoder."""


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
        """Return what was found; never blocks, because only what awaits can be cut off (`ProviderQuery.within_s`).

        Raises:
            EmbedderUnavailable: its encoder failed (ruling C17).
            StoreError: its index or store failed.
        """
        ...


class RowReader(Protocol):
    """The rows behind the hits; for reading only."""

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        """Return the rows that exist, by id; unknown ids are absent."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderContext:
    """What a provider that another package brings is made with: the object of its entry point is called with it."""

    index: SearchIndex
    """Both arms over one memory. `refresh` it before a search, so that what was just written is found."""
    rows: RowReader
    embedder: Embedder
    clock: Clock


class RetrievalProviders(Protocol):
    """The providers that can be asked for by name: the local ones, and what is installed besides."""

    def names(self) -> tuple[str, ...]:
        """Return every name, the local ones first."""
        ...

    def named(self, name: str) -> RetrievalProvider:
        """Return the provider of that name, always the same one. Raises InvalidParams: there is none of that name; the
        message lists those there are; ConfigurationError: it is installed, but cannot be loaded."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerInfo:
    """Who scores; recorded where its scores are shown."""

    name: str
    version: str


class Reranker(Protocol):
    """One configured re-ranker."""

    @property
    def info(self) -> RerankerInfo:
        """Its name and version."""
        ...

    @property
    def remote(self) -> bool:
        """Whether what it is shown leaves this machine (private rows need their own consent then, ruling H)."""
        ...

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one score per passage, in their order, whatever else is scored: the higher, the better it answers; 0.0
        is as likely as not. Raises RerankerUnavailable: it cannot work; the message holds no text of the request."""
        ...


@runtime_checkable
class AnswerReader(Protocol):
    """A re-ranker that also tells whether a passage answers; one that cannot is a `Reranker` alone."""

    async def read_answers(self, question: str, passages: Sequence[str]) -> list[PassageScore]:
        """Return both logits of each passage, in their order; `relevance` is what `score` returns, errors too."""
        ...
