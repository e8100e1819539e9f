"""Who somebody is: what the graph says of them first, then the sentences that say it."""

from dataclasses import replace

import pytest

from grounding_rows import answer_of, row
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.answerability.identity import asks_who
from voice.core.grounding.answerability.quoting import Question
from voice.core.grounding.values import Evidence, Stance

RUI = replace(
    row("S4", "Rui Batista (person): Clara's partner, electrician on the ferries", names=("Rui Batista", "Rui")),
    source_type="kg_entity",
)
PARTNER = replace(row("S5", "Clara —partner of→ Rui Batista"), source_type="kg_relation")
MENTION = row("S1", "Rui knocked on the walls and nodded.", relevance=0.9)
OF_OTHERS = replace(row("S6", "Fuga (animal): dog that Rui walks"), source_type="kg_entity")
SPOKEN = row("S2", "Home late, dinner without me.", speaker="Rui")


def given(question: str, *rows: Evidence) -> str:
    return answer_of(compose(question, rows, Stance.SYNTHESIZE))


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    "question",
    ["Who is Rui?", "Who's Rui?", "Rui", "Rui?", "Tell me about Rui", "What do you know about Rui?", "Wer ist Rui?"],
)
def test_what_the_graph_says_of_somebody_comes_first(question: str) -> None:
    answer = given(question, MENTION, SPOKEN, RUI, PARTNER, OF_OTHERS)

    assert answer.splitlines()[0] == "Rui Batista: Clara's partner, electrician on the ferries."
    assert "Fuga" not in answer


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    "text",
    [
        "Rui is an electrician.",
        "Rui, my partner, repaired the tap.",
        "My partner Rui repaired the tap.",
        "Our electrician is Rui.",
        "Rui works on the ferries to Cacilhas.",
        "A man called Rui repaired the tap.",
        "Clara's partner Rui repaired the tap.",
    ],
)
def test_a_sentence_that_says_who_somebody_is_comes_before_one_that_mentions_them(text: str) -> None:
    assert text in given("Who is Rui?", MENTION, row("S2", text, relevance=0.6)).splitlines()[0]


@pytest.mark.requirement("ruling:D5")
def test_where_nothing_says_who_somebody_is_what_mentions_them_stands_in() -> None:
    assert given("Who is Rui?", MENTION) == "Rui knocked on the walls and nodded."


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("question", ["Who is Rui's boss?", "Who met Rui?", "Where is Rui?", "Who is the electrician?"])
def test_a_question_for_anything_else_is_not_asking_who(question: str) -> None:
    assert not asks_who(Question.of(question, (MENTION,)))
    assert asks_who(Question.of("Who is Rui?", (MENTION,)))


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("contact person at Veltron", "Our contact at Veltron is Ines."),
        ("budget of the Lighthouse project", "The budget of the Lighthouse project is 42,000 euros."),
        ("dentist appointment", "The dentist appointment is on 4 March."),
    ],
)
def test_a_noun_phrase_is_answered_as_the_question_who_or_what_it_is(question: str, text: str) -> None:
    assert text in given(question, row("S1", text), MENTION)


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("gap", [" ", ".", "'", " .", ". ' "])
@pytest.mark.parametrize("end", ["", ","])
def test_a_question_with_a_very_long_gap_is_read_once(gap: str, end: str) -> None:
    asked = Question.of(f"Who is Rui{gap * 400}{end}", (MENTION,))

    assert asks_who(asked) is not bool(end)


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    "question", ["Tell me who Rui is", "What   is\tRui ?", "So who is Rui?!", "What about Rui ..."]
)
def test_spaces_marks_and_a_verb_at_the_end_are_no_part_of_the_name(question: str) -> None:
    assert asks_who(Question.of(question, (MENTION,)))
