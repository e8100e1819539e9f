"""What a search returns is what the plain definitions of cosine and BM25 say, whatever happened to the store before."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log, sqrt

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change_feed import DIM, MODEL, ChangeFeed, ask, packed, thought, vector_of
from voice.adapters.index.folded import FoldedIndex
from voice.adapters.index.scoring import K1, B
from voice.adapters.index.terms import query_terms, row_terms
from voice.core.records import Thought
from voice.core.retrieval.fusion import WORDS_UNIT
from voice.core.retrieval.indexed_text import indexed_text

WORDS = st.sampled_from(["cat", "cats", "dog", "violin", "the", "C++", "東京", "auth-bug", "Ann"])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
KEYS = st.sampled_from([f"{number}" for number in range(8)])
NUMBERS = st.integers(-3, 3).map(float)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS).filter(any)


@dataclass(frozen=True, slots=True)
class Put:
    """Write a row, perhaps with a vector."""

    key: str
    text: str
    vector: tuple[float, ...] | None
    is_private: bool


@dataclass(frozen=True, slots=True)
class Drop:
    """Leave a tombstone."""

    key: str


@dataclass(frozen=True, slots=True)
class Refresh:
    """Let the index catch up."""


Step = Put | Drop | Refresh
PUTS = st.builds(Put, KEYS, TEXTS, st.none() | VECTORS, st.booleans())
STEPS = st.lists(st.one_of(PUTS, PUTS, st.builds(Drop, KEYS), st.builds(Refresh)), max_size=25)


def plain_bm25(rows: list[Thought], question: str) -> dict[str, float]:
    """BM25 as it is written down, over all rows."""
    counts = {row.id: Counter(row_terms(indexed_text(row, {}))) for row in rows}
    mean = sum(sum(count.values()) for count in counts.values()) / max(len(rows), 1)
    scores = dict.fromkeys(counts, 0.0)
    for term, weight in query_terms(question):
        holders = sum(term in count for count in counts.values())
        idf = log(1 + (len(rows) - holders + 0.5) / (holders + 0.5))
        for row_id, count in counts.items():
            times = count[term]
            damping = K1 * (1 - B + B * sum(count.values()) / mean)
            scores[row_id] += weight * idf * (K1 + 1) * times / (times + damping) if times else 0.0
    return {row_id: score / (score + WORDS_UNIT) for row_id, score in scores.items()}


def plain_cosine(left: tuple[float, ...], right: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True)) / sqrt(
        sum(a * a for a in left) * sum(b * b for b in right)
    )


@pytest.mark.requirement("promise:8", "ruling:C1")
@settings(deadline=None, max_examples=60)
@given(steps=STEPS, question=TEXTS, asked=VECTORS)
def test_scores_are_those_of_the_plain_definitions_over_the_live_rows(
    steps: Sequence[Step], question: str, asked: tuple[float, ...]
) -> None:
    feed, vectors = ChangeFeed(), dict[str, tuple[float, ...]]()
    index = FoldedIndex(feed, None, model=MODEL, dim=DIM)

    async def play() -> None:
        for step in steps:
            match step:
                case Put(key, text, vector, is_private):
                    row = replace(thought(key, text, days=int(key)), is_private=is_private)
                    await feed.put(row)
                    if vector is not None:
                        vectors[row.id] = vector
                        await feed.put(vectors=[vector_of(row.id, *vector)])
                case Drop(key):
                    await feed.drop(f"t:{key}")
                    vectors.pop(f"t:{key}", None)
                case Refresh():
                    await index.refresh()
        await index.refresh()

    anyio.run(play)
    answer = anyio.run(index.search, ask(question, vector=packed(*asked), limit=100, weights=(0.3, 0.7)))
    rows = [row for row in feed.rows.values() if isinstance(row, Thought)]
    words = plain_bm25(rows, question)
    open_rows = {row.id for row in rows if not row.is_private}
    assert {hit.row_id for hit in answer.hits} == {
        row_id for row_id in open_rows if words[row_id] > 0 or row_id in vectors
    }
    for hit in answer.hits:
        assert hit.lexical == pytest.approx(words[hit.row_id], abs=1e-6)
        expected = plain_cosine(asked, vectors[hit.row_id]) if hit.row_id in vectors else None
        assert hit.cosine == (None if expected is None else pytest.approx(expected, abs=2e-6))


@pytest.mark.requirement("ruling:G.2a")
@settings(deadline=None, max_examples=80)
@given(st.text(max_size=300))
def test_any_string_is_a_valid_query(text: str) -> None:
    async def find() -> None:
        feed = ChangeFeed()
        await feed.put(thought("a", text), thought("b", "cat"))
        index = FoldedIndex(feed, None, model=MODEL, dim=DIM)
        found = {hit.row_id for hit in (await index.search(ask(text))).hits}
        assert "t:a" in found or not query_terms(text)

    anyio.run(find)
