"""LangGraph's SqliteStore with its vector index: puts in batches with an embedding hook, `search` by cosine.

Its vectors are an extension of SQLite. Where this Python's own `sqlite3` was built without extensions, `pysqlite3` of
the peer's environment stands in under that name, as is usual for such Pythons.
"""

import sqlite3
import sys
from array import array
from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from bench.peers.contract import TOP_K, Item, Place, Question

_NAMESPACE = ("bench",)


class _Found(Protocol):
    """One result of `search`."""

    key: str


class _SqliteStore(Protocol):
    """The part of `SqliteStore` that is used here."""

    def setup(self) -> None: ...
    def batch(self, ops: Sequence[object]) -> object: ...
    def search(self, namespace_prefix: tuple[str, ...], /, *, query: str, limit: int) -> list[_Found]: ...


class _PutOp(Protocol):
    """`langgraph.store.base.PutOp`."""

    def __call__(
        self, *, namespace: tuple[str, ...], key: str, value: dict[str, str], index: list[str] | None
    ) -> object: ...


class _Opened(NamedTuple):
    opening: AbstractContextManager[_SqliteStore]
    store: _SqliteStore


class LangGraphStore:
    """One database file."""

    def __init__(self, opened: _Opened) -> None:
        self._opening, self._store = opened
        self._store.setup()
        self._put = cast("_PutOp", import_module("langgraph.store.base").PutOp)

    def add(self, items: Sequence[Item]) -> None:
        """Put the items in one batch, with the text as the field that is embedded."""
        self._store.batch(
            [self._put(namespace=_NAMESPACE, key=item.id, value={"text": item.text}, index=["text"]) for item in items]
        )

    def ask(self, mode: str, question: Question) -> list[str]:
        """Return keys by cosine."""
        del mode
        return [found.key for found in self._store.search(_NAMESPACE, query=question.text, limit=TOP_K)]

    def close(self) -> None:
        """Close the file."""
        self._opening.__exit__(None, None, None)


class LangGraph:
    """The peer."""

    modes: tuple[str, ...] = ("search",)
    modules: tuple[str, ...] = ("langgraph.store.base",)
    batch = 500

    def open(self, place: Place) -> LangGraphStore:
        """Open the file; its hook answers with the given vectors."""

        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [array("f", place.vectors[text]).tolist() for text in texts]

        if not hasattr(sqlite3.Connection, "enable_load_extension"):
            sys.modules["sqlite3"] = import_module("pysqlite3")
        made = import_module("langgraph.store.sqlite").SqliteStore
        index = {"dims": place.dim, "embed": embed, "fields": ["text"]}
        opening = cast(
            "AbstractContextManager[_SqliteStore]",
            made.from_conn_string(str(place.directory / "store.db"), index=index),
        )
        return LangGraphStore(_Opened(opening, opening.__enter__()))


PEER = LangGraph()
