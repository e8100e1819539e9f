"""One conversation of this program that grows turn by turn, by either of two ways.

Law: through `ask` a turn is a whole turn: the example memory is searched, the offline provider writes, its draft is
judged, the turn is folded and kept. Through `store` it is what a conversation's length could make dearer and nothing
else: the newest open session is looked up and loaded, a turn that was really asked and judged is appended to it under
a new id, what is due is folded, the whole is saved in one transaction, and its metrics row. The clock moves on.
"""

from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from time import process_time
from typing import Final, Literal

from bench.report import percentile, progress
from bench.sessions.figures import Growth
from bench.turn import ClockAt, example_requests, example_settings, prepare_store
from voice.adapters.surreal.stores.session_codec import encode_exchange, encode_session
from voice.bootstrap import Parts, Services, open_services
from voice.core.session.exchange import figures_of
from voice.core.session.lifecycle import append, new_session
from voice.core.session.rolling_summary import SUMMARY_SHARE, fold, foldable
from voice.core.session.values import MAX_WINDOW, DialogueExchange, InnerVoiceSession
from voice.ports.stores import SessionStore
from voice.services.sessions.lookup import exchange_pages, load_session

Through = Literal["ask", "store"]
LOADS: Final = 31
_LOADS_BY_TOPIC: Final = 5
_TOPIC: Final = "a long conversation"
_STEP: Final = {"ask": timedelta(seconds=1), "store": timedelta(hours=1)}
"""By how much the clock moves on per turn; asked questions speak of days, so that these stay what they are."""


@dataclass(slots=True)
class MovingClock(ClockAt):
    """The example's moment, moved on by hand."""

    passed: timedelta = field(default=timedelta())

    def now(self) -> datetime:
        """Return the moment it is."""
        return super(MovingClock, self).now() + self.passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What is to be measured."""

    turns: int
    through: Through
    beside: int
    """Other sessions that lie in the store, idle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """A conversation that has grown."""

    session_id: str
    cpu_ms: Sequence[float]
    texts: Sequence[tuple[str, str]]
    """Question and answer of every turn, for those that are measured beside it."""


async def measure(work: Workload, home: Path) -> tuple[Growth, Grown]:
    """Return what the turns took, and what was said in them."""
    clock = MovingClock()
    async with _opened(home, clock) as services:
        await prepare_store(services, 0, 0)
        await _add_idle(services.sessions, work.beside, clock.now())
        rehearsed = await _rehearsed(services) if work.through == "store" else []
    before = directory_bytes(home)
    async with _opened(home, clock) as services:
        clock.passed += timedelta(hours=1)
        grown = await (
            _stored(services, clock, work.turns, rehearsed) if rehearsed else _asked(services, clock, work.turns)
        )
    disk = directory_bytes(home) - before
    async with _opened(home, clock) as services:
        return await _looked_at(services, grown, work, disk), grown


@asynccontextmanager
async def _opened(home: Path, clock: MovingClock) -> AsyncGenerator[Services]:
    async with open_services(example_settings(), home, Parts(clock=clock)) as services:
        yield services


async def _add_idle(sessions: SessionStore, count: int, now: datetime) -> None:
    for number in progress(range(count), "idle sessions"):
        made = replace(_fresh(f"s:idle-{number}", now - timedelta(minutes=number + 1)), thread_topic=f"idle {number}")
        await sessions.save(replace(made, revision=1), [], expected=0)


def _fresh(session_id: str, now: datetime) -> InnerVoiceSession:
    settings = example_settings()
    return new_session(
        session_id=session_id,
        topic=_TOPIC,
        provider="extractive",
        model="extractive",
        max_prompt_tokens=settings.llm.max_prompt_tokens,
        now=now,
    )


async def _rehearsed(services: Services) -> list[DialogueExchange]:
    """Return the example's questions, asked and judged."""
    ask = services.makers.ask()
    return [(await ask(each)).exchange for each in example_requests()]


async def _asked(services: Services, clock: MovingClock, turns: int) -> Grown:
    """Ask the example's questions over and over, each a whole turn of the asking service."""
    questions = [replace(each, new_topic=None, create=True) for each in example_requests()]
    ask = services.makers.ask()
    session_id = (await ask(replace(questions[0], new_topic=_TOPIC))).session.id
    cpu: list[float] = []
    texts: list[tuple[str, str]] = []
    for number in progress(range(turns), "asking"):
        clock.passed += _STEP["ask"]
        began = process_time()
        turn = await ask(questions[number % len(questions)])
        cpu.append(1000 * (process_time() - began))
        texts.append((turn.exchange.my_query, turn.exchange.answer))
    return Grown(session_id=session_id, cpu_ms=cpu, texts=texts)


async def _stored(services: Services, clock: MovingClock, turns: int, rehearsed: Sequence[DialogueExchange]) -> Grown:
    """Keep turns that were asked before over and over, each through everything that a session's length touches."""
    ask = services.makers.ask()
    room = int(ask.settings.llm.max_prompt_tokens * SUMMARY_SHARE)
    session = _fresh(services.ids.new_id("s"), clock.now())
    await services.sessions.save(replace(session, revision=1), [], expected=0)
    cpu: list[float] = []
    texts: list[tuple[str, str]] = []
    for number in progress(range(turns), "keeping"):
        clock.passed += _STEP["store"]
        template, now = rehearsed[number % len(rehearsed)], clock.now()
        began = process_time()
        (newest,) = await services.sessions.sessions(limit=1, status="open")
        found = await load_session(services.sessions, newest.id, window=MAX_WINDOW)
        turn = replace(
            template, id=services.ids.new_id("x"), session_id=found.id, index=found.total_exchanges, timestamp=now
        )
        grown = append(found, turn)
        limits = ask.settings.session
        due = foldable(grown, window_limit=limits.window_limit, window_keep=limits.window_keep)
        folded = fold(
            grown, due, now=now, count=ask.counter.count, max_tokens=room, timezone=ask.settings.time.timezone
        )
        await services.sessions.save(folded, [turn], expected=found.revision)
        await services.stores.metrics.record("turn", now, figures_of(turn))
        cpu.append(1000 * (process_time() - began))
        texts.append((turn.my_query, turn.answer))
    return Grown(session_id=session.id, cpu_ms=cpu, texts=texts)


async def _looked_at(services: Services, grown: Grown, work: Workload, disk: int) -> Growth:
    """Return the growth of a conversation that was just opened again."""
    session, loads = await _loaded(services.sessions, grown.session_id)
    records = answers = count = 0
    async for page in exchange_pages(services.sessions, session.id):
        for exchange in page:
            records += record_bytes(encode_exchange(exchange, exchange.seq))
            answers += len(exchange.answer.encode())
            count += 1
    summary = session.rolling_summary
    return Growth(
        subject=f"voice ({work.through})",
        cpu_ms=grown.cpu_ms,
        answer_bytes=answers,
        disk_bytes=disk,
        load_ms=loads,
        loaded_texts=2 * len(session.context_window),
        peak_rss_mb=peak_rss_mb(),
        record_bytes=records,
        more={
            "through": work.through,
            "kept": count,
            "session_row_bytes": record_bytes(encode_session(session, session.seq)),
            "exchanges_summarized": summary.exchanges_summarized if summary else 0,
            "summary_sources": len(summary.source_ids) if summary else 0,
            "sessions_beside": work.beside,
            **await _listed(services.sessions),
        },
    )


async def _loaded(sessions: SessionStore, session_id: str) -> tuple[InnerVoiceSession, list[float]]:
    """Return what the next turn needs, and how long each time of loading it took."""
    loads: list[float] = []
    while True:
        began = process_time()
        session = await load_session(sessions, session_id, window=MAX_WINDOW)
        loads.append(1000 * (process_time() - began))
        if len(loads) == LOADS:
            return session, loads


async def _listed(sessions: SessionStore) -> dict[str, float]:
    """Return what it takes to find the newest open session, as a turn without a name does, and one by its topic."""
    newest = [await _took(sessions.sessions(limit=1, status="open")) for _ in range(LOADS)]
    by_topic = [await _took(load_session(sessions, _TOPIC, window=0)) for _ in range(_LOADS_BY_TOPIC)]
    return {
        "find_newest_ms": round(percentile(newest, 0.5), 3),
        "find_by_topic_ms": round(percentile(by_topic, 0.5), 3),
    }


async def _took(call: Awaitable[object]) -> float:
    began = process_time()
    await call
    return 1000 * (process_time() - began)


def record_bytes(record: Mapping[str, object]) -> int:
    """Return the bytes of a record's columns: texts in UTF-8, numbers and instants as 8; ids as the text they are."""
    return sum(_bytes_of(value) for value in record.values())


def _bytes_of(value: object) -> int:
    if isinstance(value, bytes):
        return len(value)
    return 8 if isinstance(value, int | datetime) else len(f"{value}".encode())


def directory_bytes(place: Path) -> int:
    """Return the bytes of all files under a directory."""
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


def peak_rss_mb() -> float:
    """Return the most memory this process has held; 0.0 where the system does not tell.

    `getrusage` would tell what its parent held when it started it, too.
    """
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return 0.0
    held = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(held.split()[1]) * 1024 / 1e6
