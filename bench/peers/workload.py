"""What is asked of everybody: memories, questions of four shapes, and a small memory of strings that break parsers.

Law: rows, vectors and questions are made once, here, and handed to every peer; nothing depends on chance or on a peer.
Terms are chosen by how many rows hold them: few (`rare`), a fifth (`fifth`), the most (`common`). `sentence` is a
question of the data where there is data, else a dozen words in a row's own order.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import regex

from bench.corpus import Corpus, read_corpora
from bench.corpus import Question as DataQuestion
from bench.peers.contract import Item, Question
from bench.peers.rows import invented_rows
from bench.retrieval import encoded
from voice.core.records import Origin, Thought
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.text.word_lists import is_stopword
from voice.ports.search_index import Embedder

SHAPES: Final = ("rare", "fifth", "common", "sentence")
HOSTILE: Final = "hostile"
_TERMS_PER_SHAPE: Final = 20
_SENTENCES: Final = 20
_RARE_ROWS: Final = 3
_WORD = regex.compile(r"[\p{L}\p{N}\p{M}_]+")
_LONGEST_TERMS: Final = 64
_DISTRACTORS: Final = 100

PLANTED: Final = {
    "auth-bug": "The auth-bug came back after the deploy.",
    "C++": "Rewrote the parser in C++ over the weekend.",
    "login.py": "The timeout is set in login.py, near the end.",
    'the "blue heron" sign': 'The boat has a "blue heron" sign on its bow.',
    '"heron': 'The boat has a "blue heron" sign on its bow.',
    "what's the café's name?": "The café's name is Luna, it's by the bridge.",
    "猫": "庭に猫がいる。",
    "title: draft*": "The title of the draft is still open.",
    "NOT AND OR": "Logic class was about NOT, AND and OR.",
    "'); DROP TABLE memory; --": "Bobby wrote DROP TABLE memory on the board.",
}
"""Queries with the row that each should find."""
UNPLANTED: Final = {"NUL": "a\x00b", "100 kB": "lighthouse " * 9100, "emoji": "🦊", "right to left": "\u202eabc שלום"}
"""Queries that only must not fail, by the name they are shown under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Rows for one store, and what is asked of it."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]
    evidence: tuple[frozenset[str], ...]
    """Of each question: the ids that answer it; empty where nothing is known."""
    model: str
    dim: int
    """Of all its vectors."""

    @property
    def is_hostile(self) -> bool:
        """Whether it is there for its strings and not for its figures."""
        return self.name == HOSTILE


async def data_memories(path: Path, embedder: Embedder, cache: Path | None) -> list[Memory]:
    """Return the memories of a `memory-bench/1` file, with the vectors of the encoder.

    Raises:
        DataFileError: it cannot be read, or is not such a file.
    """
    return [await _memory(corpus, embedder, cache) for corpus in read_corpora(path)]


async def invented_memory(rows: int, embedder: Embedder) -> Memory:
    """Return one memory of invented rows."""
    return await _memory(Corpus(name="invented", rows=invented_rows(rows), questions=()), embedder, None)


async def hostile_memory(embedder: Embedder, cache: Path | None) -> Memory:
    """Return a memory that holds the planted rows among others."""
    planted = list(dict.fromkeys(PLANTED.values()))
    rows = (*invented_rows(_DISTRACTORS), *(_planted(number, text) for number, text in enumerate(planted)))
    ids = {row.content: row.id for row in rows}
    asked = {query: frozenset({ids[text]}) for query, text in PLANTED.items()}
    asked |= dict.fromkeys(UNPLANTED.values(), frozenset[str]())
    return await _with_vectors(
        HOSTILE, rows, [(HOSTILE, query, found) for query, found in asked.items()], embedder, cache
    )


async def _memory(corpus: Corpus, embedder: Embedder, cache: Path | None) -> Memory:
    texts = [indexed_text(row, {}) for row in corpus.rows]
    asked = [(shape, term, frozenset[str]()) for shape, term in term_questions(texts)]
    sentences = corpus.questions or _sentences(corpus.rows)
    asked += [("sentence", question.text, question.evidence) for question in sentences]
    return await _with_vectors(corpus.name, corpus.rows, asked, embedder, cache)


async def _with_vectors(
    name: str,
    rows: Sequence[Thought],
    asked: Sequence[tuple[str, str, frozenset[str]]],
    embedder: Embedder,
    cache: Path | None,
) -> Memory:
    texts = [indexed_text(row, {}) for row in rows]
    vectors = await encoded([*texts, *(query for _, query, _ in asked)], embedder, name, cache)
    return Memory(
        name=name,
        items=tuple(_item(row, text, vectors[text]) for row, text in zip(rows, texts, strict=True)),
        questions=tuple(
            Question(shape=shape, text=query, terms=terms_of(query), vector=vectors[query]) for shape, query, _ in asked
        ),
        evidence=tuple(found for _, _, found in asked),
        model=embedder.model,
        dim=embedder.dim,
    )


def terms_of(text: str) -> tuple[str, ...]:
    """Return the words of a query in lower case, each once, without English stop words unless there are no others."""
    words = list(dict.fromkeys(match.group().casefold() for match in _WORD.finditer(text)))
    return tuple([word for word in words if not is_stopword(word, "en")] or words)[:_LONGEST_TERMS]


def term_questions(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return (shape, term) for the three shapes of one word; ties go to the alphabet."""
    held_by = Counter(term for text in texts for term in set(terms_of(text)) if len(term) > 2)
    by_name = sorted(held_by.items())
    rare = [term for term, rows in by_name if rows <= _RARE_ROWS]
    fifth = sorted(by_name, key=lambda entry: abs(entry[1] - len(texts) / 5))
    common = sorted(by_name, key=lambda entry: -entry[1])
    step = max(len(rare) // _TERMS_PER_SHAPE, 1)
    return [
        *(("rare", term) for term in rare[::step][:_TERMS_PER_SHAPE]),
        *(("fifth", term) for term, _ in fifth[: _TERMS_PER_SHAPE // 4]),
        *(("common", term) for term, _ in common[: _TERMS_PER_SHAPE // 4]),
    ]


def _sentences(rows: Sequence[Thought]) -> list[DataQuestion]:
    step = max(len(rows) // _SENTENCES, 1)
    return [
        DataQuestion(text=" ".join(row.content.split()[:12]), category="", evidence=frozenset())
        for row in rows[::step][:_SENTENCES]
    ]


def _planted(number: int, text: str) -> Thought:
    said_at = datetime(2025, 3, 1, tzinfo=UTC) + timedelta(days=number)
    return Thought(
        id=f"t:planted-{number}", created_at=said_at, recorded_at=said_at, origin=Origin.LOGGED, content=text,
        kind="note", speaker=None, thread=None,
    )  # fmt: skip


def _item(row: Thought, text: str, vector: bytes) -> Item:
    return Item(
        id=row.id,
        text=text,
        words=row.content,
        created_at=row.created_at.isoformat(),
        speaker=row.speaker,
        thread=row.thread,
        kind=row.kind,
        vector=vector,
    )


def rows_in(memories: Iterable[Memory]) -> int:
    """Return how many rows are measured."""
    return sum(len(memory.items) for memory in memories if not memory.is_hostile)
