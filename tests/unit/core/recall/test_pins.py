"""What may be pinned, how long and where."""

from datetime import UTC, datetime, timedelta

import pytest

from recall_rows import distilled
from store_values import NOON, entity, observation, thought
from voice.core.errors import InvalidParams
from voice.core.recall.pins import (
    MAX_LIFETIME,
    MAX_REASON_CHARS,
    PinRequest,
    Target,
    as_listed,
    make_pin,
    parse_lifetime,
    state_of,
    target_of,
)
from voice.core.recall.values import Pin
from voice.core.records import Origin, Row, RowStatus, Scope
from voice.core.vouch import Vouch

HERE = Scope(session_id="s", repo_id="r")


def made(to: Target | None = None, /, **members: object) -> Pin:
    said = {"reason": "it matters", **members}
    request = PinRequest(target_id="t:1", **said)  # pyright: ignore[reportArgumentType]
    return make_pin(request, to or target(thought()), pin_id="p:1", now=NOON)


def target(row: Row, *behind: Row) -> Target:
    return target_of(row.id, {each.id: each for each in (row, *behind)})


@pytest.mark.requirement("ruling:G.2d", "s4:provenance:pin")
def test_a_pin_carries_its_reason_its_time_and_its_targets_scope() -> None:
    assert made(target(thought(scope=HERE))) == Pin(
        id="p:1", target_id="t:1", reason="it matters", created_at=NOON, scope=HERE
    )


@pytest.mark.requirement("ruling:G.2d")
@pytest.mark.parametrize("asked", [HERE, Scope(repo_id="r"), Scope(session_id="s")])
def test_a_pin_may_name_any_of_its_targets_own_dimensions(asked: Scope) -> None:
    assert made(target(thought(scope=HERE)), scope=asked).scope == asked


@pytest.mark.requirement("ruling:G.2d")
@pytest.mark.parametrize(
    "asked", [Scope(repo_id="other"), Scope(session_id="s", user_id="u"), Scope(agent_id="a"), Scope()]
)
def test_a_pin_in_a_scope_that_is_not_its_targets_is_refused(asked: Scope) -> None:
    with pytest.raises(InvalidParams, match="never see"):
        made(target(thought(scope=HERE)), scope=asked)


def test_a_pin_does_not_belong_everywhere() -> None:
    with pytest.raises(InvalidParams, match="one scope"):
        made(scope=Scope.ALL)


@pytest.mark.requirement("ruling:G.2d")
@pytest.mark.parametrize(
    "row",
    [
        thought(status=RowStatus.REDACTED),
        thought(status=RowStatus.REMOVAL),
        thought(status=RowStatus.SUPERSEDED),
        thought(is_summary=True),
        thought(pipeline="inner_voice"),
    ],
    ids=["redacted", "marked", "superseded", "a summary of ours", "written by us"],
)
def test_what_is_not_live_is_not_pinned(row: Row) -> None:
    with pytest.raises(InvalidParams, match="t:1"):
        made(target(row))


@pytest.mark.requirement("ruling:H.5")
def test_a_private_target_is_pinned_only_where_that_is_allowed() -> None:
    secret = target(thought(is_private=True))
    with pytest.raises(InvalidParams, match="private"):
        made(secret)
    pin = made(secret, allow_private=True)
    assert (pin.target_id, pin.is_private, made(target(thought())).is_private) == ("t:1", True, False)


@pytest.mark.requirement("promise:6", "ruling:H.5")
def test_a_row_is_judged_by_the_thoughts_it_says_again() -> None:
    row = distilled("1", "The vault code is 4711.", "t:1")
    with pytest.raises(InvalidParams, match="o:1"):
        made(target(row, thought(status=RowStatus.REDACTED)))
    with pytest.raises(InvalidParams, match="private"):
        made(target(row, thought(is_private=True)))
    assert made(target(row, thought())).target_id == "o:1"


@pytest.mark.requirement("ruling:J2")
def test_what_waits_for_approval_cannot_be_pinned() -> None:
    for vouched in (Vouch.WAITING, Vouch.DECLINED):
        with pytest.raises(InvalidParams, match="waits for approval"):
            made(target(thought(origin=Origin.TOOL, vouched=vouched)))
    assert made(target(thought(origin=Origin.TOOL, vouched=Vouch.APPROVED))).target_id == "t:1"


@pytest.mark.requirement("promise:6")
def test_the_reason_of_what_may_not_be_told_any_more_is_not_listed() -> None:
    pin, again = made(), distilled("1", "The vault code is 4711.", "t:1")
    for gone in (target_of("t:1", {}), target(thought(status=RowStatus.REDACTED))):
        assert as_listed(pin, gone).reason == "[redacted]"
    assert as_listed(pin, target(again, thought(status=RowStatus.REDACTED))).reason == "[redacted]"
    for known in (thought(), thought(status=RowStatus.SUPERSEDED), thought(status=RowStatus.REMOVAL)):
        assert as_listed(pin, target(known)) == pin


@pytest.mark.requirement("ruling:G.2d")
@pytest.mark.parametrize("reason", ["", "  \n", "\u200b", "\x00"])
def test_a_pin_without_a_reason_is_refused(reason: str) -> None:
    with pytest.raises(InvalidParams, match="needs a reason"):
        made(reason=reason)


def test_a_reason_is_bounded_and_its_text_is_not_in_the_message() -> None:
    assert made(reason=" x" * 200 + " " * 500).reason == ("x " * 200).strip()
    with pytest.raises(InvalidParams) as refused:
        made(reason="secret" * MAX_REASON_CHARS)
    assert "secret" not in str(refused.value)
    assert "secret" not in repr(PinRequest(target_id="t:1", reason="secret"))


@pytest.mark.requirement("ruling:G.2d")
@pytest.mark.parametrize(
    "end",
    [
        {"lifetime": timedelta()},
        {"lifetime": -timedelta(hours=1)},
        {"lifetime": MAX_LIFETIME + timedelta(microseconds=1)},
        {"lifetime": timedelta.max},
        {"expires_at": NOON},
        {"expires_at": NOON - timedelta(days=1)},
        {"expires_at": datetime(9999, 12, 31, tzinfo=UTC)},
        {"expires_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - what must be refused
        {"lifetime": timedelta(days=1), "expires_at": NOON + timedelta(days=1)},
    ],
    ids=["none", "negative", "too long", "endless", "now", "past", "far", "naive", "both"],
)
def test_an_end_that_does_not_lie_ahead_is_refused(end: dict[str, object]) -> None:
    with pytest.raises(InvalidParams):
        made(**end)


def test_a_pin_ends_when_it_was_said_to() -> None:
    assert made(lifetime=MAX_LIFETIME).expires_at == NOON + MAX_LIFETIME
    assert made(expires_at=NOON + timedelta(hours=1)).expires_at == NOON + timedelta(hours=1)
    assert made().expires_at is None


@pytest.mark.requirement("s4:tier:pins")
def test_a_pin_counts_until_it_ends_and_while_its_target_stands() -> None:
    pin, there = made(lifetime=timedelta(hours=1)), target(thought())
    assert state_of(pin, there, NOON + timedelta(minutes=59)) == "active"
    assert state_of(pin, there, NOON + timedelta(hours=1)) == "expired"
    assert state_of(pin, target_of("t:1", {}), NOON) == "target gone"
    assert state_of(pin, target(thought(status=RowStatus.REDACTED)), NOON) == "target not live"


def test_rows_of_every_table_can_be_pinned() -> None:
    for row in (thought(), entity(), observation()):
        assert made(target(row)).target_id == row.id


@pytest.mark.parametrize(
    ("text", "time"),
    [("90m", timedelta(minutes=90)), (" 12h", timedelta(hours=12)), ("7d", timedelta(7)), ("2w", timedelta(14))],
)
def test_a_time_is_a_number_and_its_unit(text: str, time: timedelta) -> None:
    assert parse_lifetime(text) == time


@pytest.mark.parametrize("text", ["", "7", "d", "-7d", "1.5h", "7 days", "٣d", "99999999d", "7D"])
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(InvalidParams, match="12h"):
        parse_lifetime(text)
