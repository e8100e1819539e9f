"""Rebuild the prompts of stored turns and prove their hashes.

Law: nothing is sent and nothing is written; a rebuilt prompt is returned to the caller and kept nowhere (ruling A7). A
session is read once, a page at a time: of the turns that have passed, only what a later prompt may have shown is held.
A prompt that repeated an answer is not rebuilt once a row behind that answer was redacted or removed: it says so. One
that repeated a turn that is withheld is private, as that turn is (promise 6).

Source: DESIGN 6 "Receipts"; ruling D20.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from voice.core.context.prompt_proof import Count, Replay, ReplayInputs, figure_of, replay, summary_lines_hashes
from voice.core.context.prompt_templates import PromptTemplate
from voice.core.errors import UnknownId
from voice.core.session.history import grounds_of, without_lines
from voice.core.session.rolling_summary import summary_lines_of
from voice.core.session.values import (
    MAX_WINDOW,
    DialogueExchange,
    InnerVoiceSession,
    PromptRecord,
    RollingSummary,
    SummaryLine,
)
from voice.ports.llm import TokenCounter
from voice.ports.stores import SessionStore
from voice.services.sessions.lookup import exchange_pages, load_session
from voice.services.turn.audit import CurrentRows, Fate, RowsAtPresent, TurnVisibility, zone_of

_PAGE = 100  # turns read at once
_EXCHANGE = "x:"
_NOTHING = RowsAtPresent(evidence={}, redacted=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Digest:
    """The lines of a turn that a summary may hold."""

    id: str
    index: int
    lines: tuple[SummaryLine, ...] = field(repr=False)
    is_private: bool
    is_withheld: bool

    def lines_in(self, record: PromptRecord) -> Iterator[SummaryLine]:
        """Yield its lines but for those that the summary of a prompt had been rebuilt without."""
        fallen = dict(record.rendering).get("summary_fallen", "").split()  # "3.0 3.2": turn and line
        return (line for place, line in enumerate(self.lines) if f"{self.index}.{place}" not in fallen)

    def fates(self, record: PromptRecord, shown: frozenset[str], gone: Mapping[str, Fate]) -> frozenset[Fate]:
        """Return what became of the rows behind those of its lines that are among those `shown`."""
        rows = (row_id for line in self.lines_in(record) if line.text in shown for row_id, _ in line.grounds)
        return frozenset(gone[row_id] for row_id in rows if row_id in gone)


@dataclass(slots=True, kw_only=True)
class _Past:
    """The turns before the one that is looked at, as far as its prompt may have shown them."""

    window: dict[str, DialogueExchange] = field(default_factory=dict[str, DialogueExchange])
    digest: list[_Digest] = field(default_factory=list[_Digest])
    gone: dict[str, Fate] = field(default_factory=dict[str, Fate])
    """The rows behind the answers that are gone, each with what became of it."""

    def add(self, exchange: DialogueExchange) -> None:
        self.window[exchange.id] = exchange
        if len(self.window) > MAX_WINDOW:
            del self.window[next(iter(self.window))]  # the oldest one
        digest = _Digest(
            id=exchange.id,
            index=exchange.index,
            lines=tuple(summary_lines_of(exchange, zone_of(exchange.prompt))),
            is_private=exchange.is_private,
            is_withheld=exchange.is_withheld,
        )
        self.digest.append(digest)

    def fallen_in(self, record: PromptRecord, summary: RollingSummary | None) -> dict[str, Fate]:
        """Return the turns a prompt repeated, in its window or its summary, that rest on a row that is gone."""
        shown = frozenset(summary.text.split("\n")) if summary else frozenset[str]()
        through = summary.through_index if summary else -1
        fates = {each.id: each.fates(record, shown, self.gone) for each in self.digest if each.index <= through}
        for name in record.window_exchange_ids:
            if name in self.window and self.window[name].status == "answered":
                rows = (row_id for row_id, _ in grounds_of(self.window[name]))
                fates[name] = frozenset(self.gone[row_id] for row_id in rows if row_id in self.gone)
        return {each: "redacted" if "redacted" in own else "removed" for each, own in fates.items() if own}

    def tells_withheld(self, record: PromptRecord, summary: RollingSummary | None) -> bool:
        """Return whether a prompt repeated a turn that is withheld: one of before such turns were left out of them."""
        window = (self.window[name] for name in record.window_exchange_ids if name in self.window)
        withheld = {
            each.index for each in self.digest if summary and each.is_withheld and each.index <= summary.through_index
        }
        is_in_summary = summary is not None and summary.without_turns(withheld) != summary
        return is_in_summary or any(each.is_withheld for each in window)

    def summary(self, record: PromptRecord, session: InnerVoiceSession) -> RollingSummary | None:
        """Return the summary that a prompt showed: the session's own, or made again of the turns it reached.

        What a prompt may show of it is less than what a session keeps, so its oldest lines, which a session drops, are
        dropped from the prompt as well. What a model wrote is not made again, and what a summary was rebuilt without
        stays out of it.
        """
        if record.summary_revision is None:
            return None
        own = session.rolling_summary
        if own is not None and own.revision == record.summary_revision:
            return own
        if record.summary_through is None or "summary_by" in dict(record.rendering):
            return None
        folded = [each for each in self.digest if each.index <= record.summary_through]
        reach = [each for each in folded if each.index >= figure_of(record, "summary_from")]
        turns: dict[str, list[int]] = {}
        for each in reach:
            for line in each.lines_in(record):
                turns.setdefault(line.text, []).append(each.index)  # a line said twice stands once
        return RollingSummary(
            text="\n".join(turns),
            line_turns=tuple(map(tuple, turns.values())),
            last_updated=session.last_interaction,
            exchanges_summarized=len(folded),
            token_savings=0,
            revision=record.summary_revision,
            through_index=record.summary_through,
            is_private=any(each.is_private for each in folded),
        )


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
    """Where the person lives who is told."""

    async def __call__(self, name: str, *, progress: Callable[[int, int], None] | None = None) -> tuple[Replay, ...]:
        """Return whether the prompt of one turn, or of every turn of a session, is proven, in order.

        Args:
            name: an exchange's id, or a session's id, the start of one, or its topic.
            progress: told how many turns have been looked at, and of how many.

        Raises:
            UnknownId: no turn and no session is meant.
            InvalidParams: several sessions are meant.
        """
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
        if not name.startswith(_EXCHANGE):
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
                made = replay(exchange, remains, key=self.key, tokenizer=self._tokenizer)
                tells = exchange.prompt is not None and past.tells_withheld(exchange.prompt, remains.summary)
                yield replace(made, is_private=made.is_private or tells)
            past.add(exchange)  # a later prompt may have shown it

    def _tokenizer(self, name: str) -> Count | None:
        counter = self.tokenizers(name)
        return counter.count if counter else None

    def _remains(
        self, exchange: DialogueExchange, session: InnerVoiceSession, past: _Past, rows: RowsAtPresent
    ) -> ReplayInputs:
        record = exchange.prompt
        summary = self._summary_shown(record, past.summary(record, session)) if record else None
        return ReplayInputs(
            session=session,
            rows=rows.evidence,
            redacted=rows.redacted,
            window=past.window,
            fallen=past.fallen_in(record, summary) if record else {},
            summary=summary,
            templates=self.prompts,
        )

    def _summary_shown(self, record: PromptRecord, summary: RollingSummary | None) -> RollingSummary | None:
        """Return the summary without the lines that the prompt was sent without."""
        hashes = frozenset(dict(record.rendering).get("summary_without", "").split())
        if summary is None or not hashes:
            return summary
        lines = summary.text.split("\n")
        unwanted = [line for line in lines if not hashes.isdisjoint(summary_lines_hashes(self.key, [line]))]
        return without_lines(summary, unwanted)
