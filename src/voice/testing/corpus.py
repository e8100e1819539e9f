"""A small memory that every condition of a read divides.

Law: made from nothing but the program's own in-memory parts: no file, no network, no model. Each condition a filter can
set (table, scope, window, privacy, tags, superseded, marked, redacted, written by the inner voice) is met by some rows
and not by others, and rows that may not be seen hold the very words that others are found by.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.index.folded import FoldedIndex
from voice.adapters.memory import transient_stores
from voice.core.errors import EmbedderUnavailable
from voice.core.records import (
    Entity,
    Observation,
    Origin,
    Relation,
    Row,
    RowStatus,
    Scope,
    Thought,
    TrustTier,
    VectorRow,
)
from voice.core.retrieval.indexed_text import indexed_text
from voice.ports.embedder import Embedder
from voice.ports.retrieval_provider import ProviderContext
from voice.ports.stores import MemoryStore, WriteBatch

NOW: Final = datetime(2026, 3, 6, 9, tzinfo=UTC)
HOME: Final = Scope(session_id="s1", repo_id="/home")
AWAY: Final = Scope(session_id="s2", repo_id="/home")
_DIM: Final = 64
_TOPICS: Final = (
    "The kiln was fired on Sunday and two of the blue vases cracked.",
    "Anna mended the roof before the autumn rain began.",
    "The login bug of the shop came from an expired token.",
    "昨日、港でログインの問題を直した。",
    "We rewrote the parser in C++ because the old one was slow.",
    "The ferry to the island leaves at nine on weekdays.",
)


@dataclass(slots=True, kw_only=True)
class StandingClock:
    """A clock that stands still."""

    at: datetime = NOW

    def now(self) -> datetime:
        """Return the one instant it knows."""
        return self.at

    def monotonic_ms(self) -> float:
        """Return no time passed."""
        return 0.0


class FailingEmbedder(HashedEmbedder):
    """An encoder that is down."""

    async def embed(self, texts: object) -> list[bytes]:
        """Fail.

        Raises:
            EmbedderUnavailable: always.
        """
        del texts
        raise EmbedderUnavailable("this encoder is down, to see what a provider makes of it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A memory with the parts a provider is made with."""

    store: MemoryStore
    embedder: Embedder
    context: ProviderContext
    rows: tuple[Row, ...]

    @classmethod
    async def make(cls, *, is_embedder_down: bool = False) -> "Corpus":
        """Return the memory, written and embedded.

        Args:
            is_embedder_down: give the provider an encoder that fails; the rows are embedded all the same.
        """
        store, embedder = transient_stores().memory, HashedEmbedder(_DIM)
        index = FoldedIndex(store, None, model=embedder.model, dim=embedder.dim)
        given = FailingEmbedder(_DIM) if is_embedder_down else embedder
        context = ProviderContext(index=index, rows=store, embedder=given, clock=StandingClock())
        corpus = cls(store=store, embedder=embedder, context=context, rows=_rows())
        await corpus.write(corpus.rows)
        return corpus

    async def write(self, rows: tuple[Row, ...]) -> None:
        """Write rows with their vectors."""
        names = {row.id: row.name for row in (*self.rows, *rows) if isinstance(row, Entity)}
        data = await self.embedder.embed([indexed_text(row, names) for row in rows])
        vectors = tuple(
            VectorRow(row_id=row.id, model=self.embedder.model, dim=self.embedder.dim, data=vector)
            for row, vector in zip(rows, data, strict=True)
        )
        await self.store.write(WriteBatch(rows=rows, vectors=vectors))


def thought(key: str, text: str, *, at: datetime = NOW) -> Thought:
    """Return a thought somebody wrote."""
    return Thought(id=f"t:{key}", created_at=at, recorded_at=at, origin=Origin.HUMAN, content=text)


def observation(key: str, text: str, *, at: datetime = NOW) -> Observation:
    """Return an observation somebody made."""
    return Observation(
        id=f"o:{key}", created_at=at, recorded_at=at, origin=Origin.HUMAN, trust=TrustTier.GREEN, text=text
    )


def _rows() -> tuple[Row, ...]:
    days = [NOW - timedelta(days=9 * number) for number in range(len(_TOPICS))]
    plain = [thought(f"plain{number}", text, at=days[number]) for number, text in enumerate(_TOPICS)]
    noted = [observation(f"plain{number}", text, at=days[number]) for number, text in enumerate(_TOPICS)]
    first = _TOPICS[0]
    hidden: list[Row] = [
        replace(thought("private", f"{first} A secret."), is_private=True),
        replace(observation("private", f"{first} A secret."), is_private=True),
        replace(thought("marked", f"{first} Marked."), status=RowStatus.REMOVAL, removal_marked_at=NOW),
        replace(observation("redacted", "[redacted]"), status=RowStatus.REDACTED),
        replace(observation("old", f"{first} Superseded."), status=RowStatus.SUPERSEDED, superseded_by="o:plain0"),
        replace(thought("said", f"{first} In short."), is_summary=True, pipeline="inner_voice"),
    ]
    placed: list[Row] = [
        replace(thought("here", f"{first} At home."), scope=HOME, tags=("work", "clay")),
        replace(observation("here", f"{first} At home."), scope=HOME, tags=("work",)),
        replace(thought("there", f"{first} Away."), scope=AWAY, tags=("draft",)),
        replace(observation("there", f"{first} Away."), scope=AWAY, tags=("work", "draft")),
    ]
    return (*plain, *noted, *hidden, *placed, *_graph())


def _graph() -> tuple[Row, ...]:
    entities = [
        Entity(
            id=f"e:{name.lower()}",
            created_at=NOW,
            recorded_at=NOW,
            origin=Origin.HUMAN,
            trust=TrustTier.GREEN,
            name=name,
            entity_type="person",
            description=about,
        )
        for name, about in (("Anna", "a roofer who fires a kiln"), ("Bo", "a potter with blue vases"))
    ]
    knows = Relation(
        id="r:knows",
        created_at=NOW,
        recorded_at=NOW,
        origin=Origin.HUMAN,
        trust=TrustTier.GREEN,
        source_id="e:anna",
        target_id="e:bo",
        rel_type="knows",
        description="from the pottery where the kiln stands",
    )
    return (*entities, knows)
