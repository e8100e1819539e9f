"""Numbers and dates as people write them: glued to their unit, in words, with a colon (DESIGN 6 stage 4, ruling D1)."""

from datetime import UTC, datetime

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.text.clocks import times_in_other_words

_WRITTEN = datetime(2024, 5, 3, tzinfo=UTC)


def _verdict(claim: str, source: str, at: datetime = _WRITTEN) -> str:
    return judge_sentence(claim, grounds(row("S1", source, at=at)), 1.65).verdict


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        ("I weigh 83kg.", "You weigh 83 kg.", "You weigh 8 kg."),
        ("I weigh 83kg.", "You weigh 83kg.", "You weigh 89kg."),
        ("I take 150mg of sertraline.", "You take 150 mg of sertraline.", "You take 15 mg of sertraline."),
        ("I take 75mcg of thyroxine.", "You take 75 micrograms of thyroxine.", "You take 7 micrograms of thyroxine."),
        ("I take 75mcg of thyroxine.", "You take 75 mcg of thyroxine.", "You take 75mg of thyroxine."),
        ("The rent is 890eur a month.", "The rent is 890 euros a month.", "The rent is 89 a month."),
        ("The train leaves at 7:40am.", "The train leaves at 7:40 am.", "The train leaves at 7:40 pm."),
        ("The train leaves at 11pm.", "The train leaves at 11 p.m.", "The train leaves at 1 pm."),
        ("I live at Elm Street 12b.", "You live at Elm Street 12b.", "You live at Elm Street 13b."),
        ("The battery holds 5000mAh.", "The battery holds 5000 mAh.", "The battery holds 500 mAh."),
    ],
)
def test_a_number_glued_to_its_unit_is_the_whole_number(source: str, true: str, false: str) -> None:
    assert _verdict(true, source) == "supported"
    assert _verdict(false, source) != "supported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The deposit is due on 12 June.", "The deposit is due on 3 May 2024."),
        ("The contract with Orlan ends in August.", "The contract with Orlan ends on 3 May 2024."),
        ("Ella was born in 2019.", "Ella was born on 3 May 2024."),
        ("My passport expires in two years.", "Your passport expires in 2024."),
        ("The lease ends in three months.", "The lease ends in May 2024."),
        ("The exam is next week.", "The exam is on 3 May 2024."),
        ("The warranty will expire soon.", "The warranty will expire on 3 May 2024."),
        ("We'll paint the fence.", "You will paint the fence on 3 May 2024."),
        ("The choir meets on Tuesday.", "The choir meets on 3 May 2024."),
        ("I saw Gregor yesterday.", "You saw Gregor on 3 May 2024."),
        ("My locker has a new code.", "Your locker has the new code 2024."),
        ("My locker has a new code.", "Your locker has the new code 3."),
        ("I got a new locker code yesterday.", "You got the new locker code 2."),
        ("The rent for the garage went up.", "The rent for the garage went up to 2024."),
    ],
)
def test_the_day_of_writing_dates_nothing_that_has_a_time_of_its_own(source: str, claim: str) -> None:
    assert _verdict(claim, source) != "supported"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The deposit is due on 12 June.", "The deposit is due on 12 June 2024."),
        ("The deposit is due on 12 June.", "On 3 May 2024 you noted that the deposit is due on 12 June."),
        ("The deposit is due on 12 June.", "As of your note of 3 May 2024, the deposit is due on 12 June."),
        ("The deposit is due on 12 June.", "The deposit is due on 12 June (noted on 3 May 2024)."),
        ("The deposit is due on 12 June.", "2024-05-03: The deposit is due on 12 June."),
        ("We went to the zoo with the kids.", "You went to the zoo with the kids on 3 May 2024."),
        ("Bought a bike from Ole.", "You bought a bike from Ole in May 2024."),
        ("Bought a bike from Ole.", "You bought a bike from Ole in 2024."),
        ("Signed the lease for the flat today.", "You signed the lease for the flat on 3 May 2024."),
        ("I started at Orlan.", "You started at Orlan on the 3rd."),
        ("I joined the choir last week.", "You joined the choir the week before 3 May 2024."),
        ("My passport expires in two years.", "Your passport expires in 2026."),
        ("The visa runs out in ten days.", "The visa runs out on 13 May 2024."),
        ("The deadline is the 3rd of next month.", "The deadline is 3 June 2024."),
        ("The choir meets on Friday.", "The choir meets on Friday, 3 May 2024."),
    ],
)
def test_the_day_of_writing_dates_what_was_told_of_it(source: str, claim: str) -> None:
    assert _verdict(claim, source) == "supported"


def test_a_row_without_a_day_of_writing_dates_nothing() -> None:
    assert _verdict("You bought a bike from Ole in 2024.", "Bought a bike from Ole.", UNDATED) != "supported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        (
            "Ran the half marathon in 1:58.",
            "You ran the half marathon in 1 hour and 58 minutes.",
            "You ran the half marathon in 1 hour and 48 minutes.",
        ),
        (
            "Finished the marathon in 4:12:30.",
            "You finished the marathon in 4 hours, 12 minutes and 30 seconds.",
            "You finished the marathon in 4 hours, 21 minutes and 30 seconds.",
        ),
        (
            "Swam the bay in 41:07.",
            "You swam the bay in 41 minutes and 7 seconds.",
            "You swam the bay in 14 minutes and 7 seconds.",
        ),
        ("The library closes at 18:30.", "It closes at 6:30 pm.", "It closes at 6:30 am."),
        ("The library closes at 18:30.", "The library closes at 6:30.", "The library closes at 7:30 pm."),
        ("The pool opens at 06:15.", "The pool opens at 6:15 am.", "The pool opens at 6:15 pm."),
        ("The pool opens at 6:30 am.", "The pool opens at 06:30.", "The pool opens at 18:30."),
        ("The show starts at 0:15.", "The show starts at 12:15 am.", "The show starts at 12:15 pm."),
        (
            "Flight to Riga Fri 12.9. 06:55",
            "Your flight to Riga is on Friday, 12 September at 6:55.",
            "Your flight to Riga is on Friday, 12 October at 6:55.",
        ),
        ("Yoga Thu+Fri at 7.", "Yoga is on Thursday and Friday at 7.", "Yoga is on Thursday and Saturday at 7."),
        ("Choir rehearsal Mon 19:00.", "The choir rehearsal is on Monday.", "The choir rehearsal is on Tuesday."),
        (
            "The tank of the boat holds 45l.",
            "The tank of the boat holds 45 litres.",
            "The tank of the boat holds 54 litres.",
        ),
        ("The house cost half a million.", "The house cost 500,000.", "The house cost 1,000,000."),
    ],
)
def test_a_figure_in_another_usual_form_is_the_same(source: str, true: str, false: str) -> None:
    assert _verdict(true, source) == "supported"
    assert _verdict(false, source) != "supported"


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("It closes at 18:30.", ("18:30 18:30 6:30 pm",)),
        ("It opens at 7:05.", ("7:05 07:05 7:05",)),
        ("We met at noon for 5 minutes.", ()),
        ("Done in 1:58!", ("1:58 01:58 1:58", "0 hours 1 minutes 58 seconds", "1 hours 58 minutes 0 seconds")),
    ],
)
def test_a_time_is_spelt_as_others_may_write_it(text: str, spelt: tuple[str, ...]) -> None:
    assert times_in_other_words(text) == spelt


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The rent goes up by 40 euros in July.", "The rent goes up to 40 euros in July."),
        ("Interest fell from 4.1 to 3.6 percent.", "Interest fell by 3.6 percent."),
        ("The council cut the grant by 15 percent.", "The council cut the grant to 15 percent."),
        ("The lease was extended by two years.", "The lease was extended to two years."),
        ("My weight went down from 92 to 84 kg.", "Your weight went down by 84 kg."),
        ("The choir grew from 12 to 30 singers.", "The choir grew by 30 singers."),
        ("The kayak's price dropped by €120.", "The kayak's price dropped to €120."),
        ("Die Miete steigt um 40 Euro.", "Die Miete steigt auf 40 Euro."),
        ("The meeting moved from 10:00 to 14:30.", "The meeting moved from 14:30."),
        ("My flight lands at 18:05 in Lisbon.", "Your flight departs at 18:05 from Lisbon."),
    ],
)
def test_how_far_is_not_what_to(source: str, claim: str) -> None:
    assert _verdict(claim, source) == "contradicted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The rent goes up by 40 euros to 940 in July.", "The rent goes up by 40 euros in July, to 940."),
        ("Interest fell from 4.1 to 3.6 percent.", "Interest was 4.1 percent and fell to 3.6 percent."),
        ("The grant was cut by 15 percent.", "The grant was cut by 15%."),
        ("My weight went down from 92 to 84 kg.", "Your weight went down to 84 kg from 92."),
        ("I sold the paintings to 30 collectors.", "The paintings were sold by you to 30 collectors."),
        ("The desk was open from 9 to 5.", "The desk was open by 5, from 9."),
        ("The desk moved, open from 9:00 to 17:00.", "The desk that moved is open by 17:00."),
        ("We sold the prints to 30 people.", "The prints were sold by 30 people."),
        ("The rent rose by about 40 euros.", "The rent rose by 40 euros."),
        ("Die Miete steigt um 40 Euro.", "Die Miete steigt um 40 Euro."),
        ("My flight lands at 18:05 in Lisbon.", "Your flight arrives in Lisbon at 18:05."),
        ("We left Lund, then bought land in Spain.", "You left Lund and bought land in Spain."),
    ],
)
def test_an_amount_told_behind_the_same_word_or_counting_people_is_no_other_step(source: str, claim: str) -> None:
    found = judge_sentence(claim, grounds(row("S1", source, at=_WRITTEN)), 1.65).findings
    assert not any(one.flag in ("number", "antonym") for one in found)
