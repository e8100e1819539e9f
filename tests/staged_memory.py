"""A memory in which something waits for review, in memory; and what extraction finds, by hand."""

from dataclasses import dataclass

from store_values import NOON, thought
from stores_in_memory import store_in_memory
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.core.graph.review.extraction_results import FoundEntity, FoundRelation
from voice.core.graph.review.staging import StageLimits
from voice.core.records import Provenance, Thought
from voice.ports.search_index import Embedder
from voice.ports.stores import WriteBatch
from voice.services.graph.moderation import Moderation
from voice.services.graph.staging import Staging
from voice.services.memory.forgotten_rows import Forgotten
from voice.services.memory.ingest import Ingest
from voice.services.retrieval.row_lookups import Names

KEY = b"k" * 32
EVERYTHING = StageLimits(entities=0.0, relations=0.0, max_nodes=None, max_edges=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(FoundEntity):
    """An entity as extraction finds it, most often a person."""

    entity_type: str = "person"
    confidence: float = 0.8
    mentions: tuple[Provenance, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEdge(FoundRelation):
    """A relation as extraction finds it, most often an acquaintance."""

    rel_type: str = "knows"
    confidence: float = 0.8
    mentions: tuple[Provenance, ...] = ()


@dataclass(frozen=True, kw_only=True)
class World:
    """What a test needs of a memory."""

    stores: SurrealStores
    staging: Staging
    moderation: Moderation
    forgotten: Forgotten


def spot(row: Thought, words: str) -> tuple[Provenance, ...]:
    """Return where `words` stand in a thought."""
    start = row.content.index(words)
    return (Provenance(thought_id=row.id, start=start, end=start + len(words)),)


async def world(*thoughts: Thought, embedder: Embedder | None = None) -> World:
    """Return a memory with these thoughts."""
    stores = await store_in_memory()
    names = Names(stores.memory, stores.graph)
    forgotten = Forgotten(tombstones=stores.ledger, key=KEY)
    ingest = Ingest(
        store=stores.memory,
        ledger=stores.ledger,
        capsules=stores.capsules,
        forgotten=forgotten,
        names=names,
        embedder=embedder or HashedEmbedder(32),
        clock=FixedClock(NOON),
        ids=CountingIds(),
    )
    await stores.memory.write(WriteBatch(rows=thoughts))
    return World(
        stores=stores,
        staging=Staging(candidates=stores.candidates, ingest=ingest),
        moderation=Moderation(candidates=stores.candidates, graph=stores.graph, names=names, ingest=ingest),
        forgotten=forgotten,
    )


ADA = thought("ada", "Ada Lund works at Kiln Co. Ada fires the kiln on Sundays.")
SECRET = thought("secret", "Ada, called Fox by few, met Cleo.", is_private=True)
PEOPLE = (
    Found(name="Ada Lund", aliases=("Ada",), mentions=spot(ADA, "Ada Lund")),
    Found(name="Kiln Co", entity_type="organisation", confidence=0.7, mentions=spot(ADA, "Kiln Co")),
)
WORKS = FoundEdge(source="Ada", rel_type="works_at", target="Kiln Co", mentions=spot(ADA, "Ada Lund works at Kiln Co"))
