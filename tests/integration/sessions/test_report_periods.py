"""What period a report covers, and how turns are read for it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from bench.reports import made_turn

from stand_ins import stand_in
from stores_in_memory import store_in_memory
from tables import tables
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.errors import InvalidParams
from voice.core.nlq.parsed_query import NlqSettings
from voice.core.report.values import DELETED, Period
from voice.core.session.lifecycle import append, new_session
from voice.core.session.values import DialogueExchange
from voice.ports.stores import SessionListItem, SessionStore
from voice.services.sessions.lookup import all_exchanges
from voice.services.sessions.report import Reports

TABLES = tables(__file__)

NOW = datetime(2026, 11, 22, 8, tzinfo=UTC)


def utc(month: int, day: int, hour: int = 0, minute: int = 0, *, year: int = 2026) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def reports(sessions: SessionStore) -> Reports:
    return Reports(sessions=sessions, clock=FixedClock(NOW), nlq=NlqSettings(), timezone="Europe/Berlin")


async def no_sessions() -> SessionStore:
    return (await store_in_memory()).sessions


async def stored(moments: Sequence[datetime]) -> SessionStore:
    sessions = await no_sessions()
    session = new_session(session_id="s:1", topic="t", provider="p", model="m", max_prompt_tokens=1, now=NOW)
    turns = [_at(number, moment) for number, moment in enumerate(moments)]
    for each in turns:
        session = append(session, each)
    await sessions.save(replace(session, revision=1, context_window=()), turns, expected=0)
    return sessions


def _at(number: int, moment: datetime) -> DialogueExchange:
    return replace(made_turn(number, moment), session_id="s:1", index=number)


@pytest.mark.requirement("report:period", "ruling:E.5")
@pytest.mark.parametrize(
    ("since", "until", "start", "end"),
    [
        (None, None, None, None),
        ("last month", None, utc(9, 30, 22), None),
        ("last month", "last month", utc(9, 30, 22), utc(10, 31, 23)),
        (None, "yesterday", None, utc(11, 21, 23)),
        ("2026-03", "2026-03-05", utc(2, 28, 23), utc(3, 5, 23)),
        ("letzten Monat", "before today", utc(9, 30, 22), utc(11, 21, 23)),
        ("2026-03-05T14:00", "2026-03-05T14:00:30Z", utc(3, 5, 13), utc(3, 5, 14, 0) + timedelta(seconds=30)),
    ],
)
async def test_a_report_runs_from_the_beginning_of_one_time_to_the_end_of_the_other(
    since: str | None, until: str | None, start: datetime | None, end: datetime | None
) -> None:
    assert reports(await no_sessions()).period(since, until) == Period(start=start, end=end, timezone="Europe/Berlin")


@pytest.mark.requirement("report:period")
@pytest.mark.parametrize(("since", "until", "fault"), TABLES["a_period_that_cannot_be_meant_is_refused"])
async def test_a_period_that_cannot_be_meant_is_refused(since: str | None, until: str | None, fault: str) -> None:
    with pytest.raises(InvalidParams) as raised:
        reports(await no_sessions()).period(since, until)
    assert fault in raised.value.message


@pytest.mark.requirement("report:period", "report:streams")
async def test_only_turns_of_the_period_are_counted_each_once_over_many_pages() -> None:
    moments = [utc(9, 30, 21, 59), *[utc(9, 30, 22)] * 600, *[utc(10, 5)] * 100, utc(10, 31, 22, 59), utc(10, 31, 23)]
    sessions = await stored(moments)
    made = reports(sessions)
    far: list[tuple[int, int]] = []
    report = await made(since="last month", until="last month", progress=lambda done, whole: far.append((done, whole)))
    assert report.total.turns == 701
    assert (await made(since="last month")).total.turns == 702
    assert (await made()).total.turns == len(await all_exchanges(sessions, "s:1")) == 703
    assert far == sorted(far)
    assert far[-1] == (2682000 - 60, 2682000)


@pytest.mark.requirement("report:streams")
async def test_a_report_asks_for_a_page_at_a_time() -> None:
    sessions = await stored([NOW + timedelta(seconds=number) for number in range(1200)])
    read = [len(page) async for page in sessions.figures()]
    assert read == [500, 500, 200]
    report = await reports(stand_in(sessions, exchanges=None))(by="day")
    assert report.total.turns == 1200


@pytest.mark.requirement("report:dimensions")
async def test_turns_whose_session_is_gone_are_counted_as_deleted_and_a_session_begun_meanwhile_is_not() -> None:
    async def listed(*, limit: int) -> list[SessionListItem]:
        return []

    async def half_of_another(*, since: datetime | None) -> AsyncIterator[Sequence[DialogueExchange]]:
        async for found in sessions.figures(since=since):
            yield [replace(each, session_id="s:9") if each.index > 1 else each for each in found]

    sessions = await stored([NOW, NOW, NOW, NOW + timedelta(seconds=1)])
    report = await reports(stand_in(sessions, sessions=listed, figures=half_of_another))()
    assert [(row.key, row.turns) for row in report.rows] == [("s:1", 2), (DELETED, 2)]
