"""Further turns of a session, as a store would hold them."""

from dataclasses import replace

from played_turns import later
from present import present
from voice.bootstrap import Services
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.services.turn.ask import Turn


async def keep_more(services: Services, held: InnerVoiceSession, *more: DialogueExchange) -> None:
    """Store further answered turns of a session."""
    count = held.total_exchanges + len(more)
    grown = replace(held, total_exchanges=count, answered=count, revision=held.revision + 1)
    await services.sessions.save(grown, more, expected=held.revision)


async def keep_copies(services: Services, turn: Turn, count: int, *, summed: bool = False) -> None:
    """Store a turn again and again, a day apart, until its session holds so many; `summed`: with summaries to show."""
    more: list[DialogueExchange] = []
    for n in range(1, count):
        sent = present(turn.exchange.prompt)
        sent = replace(sent, summary_revision=n, summary_through=n - 1) if summed else sent
        more.append(replace(turn.exchange, id=f"x:{n}", index=n, timestamp=later(days=n), prompt=sent))
    await keep_more(services, turn.session, *more)
