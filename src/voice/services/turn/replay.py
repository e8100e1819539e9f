"""Rebuild the prompts of stored turns and prove their hashes.

Law: nothing is sent and nothing is written; a rebuilt prompt is returned to the caller and kept nowhere (ruling A7). A
session is read once, a page at a time: of the turns that have passed, only what a later prompt may have shown is held.
A prompt that repeated an answer is not rebuilt once a row behind that answer was redacted or removed: it says so. One
that repeated a turn that is withheld is private, as that turn is (promise 6).

Source: DESIGN 6 "Receipts"; ruling D20.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from voice.core.context.prompt_proof import Count, Replay, ReplayInputs, figure_of, replay, summary_lines_hashes
from voice.core.context.prompt_templates import PromptTemplate
from voice.core.errors import UnknownId
from voice.core.session.history import grounds_of, without_lines
from voice.core.session.rolling_summary import SUMMARY_SHARE, summary_lines_of
from voice.core.session.values import (
    MAX_WINDOW,
    DialogueExchange,
    Ground,
    InnerVoiceSession,
    PromptRecord,
    RollingSummary,
)
from voice.core.token_estimates import ESTIMATES, estimate_tokens
from voice.ports.llm import TokenCounter
from voice.ports.stores import SessionStore
from voice.services.sessions.lookup import TURN_PREFIX, exchange_pages, load_session
from voice.services.turn.audit import CurrentRows, Fate, RowsAtPresent, TurnVisibility, zone_of

_PAGE = 100  # turns read at once
_NOTHING = RowsAtPresent(evidence={}, redacted=frozenset())


class _Line(NamedTuple):
    """A line of a turn that a summary may hold."""

    text: str
    turn: int
    place: str
    """Turn and line: "3.0"."""
    exchange_id: str
    fates: frozenset[Fate]
    """What became of the rows behind it that are gone."""


@dataclass(slots=True, kw_only=True)
class _Past:
    """The turns before the one that is looked at, as far as its prompt may have shown them."""

    window: dict[str, DialogueExchange] = field(default_factory=dict[str, DialogueExchange])
    lines: list[_Line] = field(default_factory=list[_Line])
    withheld: dict[int, None] = field(default_factory=dict[int, None])
    gone: dict[str, Fate] = field(default_factory=dict[str, Fate])
    """The rows behind the answers that are gone, each with what became of it; known before the answer is added."""
    lost: dict[str, list[_Line]] = field(default_factory=dict[str, list[_Line]])
    """The lines with a row that is gone, by their text."""
    rebuilt: tuple[int, frozenset[str]] = (0, frozenset())
    told: dict[str, int] = field(default_factory=dict[str, int])
    """The lines of the summary last made again, each with a turn that says it: one that is not withheld, if any."""
    read: int = 0

    def add(self, exchange: DialogueExchange) -> None:
        self.window[exchange.id] = exchange
        if len(self.window) > MAX_WINDOW:
            del self.window[next(iter(self.window))]  # the oldest one
        if exchange.is_withheld:
            self.withheld[exchange.index] = None
        for place, said in enumerate(summary_lines_of(exchange, zone_of(exchange.prompt))):
            fates = self._fates(said.grounds)
            line = _Line(said.text, exchange.index, f"{exchange.index}.{place}", exchange.id, fates)
            self.lines.append(line)
            if fates:
                self.lost.setdefault(line.text, []).append(line)

    def _fates(self, grounds: Iterable[Ground]) -> frozenset[Fate]:
        return frozenset(self.gone[row_id] for row_id, _ in grounds if row_id in self.gone)

    def fallen_in(self, record: PromptRecord, summary: RollingSummary | None) -> dict[str, Fate]:
        """Return the turns a prompt repeated, in its window or its summary, that rest on a row that is gone."""
        _, without = _rebuilt(record)
        fates: dict[str, frozenset[Fate]] = {}
        for text in summary.text.split("\n") if summary else ():
            for line in self.lost.get(text, ()):
                if summary and line.turn <= summary.through_index and line.place not in without:
                    fates[line.exchange_id] = fates.get(line.exchange_id, frozenset()) | line.fates
        for name in record.window_exchange_ids:
            if name in self.window and self.window[name].status == "answered":
                fates[name] = self._fates(grounds_of(self.window[name]))
        return {each: "redacted" if "redacted" in own else "removed" for each, own in fates.items() if own}

    def tells_withheld(self, record: PromptRecord, summary: RollingSummary | None) -> bool:
        """Return whether a prompt repeated a turn that is withheld: one of before such turns were left out of them."""
        window = (self.window[name] for name in record.window_exchange_ids if name in self.window)
        oldest = next(iter(self.withheld), None)
        if summary is None or oldest is None or oldest > summary.through_index:
            return any(each.is_withheld for each in window)
        withheld = {oldest, *(turn for turns in summary.line_turns for turn in turns if turn in self.withheld)}
        return summary.without_turns(withheld) != summary or any(each.is_withheld for each in window)

    def summary(
        self, record: PromptRecord, session: InnerVoiceSession, are_enough: Callable[[Sequence[str]], bool]
    ) -> RollingSummary | None:
        """Return the summary that a prompt showed: the session's own, or made again of the turns it reached. What a
        prompt may show of it is less than what a session keeps, so its oldest lines, which a session drops, are dropped
        from the prompt as well: only the newest are made again, until they `are_enough`. What a model wrote is not made
        again, and what a summary was rebuilt without stays out of it."""
        if record.summary_revision is None:
            return None
        own = session.rolling_summary
        if own is not None and own.revision == record.summary_revision:
            return own
        if record.summary_through is None or "summary_by" in dict(record.rendering):
            return None
        self._tell(*_rebuilt(record), through=record.summary_through)
        size, lines = 1, list[str]()
        while len(lines) < len(self.told) and not are_enough(lines):
            size *= 2
            lines = [*islice(reversed(self.told), size)][::-1]
        return RollingSummary(
            text="\n".join(lines),
            line_turns=tuple((self.told[line],) for line in lines),
            last_updated=session.last_interaction,
            exchanges_summarized=record.summary_through + 1,
            token_savings=0,
            revision=record.summary_revision,
            through_index=record.summary_through,
        )

    def _tell(self, first: int, without: frozenset[str], *, through: int) -> None:
        """Read the lines up to a turn, each in its first place; only for another rebuild from the beginning."""
        if self.rebuilt != (first, without) or (self.read and self.lines[self.read - 1].turn > through):
            self.rebuilt, self.told, self.read = (first, without), {}, 0
        while self.read < len(self.lines) and (line := self.lines[self.read]).turn <= through:
            is_open = line.turn not in self.withheld or line.text not in self.told
            if is_open and line.turn >= first and line.place not in without:
                self.told[line.text] = line.turn
            self.read += 1


def _rebuilt(record: PromptRecord) -> tuple[int, frozenset[str]]:
    """Return the first turn that the last rebuild of a prompt's summary read, and the places it left out."""
    return figure_of(record, "summary_from"), frozenset(dict(record.rendering).get("summary_fallen", "").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Replays:
    """Replays the prompts of one store."""

    sessions: SessionStore
    today: CurrentRows
    prompts: tuple[PromptTemplate, ...]
    tokenizers: Callable[[str], TokenCounter | None]
    """What counts by the vocabulary of this name, if it is on this machine."""
    key: bytes = field(repr=False)
    timezone: str = "UTC"

    async def __call__(self, name: str, *, progress: Callable[[int, int], None] | None = None) -> tuple[Replay, ...]:
        """Return whether the prompt of one turn, or of every turn of a session, is proven, in order. `name`: an
        exchange's id, or a session's id, the start of one, or its topic. Raises UnknownId, InvalidParams: none or
        several are meant."""
        only = await self._exchange(name)
        meant = only.session_id if only else name
        session = await load_session(self.sessions, meant, window=0, timezone=self.timezone)
        total = only.index + 1 if only else session.total_exchanges
        found: list[Replay] = []
        done, past = 0, _Past()
        async for page in exchange_pages(self.sessions, session.id, size=_PAGE):
            wanted = [each for each in page if only is None or each.id == only.id]
            found += [each async for each in self._replayed(page, wanted, session, past)]
            done += len(page)
            if progress:
                progress(min(done, total), total)
            if only and found:  # the rest cannot matter to it
                break
        return tuple(found)

    async def _exchange(self, name: str) -> DialogueExchange | None:
        if not name.startswith(TURN_PREFIX):
            return None
        found = await self.sessions.exchanges(exchange_id=name)
        if not found:
            raise UnknownId(
                f"there is no turn {name!r}; `voice sessions show SESSION --json` lists the ids of its turns"
            )
        return found[0]

    async def _replayed(
        self,
        page: Sequence[DialogueExchange],
        wanted: Sequence[DialogueExchange],
        session: InnerVoiceSession,
        past: _Past,
    ) -> AsyncGenerator[Replay]:
        """Yield the replays of the wanted turns of a page; turns that read their rows alike share one reading."""
        shown: dict[TurnVisibility, set[str]] = {}
        for exchange in wanted:
            if exchange.prompt:
                ids = (row_id for row_id, _ in exchange.prompt.evidence)
                shown.setdefault(TurnVisibility.of(exchange), set()).update(ids)
        today = {visibility: await self.today(ids, visibility) for visibility, ids in shown.items()}
        chosen = {exchange.id for exchange in wanted}
        answers = (each for each in page if each.status == "answered")
        past.gone |= await self.today.gone(frozenset(row_id for each in answers for row_id, _ in grounds_of(each)))
        for exchange in page:
            if exchange.id in chosen:
                remains = self._remains(exchange, session, past, today.get(TurnVisibility.of(exchange), _NOTHING))
                made = replay(exchange, remains, key=self.key, count=self._count(exchange.prompt))
                tells = exchange.prompt is not None and past.tells_withheld(exchange.prompt, remains.summary)
                yield replace(made, is_private=made.is_private or tells)
            past.add(exchange)  # a later prompt may have shown it

    def _count(self, record: PromptRecord | None) -> Count | None:
        """Return what counted the tokens of a prompt, if it is on this machine."""
        name = dict(record.rendering).get("estimate", "") if record else ""
        counter = None if name in ESTIMATES else self.tokenizers(name)
        return counter.count if counter else ESTIMATES.get(name)

    def _remains(
        self, exchange: DialogueExchange, session: InnerVoiceSession, past: _Past, rows: RowsAtPresent
    ) -> ReplayInputs:
        record = exchange.prompt
        summary = self._summary_shown(record, session, past) if record else None
        return ReplayInputs(
            session=session,
            rows=rows.evidence,
            redacted=rows.redacted,
            window=past.window,
            fallen=past.fallen_in(record, summary) if record else {},
            summary=summary,
            templates=self.prompts,
        )

    def _summary_shown(self, record: PromptRecord, session: InnerVoiceSession, past: _Past) -> RollingSummary | None:
        """Return the summary without the lines that the prompt was sent without."""
        hashes = frozenset(dict(record.rendering).get("summary_without", "").split())
        count = self._count(record) or estimate_tokens
        room = 2 * SUMMARY_SHARE * figure_of(record, "budget")  # twice: a template may cost less than it replaces

        def sent(lines: Iterable[str]) -> list[str]:
            return [line for line in lines if not hashes or hashes.isdisjoint(summary_lines_hashes(self.key, [line]))]

        summary = past.summary(record, session, lambda lines: count("\n".join(sent(lines))) > room)
        lines = summary.text.split("\n") if summary else []
        return summary and without_lines(summary, frozenset(lines).difference(sent(lines)))
