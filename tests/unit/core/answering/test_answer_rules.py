"""The rule that says whether a passage of the notes answers a question."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passage_rows import passage
from retrieval_rows import candidate, entity, observation
from tables import tables
from voice.core.answering.answer_rules import (
    WEIGHTS,
    WEIGHTS_WITHOUT_ANSWERS,
    WEIGHTS_WITHOUT_COSINES,
    WEIGHTS_WITHOUT_RERANKER,
    features,
    is_sole_subject,
    judge_passages,
    reranker_features,
    weighted_sum,
    with_matching_lists,
    with_matching_rows,
)
from voice.core.answering.memory_owner import MemoryOwner
from voice.core.answering.passage_choice import BESIDE_THRESHOLD, THRESHOLD, JudgedPassage, chosen_passages
from voice.core.answering.question_form import term_weights
from voice.core.answering.question_target import QuestionTarget
from voice.core.retrieval.passages import Passage
from voice.core.retrieval.values import PassageScore
from voice.core.text.words import stems_in

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("reranker:passages")


def test_what_a_question_is_about_are_its_telling_words_and_not_the_rows_themselves() -> None:
    asked = term_weights("Which notes mention the blue glaze of 2021?")
    assert set(asked) == stems_in("blue glaze")
    assert term_weights("Show me journal entries, diaries and messages") == {}


def judged(
    question: str, found: Sequence[Passage], logits: Sequence[float] | None = None, *, is_calibrated: bool = True
) -> tuple[JudgedPassage, ...]:
    """Return passages as they are judged where the graph is empty and a re-ranker tells relevance alone."""
    scores = None if logits is None else [PassageScore(logit) for logit in logits]
    return judge_passages(
        question, found, scores, QuestionTarget.of(question, (), MemoryOwner()), is_calibrated=is_calibrated
    )


def test_what_is_about_the_same_but_tells_something_else_answers_nothing() -> None:
    found, target = passage("I sold the kiln in May."), QuestionTarget.of("Who bought the kiln?", (), MemoryOwner())
    near, told, by_relevance = (
        judge_passages("Who bought the kiln?", [found], [PassageScore(4.0, answers)], target)[0].score
        for answers in (-4.0, 4.0, None)
    )
    assert near < THRESHOLD < told
    assert near < by_relevance < told


def test_a_passage_about_something_else_answers_nothing_however_near_it_is() -> None:
    other, own = passage("Boat 3 lies at the quay."), passage("Boat 7 lies at the quay.", thought="t:2")
    first, last = judged("Where is boat 7?", [other, own], [9.0, -9.0])
    assert (first.passage, last.passage) == (own, other)
    assert chosen_passages([last], sources=1) == ()


def test_the_path_of_a_passage_holds_words_of_the_question_like_its_text() -> None:
    asked = term_weights("What does the blue glaze need?")
    placed, bare = passage("Cobalt.", "Glazes", "Blue glaze"), passage("Cobalt.")
    assert features(asked, placed)["share"] > features(asked, bare)["share"]
    assert features(term_weights("What is it?"), bare)["share"] == 0.5


def test_the_higher_the_re_ranker_puts_a_passage_the_better_it_answers() -> None:
    found = [passage("Cobalt.", thought="t:1"), passage("Iron.", thought="t:2")]
    best, _ = judged("What does the glaze need?", found, [-5.0, 6.0])
    assert best.passage is found[1]
    (alone,) = judged("What does the glaze need?", found[:1], [2.0])
    assert alone.score > best.score - 20
    told = features(term_weights("x"), found[0])
    assert {"own", *reranker_features(PassageScore(0.0), 0.0)} == {*WEIGHTS} - {"bias"}
    assert {*WEIGHTS_WITHOUT_ANSWERS} == {*WEIGHTS} - {"answers"}
    assert {*WEIGHTS_WITHOUT_RERANKER} - {"bias"} == {*told}
    assert {*WEIGHTS_WITHOUT_COSINES} - {"bias"} < {*told}


def test_what_the_owner_says_of_themselves_answers_the_better() -> None:
    asked = term_weights("How many children do I have?")
    plain, own = (features(asked, passage("I have two children."), is_own=own) for own in (False, True))
    for weights in (WEIGHTS, WEIGHTS_WITHOUT_ANSWERS, WEIGHTS_WITHOUT_RERANKER, WEIGHTS_WITHOUT_COSINES):
        assert weighted_sum(weights, own) > weighted_sum(weights, plain)


def test_an_answer_rests_on_as_many_notes_as_it_has_to() -> None:
    cobalt, again, iron = passage("Cobalt."), passage("Cobalt it is."), passage("Iron.", thought="t:2")
    scored = [
        JudgedPassage(passage=each, score=BESIDE_THRESHOLD + left)
        for each, left in ((cobalt, 3.0), (again, -0.1), (iron, -1.0))
    ]
    assert chosen_passages(scored, sources=1) == (cobalt,)
    beside = [replace(scored[0], score=BESIDE_THRESHOLD + 0.1)] * 3
    assert chosen_passages([scored[0], *beside], sources=1) == (cobalt,) * 3
    node = Passage(rows=(candidate(entity("a", "Anna", "keeps bees")),), found=0)
    assert chosen_passages([JudgedPassage(passage=node, score=1.0)], sources=1) == (node,)
    assert chosen_passages(scored, sources=2) == (cobalt, iron)
    assert chosen_passages(scored, sources=3) == ()
    assert chosen_passages(scored[2:], sources=1) == ()
    assert chosen_passages([], sources=1) == ()


@given(st.text(max_size=80), st.text(min_size=1, max_size=80), st.floats(-20, 20))
def test_any_question_over_any_passage_has_a_score(question: str, text: str, logit: float) -> None:
    (one,) = judged(question, [passage(text)], [logit])
    assert one.score == one.score


@pytest.mark.parametrize("read", [[9.0], None])
def test_where_an_amount_is_asked_for_a_passage_without_one_answers_nothing(read: list[float] | None) -> None:
    silent, told = passage("Leonor has bought the press."), passage("Leonor bought the press for 900 euros.")
    asked = "How much did Leonor pay for the press?"
    assert judged(asked, [silent], read)[0].score == -math.inf
    assert judged("How many presses are there?", [silent], read)[0].score == -math.inf
    assert judged(asked, [told], read)[0].score > THRESHOLD
    of_a_day = passage(silent.text, "2026_06_02 › Presses")
    assert judged("How many presses are there?", [of_a_day], read)[0].score == -math.inf


@pytest.mark.requirement("answers:price")
@pytest.mark.parametrize(
    ("text", "path", "is_told"), TABLES["the_money_of_another_thing_is_no_price_of_what_is_asked_about"]
)
def test_the_money_of_another_thing_is_no_price_of_what_is_asked_about(text: str, path: str, is_told: bool) -> None:  # noqa: FBT001
    for question in ("What did the kiln cost?", "What does the repair of the kiln cost and why did it change?"):
        assert (judged(question, [passage(text, path)])[0].score > -math.inf) is is_told


@pytest.mark.requirement("answers:price")
def test_what_a_column_of_prices_tells_is_what_things_cost() -> None:
    texts = ("The price of the kiln: 40 €", "The cost of the kiln: 40 €")
    priced, cost = (judged("What did the kiln cost?", [passage(text)]) for text in texts)
    assert priced[0].score == cost[0].score > THRESHOLD


@pytest.mark.requirement("answers:list")
@pytest.mark.parametrize(
    ("question", "is_told"),
    [("List all my berths", True), ("How many berths do I have?", True), ("List my berths in Porto", False)],
)
def test_a_list_whose_head_says_all_that_is_asked_for_answers(question: str, is_told: bool) -> None:  # noqa: FBT001
    whole = Passage(rows=(candidate(observation("o", "My berths:\n- Faro\n- Olhao"), 0.5),), found=0)
    found = [JudgedPassage(passage=each, score=-4.0) for each in (whole, passage("- Faro", "Boats", "Berths"))]
    assert all((one.score > THRESHOLD) is is_told for one in with_matching_lists(question, found))


BOUGHT = (
    "## Purchases\n\n| Date | Thing | Price |\n|---|---|---|\n| 2025-03-02 | Lamp | 35 |\n| 2025-04-11 | Kettle | 28 |"
)


@pytest.mark.requirement("answers:table-row")
@pytest.mark.parametrize(
    ("question", "is_told"), TABLES["a_row_of_a_table_that_tells_all_of_it_answers_whatever_else_the_table_says"]
)
def test_a_row_of_a_table_that_tells_all_of_it_answers_whatever_else_the_table_says(
    question: str,
    is_told: bool,  # noqa: FBT001
) -> None:
    table = Passage(rows=(passage("The cat sleeps.").hit, candidate(observation("o", BOUGHT))), found=0)
    (one,) = with_matching_rows(question, [JudgedPassage(passage=table, score=-4.0)])
    assert (one.score > THRESHOLD, one.passage.found) == (is_told, int(is_told))
    excluded = JudgedPassage(passage=table, score=-math.inf)
    assert with_matching_rows(question, [excluded]) == (excluded,)


def test_without_a_re_ranker_and_by_another_encoder_words_tell() -> None:
    found, asked = (
        [passage("The glaze needs cobalt."), passage("The cat sleeps.", thought="t:2")],
        "Which glaze needs cobalt?",
    )
    best, other = judged(asked, found)
    assert (best.passage, best.score > other.score) == (found[0], True)
    by_words = judged(asked, found, is_calibrated=False)[0].score
    assert by_words == pytest.approx(weighted_sum(WEIGHTS_WITHOUT_COSINES, features(term_weights(asked), found[0])))


def test_who_is_asked_about_by_name_alone_is_told_first_by_what_the_graph_says_of_them() -> None:
    rui = candidate(replace(entity("rui", "Rui Batista"), aliases=("Rui",)))
    said, graph = passage("Rui calls it the ambulance.", thought="t:1"), Passage(rows=(rui,), found=0)

    assert judged("Who is Rui?", [said, graph])[0].passage is graph
    assert not is_sole_subject(term_weights("Where does Rui work?"), rui)
    assert not is_sole_subject(term_weights("Who is Rui?"), said.hit)
