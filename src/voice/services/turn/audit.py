"""Verify stored answers against the rows as they stand now.

Law: no model is asked and nothing is written. Answers are read and verified a page at a time, however many there are.
A row's text is read as the turn read it: with what it was allowed to see, in its zone (rulings C19, E, H). A row whose
own content, or the content of a thought it says again, was redacted counts as redacted, whatever it still holds; one
that is gone is told from one that was redacted by its tombstone.

Source: DESIGN 6 "Receipts"; promise 9; rulings C19, D20, E, F, H.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from voice.core.grounding.values import Evidence
from voice.core.recall.disclosure import behind, missing_behind
from voice.core.records import Observation, Row, RowStatus, Table, Thought
from voice.core.render.answer import Replacement
from voice.core.retrieval.candidates import Neighbourhood, successors
from voice.core.retrieval.passages import as_evidence
from voice.core.retrieval.values import Candidate, RowFilter
from voice.core.session.audit import AuditReport, ExchangeAudit, SentenceAudit, audit_exchange, reverify
from voice.core.session.values import DialogueExchange, PromptRecord, PromptView
from voice.core.text.instants import in_zone, is_time_zone
from voice.core.text.normalise import content_hash
from voice.ports.stores import GraphStore, MemoryStore, SessionStore, TombstoneStore
from voice.services.retrieval.row_lookups import FetchedRows, Names, every_row
from voice.services.sessions.lookup import EVERY, exchange_pages, load_session, topics_to_hide

Fate = Literal["redacted", "removed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsAtPresent:
    """The present state of the rows that were asked for."""

    evidence: Mapping[str, Evidence]
    """By row id; what was redacted is not among it."""
    redacted: frozenset[str]
    never_here: frozenset[str] = frozenset()
    """Those that are not stored and that no tombstone bears."""
    repeated: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    """What still says what removed rows said, by its hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnVisibility:
    """The view in which a turn read its rows."""

    view: PromptView
    timezone: str

    @classmethod
    def of(cls, exchange: DialogueExchange) -> "TurnVisibility":
        """Return the view of `exchange`; one from before views were kept saw private rows when it rests on one."""
        record = exchange.prompt
        kept = record.view if record else None
        return cls(view=kept or PromptView(include_private=exchange.is_private), timezone=zone_of(record))


def zone_of(record: PromptRecord | None) -> str:
    """Return the zone whose days a prompt spoke of; UTC where there is none, or none that is known here."""
    return record.timezone if record is not None and is_time_zone(record.timezone) else "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentRows:
    """Reads rows of one store."""

    store: MemoryStore
    graph: GraphStore
    tombstones: TombstoneStore
    names: Names

    async def __call__(self, row_ids: Collection[str], visibility: TurnVisibility) -> RowsAtPresent:
        """Return what is left of the rows, and which of them were never here."""
        fetched = FetchedRows(store=self.store, graph=self.graph)
        redacted, never_here = await self._look_up(row_ids, fetched)
        left = [fetched.rows[each] for each in row_ids if each in fetched.rows and each not in redacted]
        evidence = await self._evidence(left, fetched.rows, visibility)
        return RowsAtPresent(evidence=evidence, redacted=redacted, never_here=never_here)

    async def live(self) -> dict[str, str]:
        """Return the ids of all live observations, by the hash of their text."""
        return {
            content_hash(row.text): row.id
            async for row in every_row(self.store)
            if isinstance(row, Observation) and row.status is RowStatus.ACTIVE
        }

    async def gone(self, row_ids: Collection[str]) -> dict[str, Fate]:
        """Return those of the rows that were redacted, or repeat what was, and those that are there no more."""
        fetched = FetchedRows(store=self.store, graph=self.graph)
        redacted, _ = await self._look_up(row_ids, fetched)
        missing = set(row_ids) - fetched.rows.keys()
        return {each: "redacted" if each in redacted else "removed" for each in redacted | missing}

    async def replacements(
        self, exchanges: Iterable[DialogueExchange], *, include_private: bool
    ) -> dict[str, Replacement]:
        """Return what took the place of rows that answers rest on, by their ids: what holds in the end."""
        cited = {source.source_id for each in exchanges if not each.refused for source in each.sources}
        rows, wanted = dict[str, Row](), cited  # a cited row may have been corrected several times
        while wanted:
            found = await self.store.fetch(sorted(wanted))
            rows |= found
            wanted = {row.superseded_by for row in found.values() if row.superseded_by} - rows.keys()  # a cycle ends
        ends = {
            row_id: next(rows[each] for each in (*reversed(successors(row_id, rows)), row_id) if each in rows)
            for row_id in sorted(cited & rows.keys())
        }
        return {
            row_id: Replacement(row_id=row.id, words="" if row.is_private and not include_private else _words(row))
            for row_id, row in ends.items()
            if row.id != row_id  # the others still stand as cited
        }

    async def _look_up(self, row_ids: Collection[str], fetched: FetchedRows) -> tuple[frozenset[str], frozenset[str]]:
        """Fetch the rows with what stands behind them; return those that were redacted, and that were never here."""
        await fetched.fetch_texts(sorted(row_ids))
        rows = {row_id: fetched.rows[row_id] for row_id in row_ids if row_id in fetched.rows}
        await fetched.fetch(missing_behind(rows))  # a thought redacted behind a row silences it
        redacted = {
            row_id
            for row_id, row in rows.items()
            if any(each.status is RowStatus.REDACTED for each in (row, *behind(row, fetched.rows)))
        }
        gone = set(row_ids) - rows.keys()
        stones = await self.tombstones.tombstones() if gone else []  # read only where rows are missing
        buried = {stone.row_id: stone.reason for stone in stones if stone.row_id in gone}
        redacted |= {row_id for row_id, reason in buried.items() if reason == "redacted"}
        return frozenset(redacted), frozenset(gone - buried.keys())

    async def _evidence(
        self, rows: Iterable[Row], around: Mapping[str, Row], visibility: TurnVisibility
    ) -> dict[str, Evidence]:
        view = visibility.view
        neighbourhood = Neighbourhood.visible(
            around.values(),
            RowFilter(
                tables=frozenset(Table),
                scope=view.scope,
                include_private=view.include_private,
                exclude_tags=view.exclude_tags,
            ),
        )
        known = (await self.names.known()).nodes
        texts = [(row, neighbourhood.text_of(row)) for row in rows if not isinstance(row, Thought)]
        candidates = [
            Candidate(row=row, text=text, content_hash=content_hash(text), cosine=None, lexical=0.0, rank_score=0.0)
            for row, text in texts
        ]
        return {row.row_id: _dated(row, visibility.timezone) for row in as_evidence(candidates, known)}


def _words(row: Row) -> str:
    """Return what a row says in its own words; an edge has none, and what was redacted is not told."""
    if row.status is RowStatus.REDACTED:
        return ""
    return row.content if isinstance(row, Thought) else row.text if isinstance(row, Observation) else ""


def _dated(row: Evidence, timezone: str) -> Evidence:
    until = row.valid_until
    return replace(
        row, created_at=in_zone(row.created_at, timezone), valid_until=in_zone(until, timezone) if until else None
    )


_PAGE = 100  # turns audited together


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Audits the answers of one store."""

    sessions: SessionStore
    today: CurrentRows
    timezone: str = "UTC"

    async def __call__(
        self,
        session: str | None = None,
        *,
        include_private: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> AuditReport:
        """Return for every stored answer whether its sources still support it; without a session, of every one, the
        most recent first, and a turn that forks share once. `include_private`: topics that are withheld are told, too.
        Raises UnknownId, InvalidParams: no session is meant, or several are."""
        named = await self._named(session)
        total = sum(count for _, _, count in named)
        found: list[ExchangeAudit] = []
        begun, live_ids = dict[str, bool](), dict[str, str]()
        for session_id, _, _ in named:
            async for page in exchange_pages(self.sessions, session_id, size=_PAGE):
                begun |= {session_id: page[0].is_withheld} if page[0].index == 0 else {}
                # Over all sessions, a turn that forks share comes once, where it belongs.
                own = page if session else [each for each in page if each.session_id == session_id]
                found += [audit async for audit in self._audited(own, live_ids)]
                if progress:
                    progress(len(found), max(total, len(found)))
        topics = {session_id: topic for session_id, topic, _ in named}
        for session_id in {audit.session_id for audit in found} - topics.keys():  # of forks, where shared turns belong
            forked_from = await self.sessions.load(session_id, window=0)
            topics |= {} if forked_from is None else {session_id: forked_from.thread_topic}
        if not include_private:
            topics = await topics_to_hide(self.sessions, topics, said=(session or "",), known=begun)
        return AuditReport(exchanges=tuple(found), topics=topics)

    async def of(self, exchanges: Sequence[DialogueExchange]) -> list[ExchangeAudit]:
        """Return the audits of turns, whether stored or not."""
        return [audit async for audit in self._audited(exchanges, {})]

    async def _named(self, session: str | None) -> list[tuple[str, str, int]]:
        """Return the ids of the sessions that are meant, each with its topic and its number of turns."""
        if session is not None:
            one = await load_session(self.sessions, session, window=0, timezone=self.timezone)
            return [(one.id, one.thread_topic, one.total_exchanges)]
        listed = await self.sessions.sessions(limit=EVERY)
        return [(item.id, item.thread_topic, item.total_exchanges) for item in listed]

    async def _audited(
        self, page: Sequence[DialogueExchange], live_ids: dict[str, str]
    ) -> AsyncGenerator[ExchangeAudit]:
        """Yield the audits of a page; turns that read their rows alike share one reading."""
        alike: dict[TurnVisibility, list[DialogueExchange]] = {}  # a row is rendered once for all that saw it alike
        for exchange in page:
            if exchange.status == "answered":
                alike.setdefault(TurnVisibility.of(exchange), []).append(exchange)
        today = {visibility: await self._read(turns, visibility, live_ids) for visibility, turns in alike.items()}
        for exchange in page:
            is_answer = exchange.status == "answered"
            yield audit_exchange(
                exchange, _sentences(exchange, today[TurnVisibility.of(exchange)]) if is_answer else ()
            )

    async def _read(
        self, turns: Sequence[DialogueExchange], visibility: TurnVisibility, live_ids: dict[str, str]
    ) -> RowsAtPresent:
        """Return the rows of turns; `live_ids` is filled from `CurrentRows.live` once some of them are gone."""
        rows = await self.today({row_id for turn in turns for row_id in _rows_of(turn)}, visibility)
        lost = {hashed for turn in turns for hashed in _lost_rows(turn, rows).values()}
        if lost and not live_ids:  # only then: it reads the whole memory
            live_ids |= await self.today.live()
        heirs = {hashed: live_ids[hashed] for hashed in lost if hashed in live_ids}
        found: Mapping[str, Evidence] = (await self.today(heirs.values(), visibility)).evidence if heirs else {}
        return replace(rows, repeated={hashed: found[heir] for hashed, heir in heirs.items() if heir in found})


def _lost_rows(exchange: DialogueExchange, rows: RowsAtPresent) -> dict[str, str]:
    """Return the removed rows of an answer with the hash of their text; of forgotten words no hash is kept."""
    known = rows.evidence.keys() | rows.redacted | rows.never_here
    receipts = (receipt for sentence in exchange.sentences for receipt in sentence.receipts)
    return {each.row_id: each.content_hash for each in receipts if each.content_hash and each.row_id not in known}


def _rows_of(exchange: DialogueExchange) -> set[str]:
    """Return the rows that an answer rests on, and the others of its prompt, which tell who is a person."""
    cited = {source.source_id for source in exchange.sources}
    held = {receipt.row_id for sentence in exchange.sentences for receipt in sentence.receipts}
    shown = {row_id for row_id, _ in exchange.prompt.evidence} if exchange.prompt else set[str]()
    return cited | held | shown


def _sentences(exchange: DialogueExchange, rows: RowsAtPresent) -> tuple[SentenceAudit, ...]:
    own = _rows_of(exchange)
    current = {row_id: row for row_id, row in rows.evidence.items() if row_id in own}
    lost = _lost_rows(exchange, rows)
    current |= {row_id: rows.repeated[hashed] for row_id, hashed in lost.items() if hashed in rows.repeated}
    elsewhere = rows.never_here if exchange.imported_from is not None else frozenset[str]()
    return reverify(exchange.sentences, current, redacted=rows.redacted, not_here=elsewhere)
