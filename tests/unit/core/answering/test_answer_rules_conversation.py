"""Whether what was said in a conversation answers: whose words they are, and how much of the question they say."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding_rows import row
from passage_rows import passage
from voice.core.answering import answer_rules
from voice.core.answering.answer_rules import (
    CONVERSATION_WEIGHTS,
    CONVERSATION_WEIGHTS_WITHOUT_COSINES,
    judge_conversation,
)
from voice.core.answering.answer_rules import conversation_features as features_of
from voice.core.answering.passage_choice import THRESHOLD, chosen_passages
from voice.core.grounding.extractive.evidence_sentences import proper_names
from voice.core.grounding.extractive.question_fit import AnalysedQuestion, EvidenceFit
from voice.core.grounding.values import Evidence
from voice.core.retrieval.passages import Passage
from voice.core.text.words import words

pytestmark = pytest.mark.requirement("ruling:D5")

DOG = row("S1", "I adopted a rescue dog from the shelter in June.", speaker="Maria", relevance=0.7)
GLAD = row("S2", "Congratulations, the shelter must be glad!", speaker="John", relevance=0.5)
CLAY = row("S3", "I signed up for a pottery class.", speaker="John", relevance=0.4)
TALK = (DOG, GLAD, CLAY)


def features(question: str, rows: tuple[Evidence, ...] = TALK) -> dict[str, float]:
    return features_of(question, EvidenceFit.of(question, rows))


def score(question: str, rows: tuple[Evidence, ...] = TALK) -> float:
    return answer_rules.weighted_sum(CONVERSATION_WEIGHTS, features(question, rows))


def passages(number: int) -> list[Passage]:
    return [passage("She adopted a dog.", thought=f"t:{each}") for each in range(number)]


def test_what_one_says_of_themselves_answers_of_them_and_not_of_another() -> None:
    assert score("Which rescue dog did Maria adopt from the shelter?") > 0
    assert score("Which rescue dog did John adopt from the shelter?") < 0


def test_words_are_told_of_whoever_was_named_last_before_them() -> None:
    rows = (
        row("S1", "I bet you never thought you would get a third turtle!", speaker="Jo", relevance=0.7),
        row("S2", "My third turtle is called Bob.", speaker="Nate", relevance=0.7),
    )

    assert score("Why did Nate get a third turtle?", rows) > score("Why did Jo get a third turtle?", rows)


def test_a_detail_that_is_told_nowhere_of_the_person_speaks_against_an_answer() -> None:
    told = features("Did Maria adopt a rescue dog?", TALK)
    untold = features("Did Maria adopt a dromedary?", TALK)

    assert told["untold"] == 0 < untold["untold"] <= 1


def test_who_asks_of_themselves_is_the_owner_of_the_memory() -> None:
    rows = (row("S1", "I play the violin in an orchestra.", speaker="Ada"), row("S2", "What an evening.", speaker="me"))

    of_ada, of_owner = (
        features(f"Which orchestra {who} the violin in?", rows) for who in ("does Ada play", "do I play")
    )
    assert (of_ada["own"], of_ada["others"]) == (of_owner["others"], of_owner["own"])


def test_that_a_day_is_asked_for_speaks_for_an_answer() -> None:
    assert features("When did Maria adopt the dog?", TALK)["asks_when"] == 1.0
    assert features("Why did Maria adopt the dog?", TALK)["asks_when"] == 0.0


def test_nothing_found_says_nothing() -> None:
    assert features("Why?", ()) == dict.fromkeys(
        ("own", "others", "untold", "cosine", "cosine_of_others", "ahead", "asks_when"), 0.0
    )


def test_the_first_three_answer_or_none_does_and_the_rest_stands_beside() -> None:
    judged = judge_conversation("Which rescue dog did Maria adopt from the shelter?", passages(5), TALK)
    refused = judge_conversation("Which rescue dog did John adopt from the shelter?", passages(5), TALK)

    assert [one.score > THRESHOLD for one in judged] == [True] * 3 + [False] * 2
    assert len(chosen_passages(judged, sources=1)) == 3
    assert chosen_passages(refused, sources=1) == ()


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_nearer_a_row_of_the_one_asked_about_the_better_it_answers(one: float, other: float) -> None:
    near, far = (
        score("What did Maria adopt?", (replace(DOG, score=cosine),)) for cosine in (max(one, other), min(one, other))
    )

    assert near >= far


def test_every_figure_has_a_weight() -> None:
    assert set(features("Why?", TALK)) | {"bias"} == set(CONVERSATION_WEIGHTS)


def test_a_question_of_nobody_who_speaks_is_left_to_the_rule_of_notes_unless_much_speaks_for_an_answer() -> None:
    assert judge_conversation("Which pottery kiln was sold to the shelter of Lisbon?", passages(2), TALK) == ()
    assert judge_conversation("Who is Maria?", passages(2), TALK) == ()
    assert judge_conversation("Was a rescue dog adopted from the shelter?", passages(2), TALK)


def test_by_words_alone_the_same_is_told_without_cosines() -> None:
    far = tuple(replace(row, score=0.0) for row in TALK)
    maria, john = (f"Which rescue dog did {who} adopt from the shelter?" for who in ("Maria", "John"))

    assert [one.score > THRESHOLD for one in judge_conversation(maria, passages(1), far, is_calibrated=False)] == [True]
    assert [one.score > THRESHOLD for one in judge_conversation(john, passages(1), far, is_calibrated=False)] == [False]
    assert CONVERSATION_WEIGHTS.keys() - CONVERSATION_WEIGHTS_WITHOUT_COSINES.keys() == {"cosine", "cosine_of_others"}


def test_he_and_she_may_be_anybody() -> None:
    rows = (row("S1", "She won the chess tournament.", speaker="Gina"), row("S2", "Thanks.", speaker="Jon"))
    told = features("Who won Jon's chess tournament?", rows)

    assert told["own"] == told["others"] > 0


@pytest.mark.parametrize("question", ["What's Jon's hobby?", "What is Jon's hobby?", "Which hobby does Jon have?"])
def test_the_noun_that_says_what_sort_of_thing_is_wanted_is_light(question: str) -> None:
    rows = (row("S1", "I collect stamps.", speaker="Jon"), row("S2", "My hobby is chess.", speaker="Gina"))

    assert AnalysedQuestion.of(question, rows).weight < AnalysedQuestion.of("Does Jon have a hobby?", rows).weight


def test_a_question_in_capitals_names_nobody() -> None:
    assert AnalysedQuestion.of("WHICH DOG DID MARIA ADOPT THERE?", TALK).persons == frozenset()
    assert AnalysedQuestion.of("Which dog did Maria adopt there?", TALK).persons == frozenset({"maria"})


def test_in_german_where_every_noun_is_a_capital_only_who_is_known_is_named() -> None:
    assert AnalysedQuestion.of("Welchen Hund hat Maria aus dem Tierheim geholt?", TALK).persons == frozenset({"maria"})
    assert proper_names("Der Maler wohnt in der Stadt.", words("Der Maler wohnt in der Stadt.")) == []
