"""Who is measured, what each was asked to do, and what it cannot do."""

from dataclasses import dataclass
from typing import Final

BASE: Final = "voice"
BASE_MODE: Final = "local-hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One peer as the report names it."""

    name: str
    adapter: str
    """Module under `bench.peers.adapters`."""
    packages: tuple[str, ...]
    """Whose versions the report states; `sqlite` is the library under the interpreter's own module."""
    own_environment: bool
    asked: str
    cannot: str


ROSTER: Final = (
    Entry(
        name=BASE,
        adapter="voice_itself",
        packages=("inner-voice", "surrealdb", "numpy"),
        own_environment=False,
        asked="store and index on disk, `voice retrieve` with default settings, by provider",
        cannot="",
    ),
    Entry(
        name="sqlite-fts5",
        adapter="sqlite_fts5",
        packages=("sqlite",),
        own_environment=False,
        asked="porter tokenizer, bm25; `or`: quoted words without stop words, any of them; `plain`: the query as typed",
        cannot="no vectors; a query is a language, so free text must be quoted first",
    ),
    Entry(
        name="surrealdb",
        adapter="surreal_indexes",
        packages=("surrealdb", "surrealdb-embedded"),
        own_environment=False,
        asked="embedded engine; BM25 with a snowball analyzer and @OR@, HNSW (M 12, EFC 150, ef 40), search::rrf",
        cannot="no durable memory map: the HNSW graph is read again when first asked",
    ),
    Entry(
        name="mem0",
        adapter="mem0_qdrant",
        packages=("mem0ai", "qdrant-client"),
        own_environment=True,
        asked="Memory.add(infer=False) and Memory.search over local qdrant, cosine, its own threshold of 0.1",
        cannot="no words here: its keyword arm needs a file fetched from a hub; one row at a time",
    ),
    Entry(
        name="langgraph",
        adapter="langgraph_sqlite",
        packages=("langgraph-checkpoint-sqlite", "sqlite-vec", "pysqlite3-binary"),
        own_environment=True,
        asked="SqliteStore with an embedding hook, cosine, 500 puts a batch",
        cannot="no words at all; every vector is compared in SQL",
    ),
)
