"""Who holds a store, who gives way, and what is done again: decisions over values."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.errors import ConfigurationError, SchemaDrift
from voice.core.health import judge_holder
from voice.core.messages import memory as messages
from voice.core.store_holder import (
    MARKS,
    Effect,
    HolderDecision,
    HolderState,
    ProcessCard,
    WriteMark,
    effect_of,
    is_newer,
    judge_holder_card,
    retry_pause_s,
    silent_holder_message,
    write_outcome,
)

HOLDER = ProcessCard(
    protocol=1,
    version="0.2.0",
    format=14,
    namespace="voice",
    database="memory",
    pid=77,
    since=datetime(2026, 3, 5, 12, 0, tzinfo=UTC),
    command="voice serve",
)


@pytest.mark.requirement("holder:one")
def test_a_program_of_the_same_version_joins() -> None:
    assert judge_holder_card(replace(HOLDER, pid=78), HOLDER) is HolderDecision.JOIN


@pytest.mark.requirement("holder:step-down")
@pytest.mark.parametrize("newer", [{"version": "0.2.1"}, {"version": "1.0"}, {"format": 15}, {"protocol": 2}])
def test_a_newer_program_asks_an_older_holder_to_step_down(newer: dict[str, object]) -> None:
    mine = replace(HOLDER, **newer)  # pyright: ignore[reportArgumentType]
    assert judge_holder_card(mine, HOLDER) is HolderDecision.ASK_TO_STEP_DOWN
    assert not is_newer(HOLDER, mine)


@pytest.mark.requirement("holder:step-down")
def test_an_older_program_joins_a_newer_holder_whose_store_it_can_read() -> None:
    assert judge_holder_card(replace(HOLDER, version="0.1.9"), HOLDER) is HolderDecision.JOIN
    assert judge_holder_card(replace(HOLDER, version="0.2.0rc1"), HOLDER) is HolderDecision.JOIN


@pytest.mark.requirement("holder:step-down")
def test_an_older_program_is_told_what_it_does_not_know() -> None:
    with pytest.raises(SchemaDrift, match=r"voice serve \(process 77\) is voice 0.2.0 .*newer form .* voice 0.1.0"):
        judge_holder_card(replace(HOLDER, version="0.1.0", format=13), HOLDER)
    with pytest.raises(ConfigurationError, match=r"voice 0.2.0 and speaks a newer protocol"):
        judge_holder_card(replace(HOLDER, protocol=0), HOLDER)


@pytest.mark.requirement("holder:step-down")
def test_a_newer_program_that_knows_less_of_the_store_takes_nothing_over() -> None:
    with pytest.raises(SchemaDrift):
        judge_holder_card(replace(HOLDER, version="0.3.0", format=13), HOLDER)


@pytest.mark.requirement("holder:settings")
@pytest.mark.parametrize("other", [{"namespace": "mine"}, {"database": "mine"}])
def test_other_settings_are_refused_with_both_named(other: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=r"SURR_DB_NS=voice and SURR_DB_DB=memory, but this .*mine"):
        judge_holder_card(replace(HOLDER, **other), HOLDER)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("holder:unknown")
@pytest.mark.parametrize(
    ("statement", "effect"),
    [
        ("SELECT * FROM $meta", Effect.READS),
        ("{ LET $x = (SELECT 1); RETURN $x; }", Effect.READS),
        ("INFO FOR DB", Effect.READS),
        ("{ UPDATE $meta SET seq = 1; RETURN NONE; }", Effect.WRITES),
        ("UPSERT $id CONTENT $metric RETURN NONE", Effect.WRITES),
        ("DEFINE TABLE IF NOT EXISTS migrations SCHEMAFULL;", Effect.WRITES),
    ],
)
def test_a_statement_reads_or_writes_by_its_words(statement: str, effect: Effect) -> None:
    assert effect_of(statement) is effect


@pytest.mark.requirement("holder:unknown")
@pytest.mark.parametrize(
    ("found", "seq", "proof"),
    [
        (WriteMark(base=5, token="mine"), 6, "happened"),
        (WriteMark(base=5, token="mine"), 900, "happened"),
        (None, 5, "did not happen"),
        (WriteMark(base=5 - MARKS, token="old"), 5, "did not happen"),
        (WriteMark(base=5, token="theirs"), 6, "did not happen"),
        (WriteMark(base=5 + MARKS, token="theirs"), 900, "unknown"),
        (None, 6, "unknown"),
    ],
)
def test_a_mark_tells_whether_a_write_happened(found: WriteMark | None, seq: int, proof: str) -> None:
    assert write_outcome(WriteMark(base=5, token="mine"), found, seq) == proof


@given(st.integers(0, 1000), st.floats(0, 1, exclude_max=True))
def test_a_pause_is_short_and_never_nothing(attempt: int, chance: float) -> None:
    assert 0.005 <= retry_pause_s(attempt, chance) <= 0.25
    assert retry_pause_s(attempt, 0.0) < retry_pause_s(attempt, 0.9)


@pytest.mark.requirement("holder:asleep")
def test_silence_names_who_is_silent_and_how_to_wake_it() -> None:
    said = silent_holder_message(HOLDER, "/m/memory", 10.0)
    assert "voice serve (process 77) has not answered for 10 seconds" in said
    assert "kill -CONT 77" in said
    assert "kill" not in silent_holder_message(None, "/m/memory", 2.5)


@pytest.mark.requirement("holder:unknown", "holder:gone", "holder:restore")
def test_who_holds_the_store_is_named_and_what_to_do() -> None:
    assert messages.outcome_unknown("write rows", "it went away").endswith(
        "check whether it is there before you do it again"
    )
    said = messages.store_missing("/m/memory", HOLDER.named)
    assert "the store /m/memory is missing" in said
    assert "while voice serve (process 77) held it" in said
    assert "close every program that uses it, then put it back, or restore a backup" in said
    assert "uses it (voice mcp holds it), delete" in messages.restore_unfinished("voice mcp holds it")


@pytest.mark.requirement("holder:doctor", "holder:remote")
@pytest.mark.parametrize(
    ("holding", "state", "detail"),
    [
        (HolderState(state="elsewhere"), "ok", "not on this disk"),
        (HolderState(state="nobody"), "ok", "no process holds the store"),
        (HolderState(state="nobody", was_left_behind=True), "ok", "voice removed what a killed one left behind"),
        (HolderState(state="astray", holder=HOLDER, said="it holds another"), "fault", "it holds another"),
        (
            HolderState(state="answers", holder=HOLDER),
            "ok",
            "voice serve (process 77), voice 0.2.0, has held the store since",
        ),
        (
            HolderState(state="answers", holder=HOLDER, guests=(replace(HOLDER, pid=78, command="voice mcp"),)),
            "ok",
            "it is also used by voice mcp (process 78)",
        ),
        (HolderState(state="silent", said="it sleeps"), "fault", "it sleeps"),
        (HolderState(state="alone", said="voice (process 5) holds it"), "remark", "(process 5)"),
    ],
)
def test_the_doctor_says_who_holds_the_store(holding: HolderState, state: str, detail: str) -> None:
    finding = judge_holder(holding)
    assert (finding.name, finding.state) == ("holder", state)
    assert detail in finding.detail
    assert bool(finding.advice) is (state != "ok")
