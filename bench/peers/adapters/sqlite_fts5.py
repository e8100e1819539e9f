"""SQLite FTS5: its porter tokenizer over unicode61, bm25 order.

Asked two ways: the words of a query without stop words, each quoted, joined by OR (what its documentation allows for
free text); and the query as a person typed it, which is a language of its own to FTS5.
"""

import sqlite3
from collections.abc import Sequence

from bench.peers.contract import TOP_K, Item, Place, Question

_CREATE = "CREATE VIRTUAL TABLE IF NOT EXISTS memory USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')"
_ASK = "SELECT id FROM memory WHERE memory MATCH ? ORDER BY rank LIMIT ?"


class Fts5Store:
    """One database file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, items: Sequence[Item]) -> None:
        """Insert the items in one transaction."""
        with self._connection:
            rows = [(item.id, item.text) for item in items]
            self._connection.executemany("INSERT INTO memory (id, text) VALUES (?, ?)", rows)

    def ask(self, mode: str, question: Question) -> list[str]:
        """Return ids by bm25."""
        query = question.text if mode == "plain" else any_of(question.terms)
        if not query:
            return []
        return [str(row[0]) for row in self._connection.execute(_ASK, (query, TOP_K))]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def any_of(terms: Sequence[str]) -> str:
    """Return the FTS5 query for any of the terms, each a string of FTS5's own quoting."""
    return " OR ".join('"{}"'.format(term.replace('"', '""')) for term in terms)


class Fts5:
    """The peer."""

    modes: tuple[str, ...] = ("or", "plain")
    modules: tuple[str, ...] = ()
    batch = 500

    def open(self, place: Place) -> Fts5Store:
        """Open the file, with a write-ahead log as SQLite recommends for a file that is written to often."""
        connection = sqlite3.connect(place.directory / "memory.db")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(_CREATE)
        return Fts5Store(connection)


PEER = Fts5()
