"""A token of letters and digits, or an address, that differs in one sign names another thing (ruling D1)."""

import pytest

from grounding_rows import row
from voice.core.grounding.claims import Grounds, judge_sentence
from voice.core.grounding.identifiers import identifier_findings
from voice.core.grounding.passages import all_passages
from voice.core.grounding.who import people_of


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Your seat is 31D.", "My seat is 31F."),
        ("The booking is KX77PQ.", "The booking is KX71PQ."),
        ("Your account is DE02120300000000202052.", "My account is DE02120300000000202051."),
        ("Write to lena.vogt@example.net.", "Write to lena.vogel@example.net."),
    ],
)
def test_another_identifier_is_a_contradiction(claim: str, source: str) -> None:
    assert [one.effect for one in identifier_findings(claim, [source])] == ["contradicted"]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Your seat is 31d.", "My seat is 31D."),
        ("The booking is KX-77-PQ.", "The booking is KX77PQ."),
        ("The hall is near.", "The hall is room 4B."),
        ("It took 30min, from 9AM, for the 5-year-old.", "It took 40min, from 8AM, for the 6-year-old."),
        ("It was in Q2.", "It was in Q3."),
        ("Your flight is LH2.", "Write to lena.vogt@example.net."),
    ],
)
def test_the_same_identifier_or_a_measure_is_none(claim: str, source: str) -> None:
    assert identifier_findings(claim, [source]) == []


def test_an_answer_with_another_identifier_is_contradicted() -> None:
    rows = (row("S1", "My seat on the train to Ulm is 12B."),)
    grounds = Grounds(rows=rows, passages=tuple(all_passages(rows[0])), people=people_of(rows))
    judged = judge_sentence("Your seat on the train to Ulm is 12C.", grounds, 1.65)
    assert judged.verdict == "contradicted"
    assert "name" in {finding.flag for finding in judged.findings}
