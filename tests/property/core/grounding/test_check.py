"""Whatever is checked against whatever, there is a report or a message, and nothing else."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables import tables
from voice.core.errors import InvalidParams
from voice.core.grounding.check import Fact, check_report, parse_answer, parse_facts, prove_text

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("grounding:check:bounded")
_PIECES = st.sampled_from(TABLES["pieces"])
_TEXT = st.lists(_PIECES | st.text(st.characters(), max_size=12), max_size=12).map(" ".join)
_FACTS = st.lists(st.builds(Fact, text=_TEXT, id=st.sampled_from(["1", "2", "a", "S1", "S7", "a, 2", ""])), max_size=4)


@given(_TEXT, _FACTS)
@settings(max_examples=150)
def test_a_report_is_sound_whatever_is_checked(answer: str, facts: list[Fact]) -> None:
    try:
        report = check_report(prove_text(answer, facts), facts)
    except InvalidParams:
        return
    texts = {fact.id: fact.text for fact in facts}
    assert report.claims
    assert 0 <= report.coverage <= 1
    for claim in report.claims:
        assert claim.rung in ("quoted", "unverified", "unsupported")
        assert 0 <= claim.score <= 1
        assert bool(claim.citations) == claim.is_proven
        assert bool(claim.reasons) != claim.is_proven
        assert all(texts[one.source_id][one.start : one.end] == one.span for one in claim.citations)
        assert all(claim.text[part.start : part.end] == part.text for part in claim.missing)


@given(_TEXT)
def test_what_is_read_is_facts_and_an_answer_or_a_message(text: str) -> None:
    for read in (parse_facts, parse_answer):
        with suppress(InvalidParams):
            read(text)
