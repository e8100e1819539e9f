"""Taking words out of stored turns in SurrealDB; implements `ExchangeWords`.

Law: what is there is read under the number that the write moves on, so no turn is put in the place of another one; all
of it is one transaction for each page, and a page that was written is written again without harm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.dialect import REWRITE, key_of, records
from voice.adapters.surreal.session_codec import decode_exchange, encode_exchange
from voice.adapters.surreal.writer import Write, Writer
from voice.core.errors import SessionConflict, UnknownId
from voice.core.session.values import DialogueExchange

_PAGE = 200
_STORED = "SELECT * FROM $ids"


@dataclass(frozen=True, slots=True)
class SurrealExchangeWords:
    """`ExchangeWords` over a connection; writes go through the store's one writer."""

    connection: Connection
    writer: Writer

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        """Put bare turns in the place of stored ones; see `ExchangeWords.take_away`."""
        await self._records(exchanges)
        for start in range(0, len(exchanges), _PAGE):
            page = exchanges[start : start + _PAGE]

            async def decide(_: int, page: Sequence[DialogueExchange] = page) -> Write:
                return Write(steps=(REWRITE,), params={"rewritten": await self._records(page)}, numbers=1)

            await self.writer.commit("take words away", decide)

    async def _records(self, exchanges: Sequence[DialogueExchange]) -> list[Record]:
        made: list[Record] = []
        for start in range(0, len(exchanges), _PAGE):
            page = exchanges[start : start + _PAGE]
            ids = {"ids": records("exchanges", (each.id for each in page))}
            found = cast("list[Record]", await self.connection.run("read turns", _STORED, ids))
            stored = {key_of(each["id"]): decode_exchange(each) for each in found}
            made += [encode_exchange(each, place_of(each, stored.get(each.id))) for each in page]
        return made


def place_of(bare: DialogueExchange, stored: DialogueExchange | None) -> int:
    """Return the number under which a turn is stored.

    Raises:
        UnknownId: it is not stored.
        SessionConflict: what is stored under its id is another turn.
    """
    if stored is None:
        raise UnknownId(f"{bare.id} is not stored")
    if (stored.session_id, stored.index, stored.link) != (bare.session_id, bare.index, bare.link) or stored.deleted:
        raise SessionConflict(f"{bare.id} was changed by somebody else meanwhile; nothing was taken away")
    return stored.seq
