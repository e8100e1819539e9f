"""Which candidates of recall a re-ranker reads, by what words, and what they gain.

Which summaries are read for a query, and how much of them.
What of a result fits as a door renders it.
"""

from dataclasses import replace
from datetime import timedelta

import pytest

from recall_doubles import recall_over, recalled
from recall_rows import BUG, KILN, pinned, said
from recall_values import summary
from retrieval_doubles import NOW
from retrieval_rows import observation, thought
from voice.core.recall.candidates import (
    DISTRUST,
    READ_CHARS,
    ShownRows,
    best_to_read,
    ranked,
    reread,
    text_to_read,
    weighed_summaries,
)
from voice.core.recall.disclosure import shown_row, shown_summary
from voice.core.recall.params import fit_rendered
from voice.core.recall.values import CandidateResult, RecallParams, RecallResult, Summary
from voice.core.records import Origin, Scope, TrustTier
from voice.core.retrieval.reranking import BEST
from voice.core.retrieval.values import Window


def found(key: str, score: float, text: str = "said") -> CandidateResult:
    return CandidateResult(entity=shown_row(thought(key, text), text, is_private=False), score=score)


@pytest.mark.requirement("reranker:found")
def test_the_best_are_read_best_first() -> None:
    several = [found(f"{number:02}", number / 100) for number in range(BEST + 3)]
    read = best_to_read(several)
    assert [one.score for one in read] == [number / 100 for number in reversed(range(3, BEST + 3))]


@pytest.mark.requirement("reranker:found")
def test_a_thought_is_read_by_the_sentence_that_found_it_and_a_summary_by_its_words() -> None:
    one = found("1", 0.5, "The kiln is old. It stands in the shed.")
    assert text_to_read(one, observation("1", "It stands in the shed.")).endswith("] It stands in the shed.")
    assert text_to_read(one, thought("1", "The kiln is old.")).endswith("] The kiln is old.")
    written = CandidateResult(entity=shown_summary(summary()), score=0.5)
    assert text_to_read(written, None) == written.entity.content


@pytest.mark.requirement("reranker:found")
def test_what_was_read_gains_and_what_was_not_keeps_its_score() -> None:
    good, bad, unread = reread([found("1", 0.5), found("2", 0.5), found("3", 0.5)], {"t:1": 9.0, "t:2": -9.0})
    assert good.score > bad.score > unread.score == 0.5


PARAMS = RecallParams(query="kiln", scope=Scope.ALL, now=NOW)
BIG = "The kiln is hot. " * 470


def written(key: str, content: str, **members: object) -> Summary:
    return summary(f"c:{key}", **{"content": content, "created_at": NOW, **members})


def read(*summaries: Summary, params: RecallParams = PARAMS) -> tuple[list[str], int]:
    weighed, unread = weighed_summaries(summaries, params)
    return [each.summary.id for each in weighed], unread


def test_a_summary_without_a_word_of_the_query_is_not_weighed() -> None:
    assert read(written("1", "The kiln is hot."), written("2", "The ferry is late.")) == (["m:c:1"], 0)


@pytest.mark.requirement("ruling:H.5", "ruling:A22")
def test_what_may_not_be_seen_is_not_read() -> None:
    secret, old = written("1", BIG, is_private=True), written("2", BIG, created_at=NOW - timedelta(days=9))
    today = replace(PARAMS, window=Window(start=NOW - timedelta(days=1), end=None))
    assert read(secret, old, params=today) == ([], 0)
    assert read(secret, old, params=replace(PARAMS, include_private=True)) == (["m:c:1", "m:c:2"], 0)


@pytest.mark.requirement("ruling:G.2g")
def test_what_is_too_much_to_read_is_counted() -> None:
    fitting = READ_CHARS // len(BIG)
    found, unread = read(*(written(f"{n:03}", BIG) for n in range(fitting + 5)))
    assert (len(found), found[0], unread) == (fitting, "m:c:000", 5)


LONG = said("long", "The authentication bug, told at length. " * 30)
SHORT = said("short", "An authentication bug.")
PINNED = [pinned("1", "t:kiln")]


def length(result: RecallResult) -> int:
    """Return ten tokens for each pin and candidate, one for each ten characters, and what the counts in it take."""
    shown = [*(pin.target for pin in result.pins), *(one.entity for one in result.candidates)]
    return sum(10 + len(each.content) // 10 for each in shown) + len(str(result.provenance.tokens_used))


def found_of_budget() -> RecallResult:
    return recalled(recall_over([BUG, KILN, LONG, SHORT], pins=PINNED), "authentication bug")


@pytest.mark.requirement("ruling:J1")
def test_everything_fits_into_enough() -> None:
    whole = found_of_budget()
    made = fit_rendered(whole, budget=10_000, measure=length)
    assert made.candidates == whole.candidates
    assert made.provenance.tokens_used == length(replace(made, provenance=replace(made.provenance, tokens_used=10_000)))
    assert (made.provenance.returned_candidates, made.provenance.dropped_by_budget) == (3, 0)
    assert not made.provenance.truncated_due_to_token_budget


@pytest.mark.requirement("ruling:J1", "ruling:D14")
def test_what_does_not_fit_is_skipped_and_the_next_smaller_one_tried() -> None:
    made = fit_rendered(found_of_budget(), budget=50, measure=length)
    assert {one.entity.id for one in made.candidates} == {"t:bug", "t:short"}
    assert length(made) <= made.provenance.tokens_used <= 50
    told = made.provenance
    assert (told.returned_candidates, told.dropped_by_budget, told.token_budget) == (2, 1, 50)
    assert told.truncated_due_to_token_budget


@pytest.mark.requirement("ruling:J1", "ruling:A17")
def test_pins_are_never_cut_and_by_how_much_they_are_over_is_said() -> None:
    made = fit_rendered(found_of_budget(), budget=5, measure=length)
    assert ([pin.target.id for pin in made.pins], made.candidates) == (["t:kiln"], ())
    assert made.provenance.over_budget_by == made.provenance.tokens_used - 5
    assert made.provenance.tokens_used > 5


@pytest.mark.requirement("ruling:J1", "s4:result:candidates")
def test_a_service_that_is_told_how_a_result_is_rendered_bounds_that() -> None:
    service = recall_over([BUG, KILN, LONG, SHORT], pins=PINNED)
    bounded = recalled(service, "authentication bug", token_budget=50, measure=length)
    assert {one.entity.id for one in bounded.candidates} == {"t:bug", "t:short"}
    assert bounded.provenance.dropped_by_budget == 1
    unbounded = recalled(service, "authentication bug", measure=length)
    assert len(unbounded.candidates) == 3


def candidate(key: str, score: float, trust: TrustTier) -> CandidateResult:
    origin = {TrustTier.GREEN: Origin.HUMAN, TrustTier.AMBER: Origin.TOOL, TrustTier.RED: Origin.MODEL}[trust]
    row = said(key, f"What {key} says.", origin=origin)
    (one,) = recalled(recall_over([row]), f"What {key} says").candidates
    assert one.entity.trust is trust
    return replace(one, score=score)


@pytest.mark.requirement("ruling:J1:trust")
def test_among_equals_trust_goes_before_nearness() -> None:
    near = DISTRUST[TrustTier.AMBER]
    tool, person = candidate("a", 0.7, TrustTier.AMBER), candidate("b", 0.7 - near / 2, TrustTier.GREEN)
    model = candidate("c", 0.7 + near, TrustTier.RED)
    assert [one.entity.id for one in ranked([tool, model, person], ShownRows.by(()))] == ["t:b", "t:a", "t:c"]
    better = replace(tool, score=0.7 + near)
    assert [one.entity.id for one in ranked([person, better], ShownRows.by(()))] == ["t:a", "t:b"], (
        "what is nearer is first"
    )
