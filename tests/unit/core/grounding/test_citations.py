"""Where a citation stands in its row, or why it is none."""

import pytest

from grounding_rows import MEMORY, MOVE, row
from voice.core.grounding.citations import check_citations, leading_markers, unbracketed_markers
from voice.core.grounding.values import DraftSource, LocatedSpan, SpanStatus
from voice.core.messages.asking import CITES_UNSEEN, MARKS_UNSEEN, QUOTATION_TOO_SHORT
from voice.core.text.spans import locate

ROWS = {each.alias: each for each in (*MEMORY, row("S4", "It is so."))}
pytestmark = pytest.mark.requirement("ruling:D1", "ruling:C13")


def located(
    status: SpanStatus, start: int = 0, end: int = 0, reason: str | None = None, alias: str = "S1"
) -> LocatedSpan:
    return LocatedSpan(alias=alias, status=status, start=start, end=end, reason=reason)


@pytest.mark.parametrize(
    ("alias", "span", "found"),
    [
        ("S1", " ", located("exact", 0, len(MOVE.text))),
        *((alias, "to Stockholm", located("exact", 8, 20)) for alias in ("[s1]", "(s1)", " S1 ")),
        ("S1", "TO  Stockholm", located("normalised", 8, 20)),
        ("S1", "[2023-05-08] Bo: to Stockholm", located("exact", 8, 20)),
        ("S4", "It is so.", located("exact", 0, 9, alias="S4")),
        ("S1", "of the", located("uninformative_span", reason=QUOTATION_TOO_SHORT)),
        ("S1", "with my", located("uninformative_span", reason=QUOTATION_TOO_SHORT)),
        ("S1", "I sold the flat.", located("fabricated_span", reason=locate("I sold the flat.", MOVE.text).reason)),
        ("S9", "to Stockholm", located("unknown_source", reason=CITES_UNSEEN, alias="")),
    ],
)
def test_a_citation_is_located_or_rejected_with_its_reason(alias: str, span: str, found: LocatedSpan) -> None:
    sources = [DraftSource(source_id=alias, span=span)] * 2
    citations = check_citations(sources, "It is.", ROWS)
    assert citations == (((found,), ()) if found.accepted else ((), (found,)))
    assert citations.fabricated == ((found,) if found.status in ("fabricated_span", "unknown_source") else ())


def test_a_marker_of_no_row_is_a_citation_of_none() -> None:
    unknown = located("unknown_source", reason=MARKS_UNSEEN, alias="")
    for text, rejected in (("It [S9] is.", (unknown,)), ("It 【S1】 is.", (unknown,)), ("It [S1] is [sic].", ())):
        assert check_citations([], text, ROWS).rejected == rejected
    assert leading_markers(" [S1] [S2, S3] It is [S1].") == 14
    assert unbracketed_markers("It [s 1 and 2] is [sic].") == "It s 1 and 2 is [sic]."
