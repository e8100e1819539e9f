"""Verifying stored answers against today's store.

Law: no model is asked and nothing is written. Answers are read and verified a page at a time, however many there are;
each is judged by the policy it was given by.

Source: DESIGN 6 "Receipts"; promise 9.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass

from voice.core.grounding.receipts import SentenceAudit, reverify
from voice.core.session.audit import AuditReport, ExchangeAudit, answer_of, audited
from voice.core.session.values import DialogueExchange
from voice.ports.stores import SessionStore
from voice.services.sessions import exchange_pages, load_session
from voice.services.today import Eyes, RowsToday, Today
from voice.services.veils import begins_with, veiled_topics

EVERY = 2**31
"""More sessions than a store lists."""
_PAGE = 100
_NOTHING = RowsToday(evidence={}, redacted=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Audits the answers of one store."""

    sessions: SessionStore
    today: Today
    timezone: str = "UTC"
    """Where the person lives who is told."""

    async def __call__(
        self,
        session: str | None = None,
        *,
        include_private: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> AuditReport:
        """Return what became of the ground of every stored answer.

        Args:
            session: an id, the start of one, or a topic; None means every session, the most recent first, and a turn
                that forks share once.
            include_private: whether topics that are withheld are told, too; every turn is audited all the same.
            progress: told how many turns have been looked at, and of how many.

        Raises:
            UnknownId, InvalidParams: no session is meant, or several are.
            StoreError: something cannot be read.
        """
        named = await self._named(session)
        total = sum(count for _, _, count in named)
        found: list[ExchangeAudit] = []
        begun: dict[str, bool] = {}
        for session_id, _, _ in named:
            async for page in exchange_pages(self.sessions, session_id, size=_PAGE):
                begun |= {session_id: begins_with(page[:1])} if page[0].index == 0 else {}
                own = page if session else [each for each in page if each.session_id == session_id]
                found += [audit async for audit in self._audited(own)]
                if progress:
                    progress(len(found), max(total, len(found)))
        topics = {session_id: topic for session_id, topic, _ in named}
        for session_id in {audit.session_id for audit in found} - topics.keys():
            held = await self.sessions.load(session_id, window=0)
            topics |= {} if held is None else {session_id: held.thread_topic}
        if not include_private:
            topics = await veiled_topics(self.sessions, topics, said=(session or "",), known=begun)
        return AuditReport(exchanges=tuple(found), topics=topics)

    async def _named(self, session: str | None) -> list[tuple[str, str, int]]:
        """Return the ids of the sessions that are meant, each with its topic and its number of turns."""
        if session is not None:
            one = await load_session(self.sessions, session, window=0, timezone=self.timezone)
            return [(one.id, one.thread_topic, one.total_exchanges)]
        listed = await self.sessions.sessions(limit=EVERY)
        return [(item.id, item.thread_topic, item.total_exchanges) for item in listed]

    async def _audited(self, page: Sequence[DialogueExchange]) -> AsyncGenerator[ExchangeAudit]:
        """Yield the audits of a page; turns that read their rows alike share one reading."""
        wanted: dict[Eyes, set[str]] = {}
        for exchange in page:
            if exchange.status == "answered":
                wanted.setdefault(Eyes.of(exchange), set()).update(_rows_of(exchange))
        today = {eyes: await self.today(ids, eyes) for eyes, ids in wanted.items()}
        for exchange in page:
            rows = today[Eyes.of(exchange)] if exchange.status == "answered" else _NOTHING
            yield audited(exchange, _sentences(exchange, rows))


def _rows_of(exchange: DialogueExchange) -> set[str]:
    """Return the rows that an answer rests on, and the others of its prompt, which tell who is a person."""
    cited = {source.source_id for source in exchange.sources}
    held = {receipt.row_id for sentence in exchange.sentences for receipt in sentence.receipts}
    shown = {row_id for row_id, _ in exchange.prompt.evidence} if exchange.prompt else set[str]()
    return cited | held | shown


def _sentences(exchange: DialogueExchange, rows: RowsToday) -> tuple[SentenceAudit, ...]:
    if exchange.status != "answered":
        return ()
    own = _rows_of(exchange)
    current = {row_id: row for row_id, row in rows.evidence.items() if row_id in own}
    elsewhere = rows.never_here if exchange.imported_from is not None else frozenset[str]()
    return reverify(answer_of(exchange), current, redacted=rows.redacted, not_here=elsewhere)
