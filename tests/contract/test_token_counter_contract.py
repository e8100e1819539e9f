"""What every `TokenCounter` holds to: the estimate, and a model's own vocabulary."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from bench.tokens import samples
from hypothesis import given, settings
from hypothesis import strategies as st

from voice.adapters.llm.model_facts import ModelCounter
from voice.core.token_estimates import ConservativeCounter
from voice.ports.llm import TokenCounter

COUNTERS: dict[str, Callable[[], TokenCounter]] = {
    "estimate": ConservativeCounter,
    "cl100k_base": lambda: ModelCounter("cl100k_base"),
    "o200k_base": lambda: ModelCounter("o200k_base"),
}
TEXTS = st.text(max_size=60) | st.text("abQ'sDl\n\r 12!?<>{}é学😀\u0301", max_size=60)

pytestmark = [pytest.mark.requirement("ruling:D15"), pytest.mark.parametrize("made", COUNTERS)]


def test_an_empty_text_has_no_tokens_and_every_other_one_has_some(made: str) -> None:
    counter = COUNTERS[made]()
    assert counter.count("") == 0

    @settings(max_examples=50)
    @given(TEXTS.filter(bool))
    def holds(text: str) -> None:
        assert counter.count(text) > 0

    holds()


def test_a_budget_that_holds_for_the_parts_holds_for_the_whole(made: str) -> None:
    counter = COUNTERS[made]()

    @settings(max_examples=200)
    @given(TEXTS, TEXTS)
    def holds(left: str, right: str) -> None:
        line = f"{left}\n"
        assert counter.count(line + right) <= counter.count(line) + counter.count(right)

    holds()


def test_it_has_a_name_and_counts_the_same_text_alike(made: str) -> None:
    first, second = COUNTERS[made](), COUNTERS[made]()
    assert first.name == second.name != ""
    assert [first.count(each["text"]) for each in samples()] == [second.count(each["text"]) for each in samples()]


def test_threads_that_count_at_once_count_alike(made: str) -> None:
    counter, texts = COUNTERS[made](), [each["text"] for each in samples()]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(counter.count, texts)) == [counter.count(text) for text in texts]


def test_what_is_written_like_a_special_token_or_is_no_valid_unicode_is_text(made: str) -> None:
    counter = COUNTERS[made]()
    assert counter.count("<|endoftext|>") > counter.count("a")
    assert counter.count("a\ud800b") > 0
