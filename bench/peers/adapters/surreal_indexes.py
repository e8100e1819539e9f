"""SurrealDB's own indexes: BM25 full text and HNSW, in the embedded engine of its SDK, through the blocking client.

Text and vector are rows of two tables under one key: with the vector in the same row a full-text query reads it whole
and takes seven times as long. Full text is asked with `@OR@` over the words without stop words, HNSW with ef 40, and
both together with the engine's own `search::rrf`, as its documentation shows hybrid search.
"""

from array import array
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from bench.peers.contract import TOP_K, Item, Place, Question

_EF = 40
_SCHEMA = (
    "DEFINE TABLE IF NOT EXISTS memory SCHEMALESS",
    "DEFINE TABLE IF NOT EXISTS emb SCHEMALESS",
    "DEFINE ANALYZER IF NOT EXISTS english TOKENIZERS class FILTERS lowercase, ascii, snowball(english)",
    "DEFINE INDEX IF NOT EXISTS words ON memory FIELDS text FULLTEXT ANALYZER english BM25",
    "DEFINE INDEX IF NOT EXISTS near ON emb FIELDS vector HNSW DIMENSION {dim} DIST COSINE TYPE F32 EFC 150 M 12",
)
_WORDS = "SELECT row, search::score(0) AS score FROM memory WHERE text @0,OR@ $words ORDER BY score DESC LIMIT {limit}"
_NEAR = (
    "SELECT row, vector::distance::knn() AS distance FROM emb WHERE vector <|{limit},{ef}|> $vector ORDER BY distance"
)
_BOTH = "RETURN search::rrf([({words}), ({near})], {limit}, 60)"


class _Engine(Protocol):
    """The part of the blocking client that is used here."""

    def connect(self) -> None: ...
    def use(self, namespace: str, database: str) -> object: ...
    def query_raw(self, query: str, params: dict[str, object] | None = None) -> dict[str, object]: ...
    def close(self) -> None: ...


class SurrealIndexes:
    """One embedded database."""

    def __init__(self, engine: _Engine, dim: int) -> None:
        self._engine = engine
        for statement in _SCHEMA:
            self._run(statement.format(dim=dim))

    def add(self, items: Sequence[Item]) -> None:
        """Insert texts and vectors, each table with one statement; the indexes follow within it."""
        texts = [{"row": item.id, "text": item.text} for item in items]
        vectors = [{"row": item.id, "vector": floats(item.vector)} for item in items]
        self._run("INSERT INTO memory $rows RETURN NONE", {"rows": texts})
        self._run("INSERT INTO emb $rows RETURN NONE", {"rows": vectors})

    def ask(self, mode: str, question: Question) -> list[str]:
        """Return ids by score, by distance, or by the ranks of both."""
        words = _WORDS.format(limit=TOP_K)
        near = _NEAR.format(limit=TOP_K, ef=_EF)
        statement = {"fulltext": words, "hnsw": near}.get(mode) or _both()
        asked: dict[str, object] = {"words": " ".join(question.terms), "vector": floats(question.vector)}
        rows = cast("list[dict[str, object]]", self._run(statement, asked))
        return [str(row["row"]) for row in rows]

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()

    def _run(self, statement: str, params: dict[str, object] | None = None) -> object:
        response = self._engine.query_raw(statement, params or {})
        if response.get("error") is not None:
            raise RuntimeError(str(response["error"]))
        results = cast("list[dict[str, object]]", response["result"])
        for result in results:
            if result.get("status") != "OK":
                raise RuntimeError(str(result.get("result")))
        return results[-1].get("result")


def _both() -> str:
    """Return the statement for both arms; the engine joins their rows by `id`, so each arm calls its key that."""
    words = _WORDS.format(limit=3 * TOP_K).replace("SELECT row,", "SELECT row, row AS id,")
    near = _NEAR.format(limit=3 * TOP_K, ef=_EF).replace("SELECT row,", "SELECT row, row AS id,")
    return _BOTH.format(words=words, near=near, limit=TOP_K)


def floats(vector: bytes) -> list[float]:
    """Return the numbers of a vector as peers take them."""
    return array("f", vector).tolist()


class Surreal:
    """The peer."""

    modes: tuple[str, ...] = ("fulltext", "hnsw", "rrf")
    modules: tuple[str, ...] = ("surrealdb",)
    batch = 500

    def open(self, place: Place) -> SurrealIndexes:
        """Open the database there."""
        engine = cast("_Engine", import_module("surrealdb").Surreal(f"surrealkv://{place.directory / 'db'}"))
        engine.connect()
        engine.use("bench", "bench")
        return SurrealIndexes(engine, place.dim)


PEER = Surreal()
