"""Where rules of grounding turn: each constant and each branch here has an example on either side of it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from grounding_rows import row
from voice.core.grounding.bonds import bonds_of
from voice.core.grounding.compose import compose
from voice.core.grounding.counter import Claim, speaks_against
from voice.core.grounding.doubts import together
from voice.core.grounding.halves import half_true, weigh_parts
from voice.core.grounding.passages import all_passages
from voice.core.grounding.possessors import name_up_to
from voice.core.grounding.premise import premise_notes
from voice.core.grounding.qualified import is_of_a_friend
from voice.core.grounding.support import support_of
from voice.core.grounding.things import things_told
from voice.core.grounding.values import GroundingPolicy, Stance
from voice.core.grounding.who import asked_names
from voice.core.text.words import words

NOW = datetime(2026, 6, 1, tzinfo=UTC)
THRESHOLD = GroundingPolicy().support_threshold


@pytest.mark.parametrize(("each", "is_too_much"), [(0.61, False), (0.66, True)])
def test_two_doubts_of_different_kinds_weigh_less_than_their_sum(each: float, *, is_too_much: bool) -> None:
    scale = THRESHOLD / 1.0
    assert (together(each * scale, each * scale) > THRESHOLD) is is_too_much
    assert max(each, 0) < together(each, each) < 2 * each


@pytest.mark.parametrize(
    ("claim", "is_against"),
    [("Nobody came to the picnic on the hill", True), ("Nobody came to the picnic on the beach", False)],
)
def test_nobody_is_denied_by_one_who_did_the_whole_deed(claim: str, *, is_against: bool) -> None:
    came = row("S1", "Ada came to the picnic on the hill.")
    assert speaks_against(Claim.of(claim, [came], NOW), all_passages(came)[0], NOW) is is_against


def test_what_the_memory_disputes_is_no_answer_to_a_claim_that_only_brushes_it() -> None:
    cheap = row("S1", "The harp costs 300 euros.", at=datetime(2026, 4, 20, tzinfo=UTC))
    dear = row("S2", "The harp costs 350 euros.", at=NOW)

    brushed = compose("The harp costs too much for an amateur orchestra", (cheap, dear), Stance.CHALLENGE, now=NOW)
    claimed = compose("The harp costs 300 euros", (cheap, dear), Stance.CHALLENGE, now=NOW)

    assert brushed.refused
    assert [source.source_id for source in claimed.sources] == ["S1", "S2"]


def test_asked_who_somebody_is_a_relation_comes_behind_the_sentence_that_says_it() -> None:
    bond = replace(row("S1", "Otto —neighbour of→ Ines", relevance=0.9), source_type="kg_relation")
    said = row("S2", "Ines is a glazier.", relevance=0.2)

    assert compose("Who is Ines?", (bond, said), Stance.SYNTHESIZE).answer.splitlines()[0] == "Ines is a glazier."


@pytest.mark.parametrize(("beyond", "is_let_off"), [(0.04, True), (0.07, False)])
def test_a_part_is_let_off_a_little_that_a_whole_sentence_is_not(beyond: float, *, is_let_off: bool) -> None:
    told = row("S1", "Ines repaired the window of the chapel in May.")
    text = "Ines repaired the window of the chapel in May, and Otto painted nine canoes."
    found, passages = words(text), all_passages(told)
    held, lacking = weigh_parts(text, found, support_of(found, passages), passages)
    edged = replace(lacking, support=lacking.support._replace(score=THRESHOLD + beyond))
    score = 0.5

    added = sum(finding.weight for finding in half_true(text, (held, edged), score, THRESHOLD))

    assert (score + added <= THRESHOLD) is is_let_off


def test_a_bond_goes_on_from_the_one_before_it() -> None:
    chained = bonds_of("How did the neighbour's dentist's assistant get the address?")
    apart = bonds_of("How did the neighbour get the dentist's address?")
    assert [(bond.owner, bond.noun) for bond in chained] == [(("neighbour",), "dentist"), (("dentist",), "assistant")]
    assert apart == ()


def test_a_bond_ends_at_a_comma() -> None:
    assert bonds_of("Where does my mother, sister of two, live?")[0].noun == "mother"


@pytest.mark.parametrize(
    ("told", "needs_a_name"),
    [
        ("The bus ticket costs 3 euros.", True),
        ("The other bike costs 300 euros.", True),
        ("The harp costs 300 euros.", False),
    ],
)
def test_one_of_many_is_told_apart_by_its_row_alone(told: str, *, needs_a_name: bool) -> None:
    assert [said.needs_a_name for said in things_told(told)] == [needs_a_name]


@pytest.mark.parametrize(
    ("text", "owner"), [("Anna Lund's boat", ["Anna", "Lund's"]), ("Anna, Lund's boat", ["Lund's"])]
)
def test_a_name_goes_on_over_a_blank_and_over_nothing_else(text: str, owner: list[str]) -> None:
    found = words(text)
    at = next(index for index, word in enumerate(found) if word.text.startswith("Lund"))
    assert [word.text for word in name_up_to(text, found, at)] == owner


@pytest.mark.parametrize(("text", "is_friend"), [("Marta's friend called.", True), ("Marta met a friend.", False)])
def test_a_name_is_of_a_friend_where_it_owns_them(text: str, *, is_friend: bool) -> None:
    passage = all_passages(row("S1", text))[0]
    assert is_of_a_friend(passage, passage.words[0]) is is_friend


def test_a_german_question_may_hold_nothing_in_capitals_but_one_known_name() -> None:
    question = "wo wohnt denn die Anneliese jetzt"
    known = row("S1", "Anneliese wohnt in Kiel.", names=("Anneliese",))
    assert [word.text for word in asked_names(question, words(question), [known])] == ["Anneliese"]


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("Did Ada buy the automobile in Ghent for 900 euros?", "Ada bought the car in Ghent for 700 euros."),
    ],
)
def test_what_is_told_in_another_word_for_it_is_held_where_a_premise_is_looked_at(question: str, note: str) -> None:
    told = row("S1", note)
    assert len(premise_notes(question, all_passages(told), [told])) == 1
