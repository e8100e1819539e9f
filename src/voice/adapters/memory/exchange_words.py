"""Taking words out of turns in memory; implements `ExchangeWords`."""

from collections.abc import Sequence
from dataclasses import replace

from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.memory.state import Tables
from voice.core.errors import SessionConflict, UnknownId
from voice.core.session.values import DialogueExchange


class TransientExchangeWords:
    """`ExchangeWords` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        """Put bare turns in the place of stored ones; see `ExchangeWords.take_away`."""
        with self._tables.transaction() as draft:
            for bare in exchanges:
                held = draft.exchanges.get(bare.id)
                if held is None:
                    raise UnknownId(f"{bare.id} is not stored")
                if (held.session_id, held.index, held.link, held.deleted) != (
                    bare.session_id, bare.index, bare.link, False
                ):  # fmt: skip
                    raise SessionConflict(f"{bare.id} was changed by somebody else meanwhile; nothing was taken away")
                stored = from_json(DialogueExchange, to_json(DialogueExchange, bare))
                draft.exchanges[bare.id] = replace(stored, seq=held.seq)
