"""A session's totals, counted again from its exchanges.

Law: a session's row is a summary of rows that are there; whatever it says beyond them, or against them, is a fault,
told in a sentence with the session's id and never with text (rulings D17, D18). A fork counts its own turns; those it
shares are counted where they are kept.
"""

from collections import Counter
from collections.abc import Iterator

from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.usage import Total


class Tally:
    """What the exchanges of one session add up to; their texts are not kept."""

    def __init__(self) -> None:
        self._indexes: list[int] = []
        self._statuses: Counter[str] = Counter()
        self._tokens = 0
        self._cost = Total()

    def add(self, exchange: DialogueExchange) -> None:
        """Count one exchange."""
        self._indexes.append(exchange.index)
        self._statuses[exchange.status] += 1
        self._tokens += (exchange.prompt_tokens or 0) + (exchange.completion_tokens or 0)
        self._cost = self._cost.plus(exchange.cost_estimate)

    def faults(self, session: InnerVoiceSession) -> Iterator[str]:
        """Yield a sentence for everything in which the session's row says otherwise."""
        first, stored = session.own_from, len(self._indexes)
        if sorted(self._indexes) != list(range(first, first + stored)):
            yield f"{session.id}: its exchanges have a hole or a repeated index"
        if session.total_exchanges != first + stored:
            yield f"{session.id}: {session.total_exchanges - first} exchanges are counted but {stored} are stored"
        counted = (session.answered, session.refused, session.errors)
        if counted != tuple(self._statuses[status] for status in ("answered", "refused", "error")):
            yield f"{session.id}: its counts of answers, refusals and errors are not those of its exchanges"
        if session.total_tokens != self._tokens:
            yield f"{session.id}: its total of tokens is not that of its exchanges"
        if session.total_cost != self._cost:
            yield f"{session.id}: its total cost is not that of its exchanges"
