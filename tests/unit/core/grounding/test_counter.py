"""What speaks against a claim, sentence by sentence, and what does not."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding_rows import row
from voice.core.grounding.counter import Claim, speaks_against, takes_up
from voice.core.grounding.opposed import opposed, states_of
from voice.core.grounding.passages import all_passages

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SAID = datetime(2026, 4, 20, tzinfo=UTC)
NEXT_YEAR = datetime(2027, 4, 20, tzinfo=UTC)


def _is_against(claim: str, said: str, *, speaker: str | None = None) -> bool:
    source = row("S1", said, at=SAID, speaker=speaker)
    read = Claim.of(claim, [source], NOW)
    return any(speaks_against(read, passage, NOW) for passage in all_passages(source))


@pytest.mark.requirement("grounding:challenge")
@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("The launch is on 1 June", "The Lighthouse launch moved from 1 June to 15 June."),
        ("The rent is 900 euros", "The rent went up from 900 to 950 euros."),
        ("The oven is gas", "We replaced the gas oven with an electric one."),
        ("Jonas is healthy", "Jonas broke his wrist while climbing in Arco."),
        ("Jonas is healthy", "Jonas's wrist is broken."),
        ("Jonas is healthy", "Jonas is ill."),
        ("Jonas is ill", "Jonas is healthy again."),
        ("I am healthy", "Had the flu all week."),
        ("I am vegetarian", "Had a steak at Luigi's."),
        ("I can take penicillin", "I am allergic to penicillin."),
        ("I have no allergies", "I am allergic to penicillin."),
        ("Ingrid is single", "My sister Ingrid lives in Bergen with her husband Lars."),
        ("Tomás has paid me back", "Tomás owes me 350 euros for the bicycle."),
        ("Tomás owes me nothing", "Tomás owes me 350 euros for the bicycle."),
        ("The bathroom tap is fine", "Call the plumber about the leaking tap in the bathroom."),
        ("The printer works fine", "The printer does not work."),
        ("The launch is on time", "The Lighthouse launch moved from 1 June to 15 June."),
        ("I work at Siemens", "I work at Nordlys Imaging now; left Halden Optics in February."),
        ("My sister lives in Oslo", "My sister Ingrid lives in Bergen with her husband Lars."),
        ("Anna prefers coffee", "Anna prefers tea; Jonas prefers coffee."),
        ("Priya moved the server room to the third floor", "Priya moved the server room to the second floor."),
        ("My passport expires in 2026", "Passport expires on 3 November 2027."),
        ("Marta will not hire anybody", "Marta plans to hire two engineers in September."),
    ],
)
def test_a_sentence_that_excludes_the_claim_speaks_against_it(claim: str, said: str) -> None:
    assert _is_against(claim, said)


@pytest.mark.requirement("grounding:challenge")
@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("The launch is on 15 June", "The Lighthouse launch moved from 1 June to 15 June."),
        ("The party is on 1 June", "The Lighthouse launch moved from 1 June to 15 June."),
        ("The launch is on 1 June", "Marta leads the launch."),
        ("Jonas is healthy", "Jonas visited his mother, who is ill."),
        ("Jonas is healthy", "Jonas's dog is ill."),
        ("Jonas is healthy", "Anna met Jonas and Ben is sick."),
        ("Jonas is healthy", "Ben is sick, and so Jonas cooks."),
        ("Jonas is healthy", "Jonas was ill but has recovered."),
        ("Jonas is healthy", "Jonas is not ill."),
        ("Jonas is healthy", "I hope Jonas is not ill."),
        ("Jonas is healthy", "Is Jonas ill?"),
        ("I am healthy", "Anna has the flu."),
        ("I am healthy", "If I get ill, call Anna."),
        ("Marta is single", "My sister Ingrid lives in Bergen with her husband Lars."),
        ("The kitchen tap is fine", "The car is broken."),
        ("The project budget is 60,000 euros", "The bike costs 300 euros."),
        ("Marta leads the project", "Marta Silva leads the Lighthouse project; the budget is 42,000 euros."),
        ("Tomás owes me nothing", "Tomás does not owe me anything."),
        ("Nobody", "Tomás owes me 350 euros for the bicycle."),
        ("Anna prefers tea", "Anna prefers green tea."),
    ],
)
def test_what_leaves_room_for_the_claim_or_is_of_another_does_not_speak_against_it(claim: str, said: str) -> None:
    assert not _is_against(claim, said)


def test_what_somebody_else_says_of_themselves_is_not_of_the_asker() -> None:
    assert _is_against("I am healthy", "I have the flu.")
    assert not _is_against("I am healthy", "I have the flu.", speaker="Anna")
    assert not _is_against("Everybody is healthy", "Had the flu all week.")


@pytest.mark.parametrize(("until", "is_against"), [(SAID, False), (NEXT_YEAR, True), (None, True)])
def test_what_has_ended_tells_no_other_value(until: datetime | None, *, is_against: bool) -> None:
    source = replace(row("S1", "I work at Nordlys.", at=SAID), valid_until=until)
    (passage,) = all_passages(source)
    assert speaks_against(Claim.of("I work at Siemens", [source], NOW), passage, NOW) is is_against


def test_of_a_claim_figures_and_their_units_take_up_nothing() -> None:
    source = row("S1", "The bike costs 300 euros.")
    (passage,) = all_passages(source)
    assert takes_up(Claim.of("The budget is 60,000 euros", [source], NOW), passage) == 0.0
    assert takes_up(Claim.of("The bike costs 350 euros", [source], NOW), passage) == 1.0
    assert takes_up(Claim.of("350", [source], NOW), passage) == 0.0


@given(st.sampled_from(["healthy", "ill", "single", "married", "vegetarian", "happy", "sad", "unemployed"]))
def test_a_state_denied_twice_states_itself_and_never_opposes_itself(state: str) -> None:
    said = f"Ada is {state}."
    denied = f"Ada is not {state}."
    assert opposed(states_of(said), said) is None
    assert opposed(states_of(denied), denied) is None
    assert opposed(states_of(said), denied) is not None
    assert opposed(states_of(denied), said) is not None


def test_without_any_state_nothing_is_opposed() -> None:
    assert states_of("The sky over Bergen") == []
    assert opposed(states_of("The sky over Bergen"), "Ada is ill.") is None


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("I finished the scarf", "I finished the incomplete scarf."),
        ("Ruth paid me back", "Ruth paid me back the 15 euros she owed me."),
        ("I slept well", "I slept well after three sleepless nights."),
        ("The ferry was on time", "The ferry was on time although a delay had been announced."),
        ("My son is healthy", "My son is healthy; his infection is over."),
        ("I am healthy", "I recovered from the bronchitis."),
        ("I can eat shrimps", "I am not allergic to shrimps."),
        ("I am sober", "I ordered wine for Ruth."),
        ("I am sober", "I poured Ruth a whisky."),
        ("I am vegan", "The burgers at the fair were vegan burgers."),
        ("I am a non-smoker", "I used to smoke, but I quit."),
        ("I prefer oat milk", "I prefer buses for short ways."),
        ("I prefer oat milk", "I prefer it to be quiet."),
        ("I prefer buses", "I prefer buses over trams."),
    ],
)
def test_what_states_a_claim_or_that_its_opposite_is_no_more_does_not_speak_against_it(claim: str, said: str) -> None:
    assert not _is_against(claim, said)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("I am healthy", "I was healthy before I caught the flu."),
        ("I am healthy", "I was in good health until the surgery."),
        ("I am healthy", "I was healthy the day the fever came."),
        ("I am healthy", "I recovered from the flu, but I broke my ankle."),
        ("I am vegan", "I cooked a steak for dinner."),
        ("I am vegan", "I bought a burger."),
        ("I prefer oat milk", "I prefer almond milk."),
        ("I prefer trams", "I prefer buses over trams."),
        ("I prefer buses over trams", "I prefer trams on Mondays."),
    ],
)
def test_a_turn_to_the_opposite_and_a_choice_of_the_same_kind_speak_against_a_claim(claim: str, said: str) -> None:
    assert _is_against(claim, said)
