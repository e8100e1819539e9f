"""Looking for a turn's evidence: in the window, then wider step by step, and never longer than it may take."""

from dataclasses import replace
from datetime import timedelta

import pytest

from present import present
from retrieval_doubles import NOW, BelievingIndex, OneVector, Rows, StepClock, retrieve_over
from retrieval_rows import AT, observation, thought
from tables import tables
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import ParsedQuery
from voice.core.records import Row, table_of
from voice.core.retrieval.passages import EvidenceRequest
from voice.core.retrieval.selection import OUT_OF_TIME
from voice.core.retrieval.selection_rules import text_key
from voice.core.retrieval.values import Hit, RetrieveParams, Window
from voice.core.text.normalise import content_hash
from voice.services.turn.evidence import FindEvidence, names_its_time

TABLES = tables(__file__)


def hits(*rows: Row) -> tuple[Hit, ...]:
    created = round(AT.timestamp() * 1_000_000)
    return tuple(
        Hit(row_id=row.id, table=table_of(row.id), cosine=0.5, lexical=0.1, created_us=created) for row in rows
    )


def finder(index: BelievingIndex, *rows: Row, timeout_ms: float = 1e6) -> FindEvidence:
    retrieve = retrieve_over(Rows.of(*rows), index, OneVector())
    return FindEvidence(retrieve=retrieve, clock=StepClock(), timeout_ms=timeout_ms)


def asked(question: str, when: str | None = None) -> tuple[EvidenceRequest, ParsedQuery]:
    parsed = parse_query(question, now=NOW, timezone="UTC", when=when)
    return EvidenceRequest(query=question, window=parsed.window or Window(), phrases=parsed.phrases), parsed


@pytest.mark.requirement("ruling:E.4a")
async def test_an_empty_day_is_widened_step_by_step_and_that_is_said_once() -> None:
    index = BelievingIndex(hits=())
    wanted, parsed = asked("Where was the kiln two weeks ago?")
    found = await finder(index)(wanted, parsed)
    windows = [query.filter.window for query in index.queries]
    assert windows == [parsed.window, *present(parsed.time).widenings]
    assert [str(warning).count("searched a little wider") for warning in found.selection.diagnostics.warnings] == [1]
    assert found.wanted.window == windows[-1]


@pytest.mark.requirement("ruling:E.8")
async def test_what_nothing_holds_is_looked_for_without_its_quotation() -> None:
    row = observation("1", "the kiln is in the shed")
    found = await finder(BelievingIndex(hits=hits(row)), row)(*asked('Who said "purple moon"?'))
    assert [one.row.id for one in found.selection.chosen] == [row.id]
    said = ("no passage contains “purple moon”", "searched without the quoted words")
    assert found.selection.diagnostics.warnings == said


@pytest.mark.requirement("s3:performance:timeout", "ruling:E.10")
async def test_when_time_is_up_nothing_wider_is_searched_and_the_result_is_flagged() -> None:
    index = BelievingIndex(hits=())
    found = await finder(index, timeout_ms=0)(*asked("Where was the kiln two weeks ago?"))
    assert len(index.queries) == 1
    assert found.selection.diagnostics.partial
    assert found.selection.diagnostics.warnings == (OUT_OF_TIME,)
    assert "kiln" not in repr(index.queries)  # promise 6


@pytest.mark.requirement("s3:performance:timeout", "ruling:E.10")
@pytest.mark.parametrize("explain", [True, False])
async def test_when_time_is_up_the_best_ranked_rows_are_returned(*, explain: bool) -> None:
    # the best twenty say the same, so that one look does not fill ten places
    rows = tuple(thought(str(number), f"note {max(0, number - 20)} about the kiln") for number in range(80))
    retrieve = retrieve_over(Rows.of(*rows), BelievingIndex(hits=hits(*rows)), OneVector())
    params = RetrieveParams(query="kiln", top_k=10, mix=0.0, floor=0.0, min_floor=0.0, explain=explain)
    late = await retrieve(params, until_ms=0.0)
    whole = await retrieve(params, until_ms=1e9)
    assert late.diagnostics.partial
    assert not whole.diagnostics.partial
    assert 1 <= len(late.snippets) < len(whole.snippets)
    assert {snippet.id for snippet in late.snippets} <= {snippet.id for snippet in whole.snippets}


@pytest.mark.requirement("s3:performance:timeout", "ruling:E.10")
@pytest.mark.parametrize(("explain", "equal", "near"), [(True, True, 30), (True, False, 3), (False, False, 3)])
async def test_rows_below_the_floor_and_doubles_are_not_missing(*, explain: bool, equal: bool, near: int) -> None:
    rows = tuple(thought(f"{number:02}", f"note {0 if equal else number} about the kiln") for number in range(30))
    found = tuple(
        replace(each, cosine=0.5 if place < near else 0.1, says=text_key(content_hash(row.content)))
        for place, (each, row) in enumerate(zip(hits(*rows), rows, strict=True))
    )
    retrieve = retrieve_over(Rows.of(*rows), BelievingIndex(hits=found), OneVector())
    params = RetrieveParams(query="kiln", top_k=5, mix=0.0, floor=0.3, min_floor=0.3, explain=explain)
    late, whole = await retrieve(params, until_ms=0.0), await retrieve(params, until_ms=1e9)
    assert (late.diagnostics.partial, len(late.snippets)) == (False, 1 if equal else 3)
    assert (late.snippets, late.dropped, bool(late.dropped)) == (whole.snippets, whole.dropped, explain)


@pytest.mark.requirement("ruling:E.5")
@pytest.mark.parametrize(
    ("question", "when", "named"), TABLES["only_a_question_that_names_its_time_may_look_at_other_times"]
)
def test_only_a_question_that_names_its_time_may_look_at_other_times(
    *, question: str, when: str | None, named: bool
) -> None:
    assert names_its_time(parse_query(question, now=NOW, timezone="UTC", when=when)) is named


async def test_what_names_the_time_is_looked_for_at_any_time() -> None:
    named = observation("1", "In April I will plant beans.")
    other = observation("2", "I plant beans.")
    index = BelievingIndex(hits=hits(named, other))
    wanted, parsed = asked("What did I plant in April?")
    anytime = EvidenceRequest(query=wanted.query, now=NOW + timedelta(days=1))
    found = await finder(index, named, other).of_other_times(anytime, parsed)
    assert [one.row.id for one in found.selection.chosen] == [named.id]
    assert "notes that name it" in found.selection.diagnostics.warnings[0]
