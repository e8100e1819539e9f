"""Reports over stored exchanges.

Law: usage and cost are read from the exchanges, never from metrics (ruling D19).
"""

from dataclasses import dataclass
from datetime import datetime

from voice.core.errors import InvalidParams
from voice.core.nlq.parse import parse_query
from voice.core.nlq.values import NlqSettings
from voice.core.report import Dimension, Report, build_report
from voice.core.session.values import DialogueExchange
from voice.ports.stores import SessionStore
from voice.ports.system import Clock

_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """Adds up what past turns used."""

    sessions: SessionStore
    clock: Clock
    nlq: NlqSettings
    timezone: str

    async def __call__(self, *, since: str | None, by: Dimension) -> Report:
        """Return the report from the start of the time that `since` names; everything when it is None.

        Raises:
            InvalidParams: `since` cannot be understood.
        """
        exchanges = await self._exchanges(self._start(since))
        return build_report(exchanges, by=by, timezone=self.timezone)

    def _start(self, since: str | None) -> datetime | None:
        if since is None:
            return None
        try:
            parsed = parse_query(
                "report", now=self.clock.now(), timezone=self.timezone, settings=self.nlq, entities=(), when=since
            )
        except InvalidParams as unread:
            raise InvalidParams(unread.message.replace("that `when`", "that `since`")) from None
        return parsed.window.start if parsed.window else None

    async def _exchanges(self, since: datetime | None) -> list[DialogueExchange]:
        found: dict[str, DialogueExchange] = {}
        limit = _PAGE
        while True:
            page = await self.sessions.exchanges(since=since, limit=limit)
            found.update((exchange.id, exchange) for exchange in page)
            if len(page) < limit:
                return list(found.values())
            # A page that does not get past its first instant has to be larger.
            limit = limit * 2 if page[-1].timestamp == since else _PAGE
            since = page[-1].timestamp
