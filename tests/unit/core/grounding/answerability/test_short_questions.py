"""A short question of which half is told nowhere, and what the graph says of a person, who is not whoever it names."""

from dataclasses import replace

import pytest

from grounding_rows import row
from voice.core.grounding.answerability.can_be_grounded import can_be_grounded, missing_in
from voice.core.grounding.answerability.inquiry import Inquiry
from voice.core.grounding.answerability.passages import all_passages
from voice.core.grounding.answerability.spoken_of import OWNER, spoken_of
from voice.core.grounding.answerability.who import people_of
from voice.core.grounding.values import GroundingPolicy

ONE = GroundingPolicy(min_sources=1, single_source="green")
WORKSHOP = row("S1", "The bicycle is in the hall.")
DESCRIBED = replace(
    row("S1", "Clara Weidmann (person): tuner in Lisbon; partner of Rui; lives in Lapa"), source_type="kg_entity"
)
RUI = row("S2", "Four weeks of night shifts.", speaker="Rui")


@pytest.mark.requirement("ruling:D5")
def test_a_short_question_of_which_the_telling_half_is_told_nowhere_is_refused_with_that_word() -> None:
    found = can_be_grounded("Who vandalised the bicycle?", [WORKSHOP], ONE)

    assert (found.ok, found.missing) == (False, "the notes that were found say too little about “vandalised”")


@pytest.mark.requirement("ruling:D5")
def test_one_telling_word_alone_may_be_said_in_another() -> None:
    assert missing_in("Where do I live?", [row("S1", "I moved to Stockholm in March.")]) is None


@pytest.mark.requirement("ruling:D5")
def test_each_statement_of_the_graph_about_a_person_speaks_of_that_person() -> None:
    (passage,) = all_passages(DESCRIBED)
    told = dict(zip([word.key for word in passage.words], spoken_of(passage, people_of([RUI])), strict=True))

    assert told["tuner"] == told["lives"] == told["lapa"] == frozenset({OWNER, "clara"})
    assert told["rui"] == frozenset({"rui"})


@pytest.mark.requirement("ruling:D5")
def test_a_clause_that_names_nobody_goes_on_with_a_he_before_it_and_not_with_a_name() -> None:
    (he,) = all_passages(row("S1", "He needs tuners, and wants no partnership."))
    (named,) = all_passages(row("S2", "Rui needs sleep, and the kettle boils."))

    assert spoken_of(he, people_of([RUI]))[-1] is None
    assert spoken_of(named, people_of([RUI]))[-1] == frozenset({OWNER})


@pytest.mark.requirement("ruling:D5")
def test_what_the_graph_says_of_one_person_is_not_said_of_another_whom_it_names() -> None:
    assert missing_in("Why did Rui leave Lisbon?", [DESCRIBED, RUI]) is not None
    assert Inquiry.of("Why did Rui leave Lisbon?", [DESCRIBED, RUI]).subject == "rui"


@pytest.mark.requirement("ruling:D5")
def test_a_person_of_the_graph_who_speaks_is_known_by_the_name_they_speak_under() -> None:
    said = replace(row("S3", "Hm.", speaker="Clara"), source_type="kg_observation")
    owner = replace(DESCRIBED, text="Human (person): tuner in Lisbon", shown="Human (person): tuner in Lisbon")

    (passage,), (own,) = all_passages(DESCRIBED), all_passages(owner)

    assert spoken_of(passage, people_of([said]))[2] == frozenset({"clara"})
    assert spoken_of(own, people_of([row("S3", "Hm.", speaker="Human")]))[1] == frozenset({OWNER})
