"""What a row and those around it cover of a question."""

from dataclasses import replace
from datetime import timedelta
from math import log

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from change_feed import DIM, MODEL, ChangeFeed, ask, thought
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.row_scores import MOST_TERMS
from voice.adapters.index.top_k import SearchEffort
from voice.core.records import Thought
from voice.core.retrieval.ranking import WORDS_UNIT
from voice.core.retrieval.values import Hit

WORDS = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
LONG = "hum " * 150


def notes(*texts: str, hours: float = 1.0) -> list[Thought]:
    first = thought("00", "")
    return [
        replace(first, id=f"t:{number:02}", content=text, created_at=first.created_at + timedelta(hours=hours * number))
        for number, text in enumerate(texts)
    ]


def hits_of(rows: list[Thought], question: str, effort: SearchEffort = SearchEffort()) -> dict[str, Hit]:  # noqa: B008 - frozen
    async def find() -> dict[str, Hit]:
        feed = ChangeFeed()
        await feed.put(*rows)
        index = FoldedIndex(feed, None, model=MODEL, dim=DIM, effort=effort)
        await index.refresh()
        query = replace(ask(question, limit=100, weights=(0.0, 1.0)), coverage_weight=0.3, question_weight=0.1)
        return {hit.row_id: hit for hit in (await index.search(query)).hits}

    return anyio.run(find)


def rarity(holders: int, rows: int) -> float:
    return log(1 + (rows - holders + 0.5) / (holders + 0.5))


def test_a_word_said_up_to_four_rows_away_counts_once_and_as_its_own() -> None:
    found = hits_of(notes("violin", "x", "violin", "x", "concert", "x", "x", "concert"), "violin concert")
    both = 2 * rarity(2, 8) / WORDS_UNIT
    assert found["t:04"].coverage == found["t:00"].coverage == pytest.approx(both, abs=1e-6)
    assert found["t:07"].coverage == pytest.approx(both / 2, abs=1e-6)


@pytest.mark.parametrize(
    "beside",
    [
        replace(notes("x", "concert")[1], is_private=True),
        notes("x", f"concert {LONG}")[1],
        replace(notes("x", "concert")[1], created_at=notes("x")[0].created_at + timedelta(days=1, seconds=1)),
    ],
    ids=["private", "long", "a day later"],
)
def test_what_is_not_admitted_long_or_far_in_time_lends_no_words(beside: Thought) -> None:
    violin, near = notes("violin", "concert")
    alone = hits_of([violin, beside], "violin concert")["t:00"].coverage
    lent = hits_of([violin, near], "violin concert")["t:00"].coverage
    assert alone < lent == pytest.approx(2 * rarity(1, 2) / WORDS_UNIT, abs=1e-6)


def test_a_long_row_takes_less_of_what_is_covered() -> None:
    short, long = (hits_of(notes(text, "concert"), "violin concert")["t:00"] for text in ("violin", f"violin {LONG}"))
    assert 0.0 < long.coverage < short.coverage


def test_only_the_terms_that_weigh_most_count() -> None:
    rows = notes(" ".join(WORDS), WORDS[0], *["x"] * 30, hours=48.0)
    (whole, _) = hits_of(rows, " ".join(WORDS)).values()
    assert whole.coverage == pytest.approx(MOST_TERMS * rarity(1, 32) / WORDS_UNIT, abs=1e-6)


def test_a_mere_question_is_marked_down_the_less_the_longer_it_is() -> None:
    texts = ("violin?", f"violin {'hum ' * 50}?", "violin.")
    short, longer, told = (hits_of(notes(text), "violin")["t:00"].asking for text in texts)
    assert (short, told) == (1.0, 0.0)
    assert 0.0 < longer < 1.0


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join), min_size=2, max_size=40),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=26, unique=True).map(" ".join),
)
def test_the_coverage_of_a_row_does_not_depend_on_how_much_is_looked_at(texts: list[str], question: str) -> None:
    rows = notes(*texts)
    few = SearchEffort(unbounded_rows=0, columns=2, probes=1)
    assert hits_of(rows, question, few) == hits_of(rows, question)
