"""What was spent, in memory; implements `SpendStore` by looking at every turn."""

from dataclasses import replace
from datetime import datetime, timedelta

from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.memory.state import Tables
from voice.core.records import require_utc
from voice.core.session.spending_caps import OpenCall, Spent, total_charge
from voice.core.session.values import DialogueExchange

_QUARTER = 15


class TransientSpendStore:
    """`SpendStore` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def spent_between(self, since: datetime, until: datetime) -> Spent:
        """Return what was spent in a period; see `SpendStore.spent_between`."""
        first, end = _quarter_of(since), _quarter_of(until) + timedelta(minutes=_QUARTER)
        turns = self._tables.now.exchanges.values()
        return total_charge(turn for turn in turns if first <= turn.timestamp < end)

    async def spent_in(self, session_id: str) -> Spent:
        """Return what was spent in a session; see `SpendStore.spent_in`."""
        turns = self._tables.now.exchanges.values()
        return total_charge(turn for turn in turns if turn.session_id == session_id)

    async def keep(self, call: DialogueExchange) -> None:
        """Keep a call that belongs to no turn; see `SpendStore.keep`."""
        with self._tables.transaction() as draft:
            stored = from_json(DialogueExchange, to_json(DialogueExchange, call))
            draft.exchanges[call.id] = replace(stored, seq=draft.next_seq())
            draft.open_calls.pop(call.id, None)

    async def begin(self, call: OpenCall) -> None:
        """Put on record what calls can cost; see `SpendStore.begin`."""
        with self._tables.transaction() as draft:
            worst = Spent(at_worst=call.worst.counted, unknown=call.worst.unknown)
            before = draft.open_calls.get(call.id)
            draft.open_calls[call.id] = replace(call, worst=before.worst + worst if before else worst)

    async def settle(self, call_id: str) -> None:
        """Take away what was put on record; see `SpendStore.settle`."""
        with self._tables.transaction() as draft:
            draft.open_calls.pop(call_id, None)

    async def open_calls(self) -> list[OpenCall]:
        """Return what is not settled; see `SpendStore.open_calls`."""
        return sorted(self._tables.now.open_calls.values(), key=lambda call: (call.began_at, call.id))


def _quarter_of(moment: datetime) -> datetime:
    at = require_utc(moment, "a moment")
    return at.replace(minute=at.minute - at.minute % _QUARTER, second=0, microsecond=0)
