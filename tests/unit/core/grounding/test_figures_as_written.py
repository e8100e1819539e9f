"""Numbers and dates as people write them: glued to their unit, in words, with a colon (DESIGN 6 stage 4, ruling D1)."""

from datetime import UTC, datetime

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import judge_sentence

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
