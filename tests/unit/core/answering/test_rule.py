"""The rule that says whether a passage of the notes answers a question."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_rows import candidate, entity, observation
from voice.core.answering.rule import LINE, WEIGHTS, Judged, Telling, answering, features, judge, lacks_number
from voice.core.records import Provenance
from voice.core.retrieval.passages import Passage
from voice.core.text.normalise import content_hash
from voice.core.text.words import stems_in

pytestmark = pytest.mark.requirement("reranker:passages")


def passage(text: str, *path: str, thought: str = "t:1") -> Passage:
    place = Provenance(thought_id=thought, start=0, end=len(text))
    row = candidate(replace(observation(content_hash(text)[:8], text), provenance=(place,), context_path=path), 0.5)
    return Passage(rows=(row,), found=0)


def test_what_a_question_is_about_are_its_telling_words_and_not_the_rows_themselves() -> None:
    asked = Telling.of("Which notes mention the blue glaze of 2021?")
    assert set(asked.weights) == stems_in("blue glaze")
    assert asked.numbers == ()


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("Where is boat number 12?", ("12",)),
        ("What did I do on 21 May 2021?", ()),
        ("What happened in 1999?", ()),
        ("Who has room 4711?", ("4711",)),
    ],
)
def test_a_number_of_a_question_names_something_unless_it_is_a_year_or_part_of_a_date(
    question: str, numbers: tuple[str, ...]
) -> None:
    assert Telling.of(question).numbers == numbers


def test_a_passage_without_the_number_that_is_asked_about_answers_nothing() -> None:
    question = "Where is boat number 12?"
    asked = Telling.of(question)
    other = passage("Boat number 3 lies at the quay since 12 May 2021.")
    own = passage("It lies at the quay.", "Boats", "Number 12", thought="t:2")
    assert lacks_number(asked, other)
    assert not lacks_number(asked, own)
    assert not lacks_number(Telling.of("Where is the boat?"), other)
    first, last = judge(question, [other, own], [9.0, -9.0])
    assert (first.passage, last.passage) == (own, other)
    assert answering([last], sources=1) == ()


def test_the_path_of_a_passage_holds_words_of_the_question_like_its_text() -> None:
    asked = Telling.of("What does the blue glaze need?")
    placed, bare = passage("Cobalt.", "Glazes", "Blue glaze"), passage("Cobalt.")
    assert features(asked, placed, 1.0, 0.0)["share"] > features(asked, bare, 1.0, 0.0)["share"]
    assert features(Telling.of("What is it?"), bare, 1.0, 0.0)["share"] == 0.5


def test_the_higher_the_re_ranker_puts_a_passage_the_better_it_answers() -> None:
    found = [passage("Cobalt.", thought="t:1"), passage("Iron.", thought="t:2")]
    best, _ = judge("What does the glaze need?", found, [-5.0, 6.0])
    assert best.passage is found[1]
    (alone,) = judge("What does the glaze need?", found[:1], [2.0])
    assert alone.score > best.score - 20
    assert {*features(Telling.of("x"), found[0], 0.0, 0.0)} == {*WEIGHTS} - {"bias"}


def test_an_answer_rests_on_as_many_notes_as_it_has_to() -> None:
    cobalt, again, iron = passage("Cobalt."), passage("Cobalt it is."), passage("Iron.", thought="t:2")
    judged = [Judged(passage=each, score=LINE + left) for each, left in ((cobalt, 3.0), (again, 2.0), (iron, -1.0))]
    assert answering(judged, sources=1) == (cobalt,)
    assert answering(judged, sources=2) == (cobalt, iron)
    assert answering(judged, sources=3) == ()
    assert answering(judged[2:], sources=1) == ()
    assert answering([], sources=1) == ()


def test_a_row_of_the_graph_rests_on_no_note_of_its_own() -> None:
    node = Passage(rows=(candidate(entity("a", "Anna", "keeps bees")),), found=0)
    assert answering([Judged(passage=node, score=1.0)], sources=1) == (node,)


@given(st.text(max_size=80), st.text(min_size=1, max_size=80), st.floats(-20, 20))
def test_any_question_over_any_passage_has_a_score(question: str, text: str, logit: float) -> None:
    (one,) = judge(question, [passage(text)], [logit])
    assert one.score == one.score
