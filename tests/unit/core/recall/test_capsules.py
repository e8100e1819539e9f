"""How a capsule is opened, summed up and closed."""

import math
from dataclasses import replace
from datetime import timedelta

import pytest

from recall_rows import distilled
from recall_values import EVERYWHERE, capsule, summary
from store_values import NOON, entity, full_session, session, thought
from voice.core.errors import CapsuleClosed, InvalidParams, UnknownId
from voice.core.recall.capsules import (
    MAX_EVIDENCE,
    MAX_INTENT_CHARS,
    MAX_SUMMARY_CHARS,
    NewSummary,
    close_capsule,
    live_summary,
    open_capsule,
    owner_of_summary,
    require_place,
    require_rows,
    summarise,
    summary_of_session,
)
from voice.core.recall.values import Capsule
from voice.core.records import Row, RowStatus, Scope

LATER = NOON + timedelta(hours=1)


def summed(said: NewSummary, *evidence: Row, into: Capsule | None = None) -> Capsule:
    return summarise(into or capsule(), said, evidence, now=LATER)


def test_a_capsule_opens_with_its_intent_on_one_line() -> None:
    opened = open_capsule(" mend\nthe  login ", EVERYWHERE, capsule_id="c:1", now=NOON)
    assert opened == capsule(scope=EVERYWHERE)
    assert opened.status == "open"


@pytest.mark.parametrize(
    ("intent", "scope", "words"),
    [("  ", Scope(), "empty"), ("x" * (MAX_INTENT_CHARS + 1), Scope(), "at most"), ("x", Scope.ALL, "one scope")],
)
def test_a_capsule_about_nothing_too_much_or_everything_is_refused(intent: str, scope: Scope, words: str) -> None:
    with pytest.raises(InvalidParams, match=words):
        open_capsule(intent, scope, capsule_id="c:1", now=NOON)


def test_closing_twice_is_closing_once() -> None:
    closed = close_capsule(capsule(), now=LATER)
    assert (closed.status, closed.closed_at) == ("closed", LATER)
    assert close_capsule(closed, now=LATER + timedelta(hours=1)) is closed


def test_a_capsule_is_never_closed_before_it_was_opened() -> None:
    assert close_capsule(capsule(), now=NOON - timedelta(days=1)).closed_at == NOON


@pytest.mark.requirement("s4:provenance:summary")
def test_a_summary_says_what_it_rests_on_how_sure_it_is_and_whose_it_is() -> None:
    rows = (thought("2", scope=EVERYWHERE), entity("1", scope=EVERYWHERE))
    done = summed(NewSummary(content=" Mended. ", confidence=0.25), *rows, into=capsule(scope=EVERYWHERE))
    assert done.summary == summary(
        content="Mended.", confidence=0.25, evidence_refs=("t:2", "e:1"), created_at=LATER, scope=EVERYWHERE
    )
    assert (done.revision, done.status) == (1, "open")


@pytest.mark.requirement("ruling:H.5")
def test_a_summary_is_private_if_one_of_its_rows_is_or_if_that_was_said() -> None:
    rows = (thought("1"), thought("2", is_private=True))
    private = [summed(NewSummary(content="x"), *some).summary for some in (rows[:1], rows)]
    assert [each is not None and each.is_private for each in private] == [False, True]
    said = summed(NewSummary(content="x", is_private=True)).summary
    assert said is not None
    assert said.is_private


def test_nothing_is_written_to_a_closed_capsule() -> None:
    with pytest.raises(CapsuleClosed, match="c:1"):
        summed(NewSummary(content="x"), into=close_capsule(capsule(), now=LATER))


@pytest.mark.parametrize("confidence", [-0.01, 1.01, math.nan, math.inf])
def test_a_confidence_beyond_its_bounds_is_refused(confidence: float) -> None:
    with pytest.raises(InvalidParams, match="0 to 1"):
        summed(NewSummary(content="x", confidence=confidence))


@pytest.mark.parametrize("content", ["", "\n", "x" * (MAX_SUMMARY_CHARS + 1)])
def test_a_summary_of_nothing_or_too_much_is_refused(content: str) -> None:
    with pytest.raises(InvalidParams, match="the summary"):
        summed(NewSummary(content=content))


def test_the_words_of_a_summary_stay_out_of_what_is_printed_of_it() -> None:
    assert "secret" not in repr(NewSummary(content="secret"))
    assert repr(NewSummary(content="secret")).startswith("NewSummary(")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (thought(status=RowStatus.REDACTED, scope=EVERYWHERE), "redacted"),
        (thought(scope=Scope(repo_id="other")), "not in the scope"),
    ],
)
def test_a_summary_rests_on_live_rows_of_its_own_scope(row: Row, words: str) -> None:
    with pytest.raises(InvalidParams, match=words):
        summed(NewSummary(content="x"), row, into=capsule(scope=EVERYWHERE))


@pytest.mark.requirement("ruling:D16")
def test_a_summary_falls_with_a_row_behind_it() -> None:
    written = summary(evidence_refs=("t:1", "t:2"))
    rows: dict[str, Row] = {"t:1": thought("1"), "t:2": thought("2")}
    assert live_summary(written, rows) == written
    assert live_summary(summary(), {}) == summary()
    assert live_summary(written, {"t:1": rows["t:1"]}) is None
    for status in (RowStatus.REDACTED, RowStatus.SUPERSEDED, RowStatus.REMOVAL):
        assert live_summary(written, rows | {"t:2": thought("2", status=status)}) is None


@pytest.mark.requirement("ruling:H.5")
def test_a_summary_becomes_private_with_a_row_behind_it() -> None:
    written = summary(evidence_refs=("t:1",))
    assert live_summary(written, {"t:1": thought(is_private=True)}) == replace(written, is_private=True)
    private = replace(written, is_private=True)
    assert live_summary(private, {"t:1": thought()}) == private


@pytest.mark.requirement("promise:6", "ruling:D16", "ruling:H.5")
def test_a_summary_stands_and_is_private_by_the_thoughts_its_rows_say_again() -> None:
    written, row = summary(evidence_refs=("o:1",)), distilled("1", "The vault code is 4711.", "t:1")
    rows: dict[str, Row] = {"o:1": row, "t:1": thought("1")}
    assert live_summary(written, rows) == written
    assert live_summary(written, rows | {"t:1": thought("1", is_private=True)}) == replace(written, is_private=True)
    assert live_summary(written, rows | {"t:1": thought("1", status=RowStatus.REDACTED)}) is None
    assert live_summary(written, rows | {"t:1": thought("1", status=RowStatus.REMOVAL)}) == written
    with pytest.raises(InvalidParams, match="o:1 repeats"):
        require_rows(["o:1"], rows | {"t:1": thought("1", status=RowStatus.REDACTED)})


def test_a_thought_goes_into_an_open_capsule_of_its_own_scope() -> None:
    require_place(capsule(scope=EVERYWHERE), EVERYWHERE)
    for scope in (Scope(), Scope(repo_id="other"), replace(EVERYWHERE, user_id=None)):
        with pytest.raises(InvalidParams, match="another scope"):
            require_place(capsule(scope=EVERYWHERE), scope)
    with pytest.raises(CapsuleClosed):
        require_place(close_capsule(capsule(), now=LATER), Scope())


def test_a_sessions_rolling_summary_is_its_capsules() -> None:
    told = full_session()
    assert told.rolling_summary is not None
    found = summary_of_session(told)
    assert found == summary(
        "s:1",
        content=told.rolling_summary.text,
        confidence=1.0,
        evidence_refs=("o:1",),
        created_at=told.rolling_summary.last_updated,
        scope=Scope(session_id="s:1"),
        is_private=True,
    )


def test_a_session_that_folded_nothing_has_no_summary() -> None:
    told = full_session()
    assert told.rolling_summary is not None
    assert summary_of_session(session()) is None
    assert summary_of_session(replace(told, rolling_summary=replace(told.rolling_summary, text=""))) is None


def test_the_id_of_a_summary_names_its_owner() -> None:
    assert [owner_of_summary(each) for each in ("m:c:1", "m:s:1", "t:1", "")] == ["c:1", "s:1", None, None]


def test_what_a_summary_rests_on_is_stored_and_named_once() -> None:
    rows: dict[str, Row] = {"t:1": thought("1"), "t:2": thought("2")}
    assert require_rows(["t:2", "t:1", "t:2"], rows) == [rows["t:2"], rows["t:1"]]
    with pytest.raises(UnknownId, match="t:3"):
        require_rows(["t:1", "t:3"], rows)
    with pytest.raises(InvalidParams, match="at most"):
        require_rows([f"t:{place}" for place in range(MAX_EVIDENCE + 1)], rows)
