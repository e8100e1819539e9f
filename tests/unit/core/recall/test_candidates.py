"""Which candidates of recall a re-ranker reads, by what words, and what they gain."""

import pytest

from recall_values import summary
from retrieval_rows import observation, thought
from voice.core.recall.candidates import add_rerank_gains, best_to_read, text_to_read
from voice.core.recall.disclosure import shown_row, shown_summary
from voice.core.recall.values import CandidateResult
from voice.core.retrieval.selection import BEST

pytestmark = pytest.mark.requirement("reranker:found")


def found(key: str, score: float, text: str = "said") -> CandidateResult:
    return CandidateResult(entity=shown_row(thought(key, text), text, is_private=False), score=score)


def test_the_best_are_read_best_first() -> None:
    several = [found(f"{number:02}", number / 100) for number in range(BEST + 3)]
    read = best_to_read(several)
    assert [one.score for one in read] == [number / 100 for number in reversed(range(3, BEST + 3))]


def test_a_thought_is_read_by_the_sentence_that_found_it_and_a_summary_by_its_words() -> None:
    one = found("1", 0.5, "The kiln is old. It stands in the shed.")
    assert text_to_read(one, observation("1", "It stands in the shed.")).endswith("] It stands in the shed.")
    assert text_to_read(one, thought("1", "The kiln is old.")).endswith("] The kiln is old.")
    written = CandidateResult(entity=shown_summary(summary()), score=0.5)
    assert text_to_read(written, None) == written.entity.content


def test_what_was_read_gains_and_what_was_not_keeps_its_score() -> None:
    good, bad, unread = add_rerank_gains([found("1", 0.5), found("2", 0.5), found("3", 0.5)], {"t:1": 9.0, "t:2": -9.0})
    assert good.score > bad.score > unread.score == 0.5
