"""Refusing before paying: only where the evidence certainly cannot answer (ruling D5)."""

import pytest

from grounding_rows import MEMORY, row
from voice.core.grounding.answerability.can_be_grounded import can_be_grounded
from voice.core.grounding.answerability.inquiry import Inquiry
from voice.core.grounding.values import GroundingPolicy, RefusalReason

POLICY = GroundingPolicy()
TALK = (
    row("S1", "I adopted a rescue dog from the shelter in June.", speaker="Maria"),
    row("S2", "Congratulations, the shelter must be glad!", speaker="John"),
    row("S3", "I signed up for a pottery class.", speaker="John"),
)


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?",
        "How much does the flat cost?",
        "When did I move to Stockholm?",
        "Does Anna like the winters?",
        "Who moved with me to Stockholm?",
        "What about the flat?",
        "And then?",
    ],
)
def test_a_question_that_the_evidence_may_answer_goes_on(question: str) -> None:
    answerable = can_be_grounded(question, MEMORY, POLICY)

    assert answerable.ok
    assert answerable.missing is None


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("question", ["?", "…", "🙂"])
def test_a_question_without_a_word_is_looked_into_like_any_other(question: str) -> None:
    assert Inquiry.of(question, MEMORY).subject is None
    assert can_be_grounded(question, MEMORY, POLICY).ok


@pytest.mark.requirement("ruling:D5")
def test_no_evidence_is_refused() -> None:
    answerable = can_be_grounded("Where do I live?", (), POLICY)

    assert (answerable.ok, answerable.reason) == (False, RefusalReason.NO_SOURCES)


@pytest.mark.requirement("ruling:D5", "ruling:D3")
def test_fewer_rows_than_the_policy_needs_are_refused_unless_one_may_do() -> None:
    assert can_be_grounded("Where do I live?", MEMORY[:1], POLICY).reason is RefusalReason.TOO_FEW_SOURCES
    assert can_be_grounded("When did I move to Stockholm?", MEMORY[:1], GroundingPolicy(single_source="green")).ok


@pytest.mark.requirement("ruling:D5")
def test_a_name_that_no_row_holds_is_named() -> None:
    answerable = can_be_grounded("What does the flat of Bergqvist's cost?", MEMORY, POLICY)

    assert answerable.missing == "no note that was found mentions Bergqvist"


def test_a_short_form_of_a_name_is_that_name() -> None:
    assert can_be_grounded("What did Mari adopt?", TALK, POLICY).ok


def test_an_entity_of_the_graph_is_a_name_even_at_the_start_of_a_question() -> None:
    rows = (row("S1", "We met in the park."), row("S2", "The park was empty."))

    assert can_be_grounded("Mark was in the park?", rows, POLICY).ok
    answerable = can_be_grounded("Mark was in the park?", rows, POLICY, entity_names=("Mark Dahl",))
    assert answerable.missing == "no note that was found mentions Mark"


@pytest.mark.requirement("ruling:D5")
def test_a_subject_that_no_row_speaks_of_is_refused() -> None:
    answerable = can_be_grounded("Which vaccinations, antibiotics and bandages does a hedgehog need?", MEMORY, POLICY)

    assert answerable.missing == "no note that was found speaks of what the question asks about"


@pytest.mark.requirement("ruling:D5")
def test_what_another_person_said_of_themselves_does_not_count() -> None:
    answerable = can_be_grounded("Which rescue dog did John adopt from the shelter?", TALK, POLICY)

    assert (
        answerable.missing == "what the notes that were found say of this is not about John; what is there is Maria's"
    )
    assert can_be_grounded("Which rescue dog did Maria adopt from the shelter?", TALK, POLICY).ok


@pytest.mark.requirement("ruling:D5")
def test_words_are_told_of_whoever_was_named_last_before_them() -> None:
    rows = (
        row("S1", "I bet you never thought you would get a third turtle this year!", speaker="Jo"),
        row("S2", "My third turtle is called Bob.", speaker="Nate"),
    )

    assert can_be_grounded("Why did Nate get a third turtle?", rows, POLICY).ok
    answerable = can_be_grounded("Why did Jo get a third turtle?", rows, POLICY)
    assert answerable.missing == "what the notes that were found say of this is not about Jo"


@pytest.mark.requirement("ruling:D5")
def test_a_detail_that_is_told_nowhere_of_the_person_is_named() -> None:
    rows = (
        row("S1", "I took a short trip to Rome to clear my mind.", speaker="Jon"),
        row("S2", "Enjoy yourself!", speaker="Gina"),
    )

    assert can_be_grounded("What did Jon take a short trip to Rome for?", rows, POLICY).ok
    answerable = can_be_grounded("Did Jon's workmates sign the football?", rows, POLICY)
    assert (
        answerable.missing
        == "no note that was found says this of Jon: nothing there is about workmates, football, sign"
    )


@pytest.mark.requirement("ruling:D5")
def test_who_asks_of_themselves_is_the_owner_of_the_memory() -> None:
    rows = (
        row("S1", "I play the violin in an orchestra.", speaker="Ada"),
        row("S2", "What a lovely evening.", speaker="me"),
    )

    assert can_be_grounded("Which orchestra does Ada play the violin in?", rows, POLICY).ok
    answerable = can_be_grounded("Which orchestra do I play the violin in?", rows, POLICY)
    assert answerable.missing == "what the notes that were found say of this is not about you; what is there is Ada's"


def test_notes_without_speakers_are_the_owners_and_compared_with_nobody() -> None:
    rows = (row("S1", "Violin lessons on Monday."), row("S2", "Bought a new bow for the violin."))

    assert can_be_grounded("When are my violin lessons?", rows, POLICY).ok


@pytest.mark.requirement("ruling:D5")
def test_a_tie_with_what_others_say_is_no_refusal() -> None:
    rows = (row("S1", "I love surfing.", speaker="Tim"), row("S2", "I love surfing, too.", speaker="John"))

    assert can_be_grounded("Does Tim love surfing?", rows, POLICY).ok


def test_the_parts_of_one_name_need_not_all_be_there() -> None:
    rows = (row("S1", "Na called about the wedding."), row("S2", "The wedding is in May."))

    assert can_be_grounded("When is Li Na's wedding?", rows, POLICY).ok


def test_two_named_people_are_not_told_apart_beforehand() -> None:
    assert can_be_grounded("Did John and Maria adopt a rescue dog from the shelter?", TALK, POLICY).ok


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "rows", "missing"),
    [
        ("How many apples?", ("Apples taste sweet.", "Apples taste sour."), "no note that was found says how many"),
        ("Where are apples?", ("apples taste sweet.", "apples taste sour."), "no note that was found says where"),
        ("Who ate apples?", ("apples taste sweet.", "apples taste sour."), "no note that was found says who"),
    ],
)
def test_the_kind_of_thing_asked_for_must_be_there(question: str, rows: tuple[str, ...], missing: str) -> None:
    evidence = tuple(row(f"S{n}", text) for n, text in enumerate(rows, 1))

    assert can_be_grounded(question, evidence, POLICY).missing == missing


def test_a_dated_row_always_says_when() -> None:
    assert can_be_grounded("When did I eat apples?", (row("S1", "ate apples"), row("S2", "more apples")), POLICY).ok


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("question", ["What's Jon's hobby?", "What is Jon's hobby?", "Which hobby does Jon have?"])
def test_the_noun_that_says_what_sort_of_thing_is_wanted_is_light(question: str) -> None:
    rows = (row("S1", "I collect stamps.", speaker="Jon"), row("S2", "My hobby is chess.", speaker="Gina"))

    light = Inquiry.of(question, rows)
    assert light.weight < Inquiry.of("Does Jon have a hobby?", rows).weight


def test_he_and_she_may_be_anybody() -> None:
    rows = (
        row("S1", "She won the chess tournament.", speaker="Gina"),
        row("S2", "Thanks for telling me.", speaker="Jon"),
    )

    assert can_be_grounded("Who won Jon's chess tournament?", rows, POLICY).ok
    assert can_be_grounded("Who won Gina's chess tournament?", rows, POLICY).ok


def test_what_is_said_after_a_name_is_told_of_its_bearer() -> None:
    rows = (row("S1", "Yesterday Gina won the chess tournament.", speaker="Jon"), row("S2", "Yes!", speaker="Gina"))

    assert can_be_grounded("When did Gina win the chess tournament?", rows, POLICY).ok
    assert not can_be_grounded("When did Jon win the chess tournament?", rows, POLICY).ok
