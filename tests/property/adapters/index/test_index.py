"""What a search returns is what the plain definitions of cosine and BM25 say, whatever happened to the store before."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import log, sqrt

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change_feed import DIM, MODEL, ChangeFeed, ask, packed, thought, vector_of
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.query import K1, B
from voice.adapters.index.terms import query_terms, row_terms
from voice.adapters.index.top_k import SearchEffort
from voice.core.records import Table, Thought
from voice.core.retrieval.ranking import WORDS_UNIT
from voice.core.retrieval.searchable_text import indexed_text
from voice.ports.search_index import IndexQuery

WORDS = st.sampled_from(["cat", "cats", "dog", "violin", "the", "C++", "東京", "auth-bug", "Ann", "dog?", "hum " * 150])
TEXTS = st.lists(WORDS, max_size=6).map(lambda words: " ".join(words).strip())
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


def plain_own(words: float, vector: tuple[float, ...] | None, asked: tuple[float, ...]) -> float:
    cosine = 0.0 if vector is None else max(round(plain_cosine(asked, vector), 6), 0.0)
    lexical = round(words, 6)
    return 0.3 * cosine + 0.7 * lexical / (1 - lexical)


def asks(row: Thought) -> bool:
    return row.content.endswith("?")


def plain_coverage(line: Sequence[Thought], place: int, question: str) -> float:
    """What the question's words weigh that stand in a row or in a short open one near it, each counted once."""
    terms = [frozenset(row_terms(indexed_text(row, {}))) for row in line]
    around = [number for number in range(max(place - 4, 0), min(place + 5, len(line))) if number != place]
    lending = [
        number
        for number in around
        if not line[number].is_private
        and abs(line[number].created_at - line[place].created_at) <= timedelta(days=1)
        and length_of(line[number]) <= 120
    ]
    rarities: list[tuple[float, int]] = []
    for term, weight in query_terms(question):
        holders = sum(term in held for held in terms)
        rarities.append((weight * log(1 + (len(line) - holders + 0.5) / (holders + 0.5)), term))
    heaviest = sorted(rarities, key=lambda pair: -pair[0])[:16]
    held = terms[place].union(*(terms[number] for number in lending))
    return sum(rarity for rarity, term in heaviest if term in held) / WORDS_UNIT


def length_of(row: Thought) -> int:
    return sum(row_terms(indexed_text(row, {})).values())


def plain_choice(
    rows: Sequence[Thought], own: Mapping[str, float], is_matched: Mapping[str, bool], query: IndexQuery
) -> list[tuple[float, str]]:
    """Every row that matches, best first: its own score and what its neighbours, its speaker and its form add."""
    line = sorted(rows, key=lambda row: (row.created_at, row.id))
    scored: list[tuple[float, str]] = []
    for place, row in enumerate(line):
        beside = [*line[max(place - 2, 0) : place], *line[place + 1 : place + 3]]
        near = [other for other in beside if abs(other.created_at - row.created_at) <= timedelta(days=1)]
        before = line[place - 1] if place else None
        lent = [
            0.0 if other.is_private else own[other.id] * (1.5 if other is before and asks(other) else 1.0)
            for other in near
        ]
        taken = 120 / max(length_of(row), 120)
        score = own[row.id] + query.neighbour_weight * taken * max(lent, default=0.0)
        score += query.coverage_weight * taken * plain_coverage(line, place, query.text)
        score += query.speaker_weight * (row.speaker == query.speaker)
        score -= query.question_weight * asks(row) * 30 / max(length_of(row), 30)
        if is_matched[row.id] and not row.is_private:
            scored.append((-round(score, 6), row.id))
    return sorted(scored)


MANY = st.lists(st.tuples(TEXTS, st.none() | VECTORS, st.integers(0, 9), st.booleans(), st.booleans()), max_size=40)
EFFORTS = st.builds(SearchEffort, unbounded_rows=st.integers(0, 4), columns=st.integers(1, 8), probes=st.integers(1, 3))


@pytest.mark.slow
@pytest.mark.requirement("promise:8", "ruling:C1")
@settings(deadline=None, max_examples=150)
@given(
    given_rows=MANY,
    question=TEXTS,
    asked=VECTORS,
    effort=EFFORTS,
    limit=st.integers(1, 6),
    weights=st.tuples(st.sampled_from([0.0, 0.6]), st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.1])),
    fold_every=st.integers(1, 20),
)
def test_leaving_rows_out_by_their_bounds_leaves_out_no_row_that_belongs_to_the_answer(
    *,
    given_rows: Sequence[tuple[str, tuple[float, ...] | None, int, bool, bool]],
    question: str,
    asked: tuple[float, ...],
    effort: SearchEffort,
    limit: int,
    weights: tuple[float, float, float],
    fold_every: int,
) -> None:
    feed, vectors, rows = ChangeFeed(), dict[str, tuple[float, ...]](), list[Thought]()
    index = FoldedIndex(feed, None, model=MODEL, dim=DIM, effort=effort)

    async def play() -> None:
        for number, (text, vector, hours, is_private, is_said) in enumerate(given_rows):
            row = thought(f"{number * 7 % 41:02}", text, days=hours * 0.4, speaker="Ann" if is_said else "Bob")
            rows.append(replace(row, is_private=is_private))
            vectors.update({row.id: vector} if vector else {})
            await feed.put(rows[-1], vectors=[vector_of(row.id, *vector)] if vector else [])
            if number % fold_every == 0:
                await index.refresh()
        await index.refresh()

    anyio.run(play)
    query = ask(question, vector=packed(*asked), limit=limit, weights=(0.3, 0.7), speaker="Ann")
    neighbour, coverage, mere_question = weights
    query = replace(query, speaker_weight=0.12, neighbour_weight=neighbour, coverage_weight=coverage)
    query = replace(query, question_weight=mere_question)
    answer = anyio.run(index.search, query)
    words = plain_bm25(rows, question)
    own = {row.id: plain_own(words[row.id], vectors.get(row.id), asked) for row in rows}
    choice = plain_choice(rows, own, {row.id: words[row.id] > 0 or row.id in vectors for row in rows}, query)
    assert answer.matched[Table.THOUGHTS] == len(choice)
    assert len(answer.hits) == min(limit, len(choice))
    scores = {row_id: -score for score, row_id in choice}
    for hit, (best, row_id) in zip(answer.hits, choice, strict=False):
        # where two rows are as good as one another, float32 may order them either way
        assert scores[hit.row_id] == pytest.approx(-best, abs=5e-6), f"{hit.row_id} in the place of {row_id}"
    every = SearchEffort(unbounded_rows=len(rows), columns=1, probes=1)
    whole = FoldedIndex(feed, None, model=MODEL, dim=DIM, effort=every)
    again = anyio.run(whole.search, query)
    assert answer == again


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
