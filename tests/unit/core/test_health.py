"""Whether a memory is in order, as findings a person can act on."""

from datetime import UTC, datetime, timedelta

import pytest

from tables import tables
from voice.core.health import (
    Finding,
    HomeFacts,
    is_healthy,
    judge_clock,
    judge_disk,
    judge_home,
    judge_index,
    judge_pins,
    judge_settings,
    judge_torn,
    judge_vectors,
)

TABLES = tables(__file__)

NOW = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("facts", "state", "advice"),
    [
        (HomeFacts(path="/m", kind="missing"), "fault", "voice init"),
        (HomeFacts(path="/m", kind="other"), "fault", "VOICE_HOME"),
        (HomeFacts(path="/m", kind="directory", mode=0o700), "fault", "change its permissions"),
        (HomeFacts(path="/m", kind="directory", mode=0o755, is_writable=True), "fault", "chmod 700 /m"),
        (HomeFacts(path="/m", kind="directory", mode=0o700, is_writable=True), "ok", ""),
    ],
)
def test_a_data_directory_is_there_ours_alone_and_writable(facts: HomeFacts, state: str, advice: str) -> None:
    finding = judge_home(facts)
    assert (finding.state, advice in finding.advice) == (state, True)


@pytest.mark.parametrize(("free", "state"), TABLES["room_on_the_disk_is_judged_by_how_much_is_left"])
def test_room_on_the_disk_is_judged_by_how_much_is_left(free: int | None, state: str) -> None:
    assert judge_disk(free).state == state


def test_each_remark_about_settings_is_a_finding_and_so_is_the_gate() -> None:
    assert [finding.state for finding in judge_settings([], enabled=True)] == ["ok", "ok"]
    remarked = judge_settings(["one", "two"], enabled=False)
    assert [(finding.name, finding.state) for finding in remarked] == [
        ("settings", "remark"),
        ("settings", "remark"),
        ("gate", "remark"),
    ]


@pytest.mark.parametrize(
    ("now", "newest", "state"),
    [
        (NOW, None, "ok"),
        (NOW, NOW + timedelta(minutes=5), "ok"),
        (NOW, NOW + timedelta(minutes=6), "fault"),
        (datetime(1970, 1, 1, tzinfo=UTC), None, "fault"),
    ],
)
def test_a_clock_is_neither_older_than_the_program_nor_than_what_was_kept(
    now: datetime, newest: datetime | None, state: str
) -> None:
    assert judge_clock(now, newest).state == state


def test_rows_without_a_vector_and_an_index_out_of_step_are_told() -> None:
    assert judge_vectors(pending=0, comparable=5, foreign=0).detail == "all 5 rows have one"
    waiting = judge_vectors(pending=3, comparable=5, foreign=0)
    assert (waiting.state, waiting.advice) == ("remark", "run: voice maintain rebuild vectors")
    assert waiting.detail == "3 rows have no vector; only words find them"
    assert judge_index([], 7).state == "ok"
    assert judge_index(["one", "two"], 7).detail == "one; two"


@pytest.mark.requirement("ruling:C17")
def test_vectors_of_another_encoder_are_told_and_blind_a_memory_that_has_no_others() -> None:
    some = judge_vectors(pending=0, comparable=5, foreign=2)
    assert (some.state, some.advice) == ("remark", "run: voice maintain rebuild vectors")
    every = judge_vectors(pending=1, comparable=0, foreign=2)
    assert (every.state, every.advice) == ("fault", "run: voice maintain rebuild vectors")
    assert "2 rows have a vector of another encoder" in every.detail
    assert "1 row has no vector" in every.detail


def test_an_index_says_how_many_rows_were_asked_for_by_their_vector() -> None:
    assert "4 of them by their own words and vector found" in judge_index([], 9, asked=4, asked_by_vector=4).detail
    assert "searches for 4 of them by their own words, 0 also by their vector" in judge_index([], 9, asked=4).detail


def test_a_pin_whose_target_is_gone_is_worth_knowing_and_no_fault() -> None:
    assert [judge_pins(*counts).state for counts in ((0, 0), (3, 0), (3, 1))] == ["ok", "ok", "remark"]
    assert (judge_pins(0, 0).detail, "1 of 3" in judge_pins(3, 1).detail) == ("none", True)


def test_only_a_fault_is_unhealthy_and_what_is_not_in_order_says_what_to_do() -> None:
    states = ("ok", "remark", "unchecked")
    findings = [Finding(name="x", state=state, detail="") for state in states]
    assert is_healthy(findings)
    assert not is_healthy([*findings, judge_index(["broken"], 1)])


@pytest.mark.requirement("ruling:I8")
def test_notes_that_were_stored_in_part_are_a_fault_that_can_be_mended() -> None:
    assert judge_torn(0).state == "ok"
    fault = judge_torn(1)
    assert (fault.state, fault.detail) == ("fault", "a killed command stored only a part of some notes: 1 row")
    assert "voice maintain verify --mend" in fault.advice
