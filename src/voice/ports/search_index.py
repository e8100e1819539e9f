"""The encoder, which turns text into vectors, and the search index, in step with the store by its change sequence.

Law: the index never holds truth. It remembers the last `seq` it folded, catches up, and may be thrown away (DESIGN 4).
Scores are absolute: they do not depend on the limit nor on what else matched.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from voice.core.records import Table
from voice.core.retrieval.values import Hit, RowFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """Of the rows that words choose, how those that rank best with their recency are told (S4's formula)."""

    now: datetime
    """What recency is measured from."""
    half_life_days: float
    """After so many days it is half."""
    keep: int
    """Rows of a table that are wanted, at least 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """One search over both arms."""

    filter: RowFilter
    vector: bytes | None
    """The query's little-endian float32 vector; None searches the lexical arm only."""
    text: str = field(repr=False)
    """The query's text; the index splits it into terms itself (stop words out, OR semantics)."""
    weights: tuple[float, float]
    """(vector, lexical) weights used only to choose which hits to return when there are more than `limit` per table."""
    limit: int
    """Hits returned per table."""
    speaker: str | None = None
    """Rows spoken by this person are boosted in the choice."""
    speaker_weight: float = 0.0
    """The boost (`voice.core.retrieval.ranking`)."""
    neighbour_weight: float = 0.0
    """Share of the best that the rows just before and after lend of their own scores that counts in the choice, more
    of what follows a question and less to a long row (`Hit.neighbour`); 0.0 looks at none."""
    coverage_weight: float = 0.0
    """What the question's words in a row and those around it count for together (`Hit.coverage`); 0.0 looks at none."""
    question_weight: float = 0.0
    """What a mere question loses (`Hit.asking`)."""
    fresh: Freshness | None = None
    """Leaves out hits that share no word or cannot be among the freshest `keep` of the `limit` that were chosen."""
    exclude_ids: frozenset[str] = frozenset()
    """Rows that are as if they were not admitted: never returned, never counted, and they lend nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexAnswer:
    """Hits per table, best first by (weighted score, table, id), with true counts."""

    hits: tuple[Hit, ...]
    admitted: Mapping[Table, int]
    """Rows that passed the filter, per table, before any score."""
    matched: Mapping[Table, int]
    """Rows with any lexical match or a comparable vector, per table, before `limit`."""
    excluded_other_model: int
    """Admitted rows left out of the vector arm: other model or dimension, pending or failed."""
    folded_seq: int  # the last change that it knows of


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """For `doctor` and the tests."""

    store_id: str  # another store's index is thrown away
    folded_seq: int
    rows: Mapping[Table, int]
    vectors: int
    bytes_on_disk: int
    built_at: datetime | None


Advance = Callable[[int, int], None]
"""Hears how many changes were folded, and of how many."""


def ignore_progress(done: int, total: int) -> None:
    """Hear nothing."""
    del done, total


class SearchIndex(Protocol):
    """Vectors and postings beside the store."""

    async def refresh(self) -> int:
        """Fold every change the store has that this index has not, and return the folded `seq`. Raises StoreDamaged:
        the store's `seq` is behind the index's (ruling H)."""
        ...

    async def search(self, query: IndexQuery) -> IndexAnswer:
        """Return the best rows that pass the filter; any string is a valid query."""
        ...

    async def rebuild(self, advance: Advance = ignore_progress) -> IndexStatus:
        """Throw everything away and fold the store from the start; `advance` hears how far that is."""
        ...

    async def status(self) -> IndexStatus:
        """Return counts of what is folded."""
        ...


class VerifiableIndex(SearchIndex, Protocol):
    """A search index that can be held against its store, for `doctor`."""

    async def behind(self) -> int | None:
        """Return how many changes of the store are not folded yet, and fold none; None: nothing was opened yet. Raises
        StoreDamaged: as `refresh` does."""
        ...

    async def faults(self) -> list[str]:
        """Return a sentence per way in which the index is not what the store says; empty = sound."""
        ...


class Embedder(Protocol):
    """A sentence encoder with a fixed model and dimension.

    Guarantees: the same text gives the same bytes; vectors have length 1 (up to float error) and are never zero; the
    order of results is the order of texts; nothing is fetched from a network unless the adapter's name says so.
    """

    @property
    def provider(self) -> str:
        """Who computes it, e.g. `local` or `openai`."""
        ...

    @property
    def model(self) -> str:
        """The model's name; vectors of different models are never compared (promise 5)."""
        ...

    @property
    def dim(self) -> int:
        """Numbers per vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one little-endian float32 vector per text, `4 * dim` bytes each. Raises EmbedderUnavailable."""
        ...
