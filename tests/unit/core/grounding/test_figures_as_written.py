"""Numbers and dates as people write them: glued to their unit, in words, with a colon (DESIGN 6 stage 4, ruling D1)."""

from datetime import UTC, datetime

import pytest

from grounding_rows import grounds, row
from voice.core.grounding.claims import judge_sentence

_WRITTEN = datetime(2024, 5, 3, tzinfo=UTC)


def _verdict(claim: str, source: str) -> str:
    return judge_sentence(claim, grounds(row("S1", source, at=_WRITTEN)), 1.65).verdict


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
