"""What was spent, in sums beside the turns, and the calls that are under way; implements `SpendStore`.

Law: a turn's charge is added to its sums in the transaction that keeps the turn, so they always agree. A period is
whole days and the quarters of an hour at its edges, because every zone's midnight is at one: at most two hundred small
records, looked up by their ids. A charge of nothing writes nothing.

A call that is about to be made is recorded first, without a number, and the transaction that keeps its result deletes
that record, so that it counts once before and after. No call starts while a backup is restored into the store, since
its cost could not be kept. One that started before and cost nothing is deleted also then: it is not in the backup, and
would count for ever.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final, cast

from voice.adapters.surreal.codec import Record, decode_instant, encode_instant, encode_money
from voice.adapters.surreal.connection import (
    FOUND,
    META,
    NOT_RESTORING,
    STAND_STILL,
    Connection,
    block,
    key_of,
    record,
    records,
    run_repeatable,
)
from voice.adapters.surreal.stores.reading import record_pages
from voice.adapters.surreal.stores.session_codec import decode_exchange, encode_exchange
from voice.adapters.surreal.writer import Write, Writer, WritingStore
from voice.core.errors import StoreDamaged
from voice.core.session.budgets import NOTHING, AmountSpent, OpenCall, charge_of
from voice.core.session.values import DialogueExchange

CHARGE: Final = (
    "FOR $each IN $charges { UPSERT $each.id SET known = ($each.id.known ?? 0dec) + <decimal>$each.known, "
    "at_worst = ($each.id.at_worst ?? 0dec) + <decimal>$each.at_worst, "
    "unknown = ($each.id.unknown ?? 0) + $each.unknown RETURN NONE };"
)
"""Adds to the stored sums, read through the record's id: in an UPSERT engine 3.0 does not know the columns' old
values."""
# Replaces whole sums: a record that a transaction deletes and writes again is gone when it ends.
_STORE = (
    "FOR $each IN $charges { UPSERT $each.id SET known = <decimal>$each.known, "
    "at_worst = <decimal>$each.at_worst, unknown = $each.unknown RETURN NONE };"
)
_DELETE = "DELETE $gone RETURN NONE;"
# Money is sent and read as text: the store's protocol has no decimals.
_READ = f"SELECT <string>known AS known, <string>at_worst AS at_worst, unknown FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
_READ_ALL = "SELECT id, <string>known AS known, <string>at_worst AS at_worst, unknown FROM spending"
_KEEP = "INSERT INTO exchanges $kept RETURN NONE;"
_UNCOUNTED = "SELECT VALUE uncounted FROM $meta"
_COUNTED = "UPDATE $meta SET uncounted = NONE RETURN NONE;"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_QUARTER: Final = timedelta(minutes=15)
_QUARTERS_A_DAY: Final = 96
# What a sum is of, by the first letter of its key.
_KINDS: Final = {"q": "quarter of an hour", "d": "day", "s": "session"}

Tell = Callable[[int], None]


def charges_of(exchanges: Iterable[DialogueExchange]) -> list[Record]:
    """Return what `exchanges` add to the sums; nothing for what cost nothing."""
    sums: dict[str, AmountSpent] = {}
    for exchange in exchanges:
        _add(sums, charge_of(exchange), exchange.timestamp, exchange.session_id)
    return [_encode(key, spent) for key, spent in sums.items()]


async def count_what_was_spent(connection: Connection, writer: Writer) -> None:
    """Add up the turns of a store from before sums were kept; does so once.

    A turn that cannot be read has an unknown cost, so that the store still opens and can be verified.

    Raises:
        StoreUnavailable: another process wrote meanwhile.
    """
    if await connection.run("read its state", _UNCOUNTED, {"meta": META}) != [True]:
        return

    async def count(seq: int) -> None:
        await _replace(connection, await _counted(connection), await _stored(connection), seq)

    await writer.exclusively("add up what was spent", count)


async def recount(connection: Connection, writer: Writer, *, mend: bool, tell: Tell = lambda _: None) -> list[str]:
    """Return a sentence with the sums that are not those of the turns, or nothing; correct them if `mend`. `tell` is
    called with the number of turns counted so far. Raises StoreUnavailable: another process wrote meanwhile."""

    async def look(seq: int) -> list[str]:
        counted, stored = await _counted(connection, tell), await _stored(connection)
        keys = sorted({*counted, *stored})
        # A sum of nothing is not stored.
        wrong = [key for key in keys if counted.get(key, NOTHING) != stored.get(key, NOTHING)]
        if wrong and mend:
            await _replace(connection, counted, stored, seq)
        return [_miscounted(wrong)] if wrong else []

    return await writer.exclusively("add up what was spent", look)


async def _counted(connection: Connection, tell: Tell = lambda _: None) -> dict[str, AmountSpent]:
    sums: dict[str, AmountSpent] = {}
    done = 0
    async for page in record_pages(connection, "exchanges"):
        for found in page:
            _add(sums, _charge(found), decode_instant(found["timestamp"]), cast("str", found["session_id"]))
        done += len(page)
        tell(done)
    return sums


async def _stored(connection: Connection) -> dict[str, AmountSpent]:
    found = cast("list[Record]", await connection.run("read what was spent", _READ_ALL))
    return {key_of(each["id"]): _decode(each) for each in found}


async def _replace(connection: Connection, sums: Mapping[str, AmountSpent], stored: Collection[str], seq: int) -> None:
    """Replace the stored sums, unless the store's last number is not `seq` any more."""
    params = {
        "meta": META,
        "seq": seq,
        "charges": [_encode(key, spent) for key, spent in sums.items()],
        "gone": records("spending", [key for key in stored if key not in sums]),
    }
    await connection.run("count what was spent", block(NOT_RESTORING, STAND_STILL, _DELETE, _STORE, _COUNTED), params)


def _miscounted(keys: Sequence[str]) -> str:
    count = len(keys)
    told = ", ".join(
        f"{number} of a {what}"
        for first, what in _KINDS.items()
        if (number := sum(key.startswith(first) for key in keys))
    )
    return f"spending: {count} {'sum does' if count == 1 else 'sums do'} not match the turns ({told})"


class SurrealSpendStore(WritingStore):
    """`SpendStore` over a connection."""

    def __init__(self, connection: Connection, writer: Writer) -> None:
        super().__init__(connection, writer)
        self._beginning = asyncio.Lock()

    async def spent_between(self, since: datetime, until: datetime) -> AmountSpent:
        """Return what was spent in a period; see `SpendStore.spent_between`."""
        return await self._sum(list(_keys_between(_quarter(since), _quarter(until))))

    async def spent_in(self, session_id: str) -> AmountSpent:
        """Return what was spent in a session; see `SpendStore.spent_in`."""
        return await self._sum([f"s{session_id}"])

    async def keep(self, call: DialogueExchange) -> None:
        """Keep a call that belongs to no turn; see `SpendStore.keep`."""
        charges, settled = charges_of([call]), settled_by([call])

        async def decide(last_seq: int) -> Write:
            kept = [encode_exchange(call, last_seq + 1)]
            steps = (_KEEP, SETTLE, CHARGE) if charges else (_KEEP, SETTLE)
            return Write(steps=steps, params={"kept": kept, "charges": charges, "settled": settled}, numbers=1)

        await self._writer.commit("keep what a call cost", decide)

    async def begin(self, call: OpenCall) -> None:
        """Record what a call can cost; see `SpendStore.begin`."""
        # Whole amounts are written, so that a record whose answer was lost can be written again without counting twice.
        # Only this process begins calls under this id, and the lock puts them in order.
        async with self._beginning:
            found = await self._connection.run("read open calls", BEGUN, {"ids": records("open_calls", [call.id])})
            whole = sum(map(decode_worst, cast("list[Record]", found)), call.worst)
            noted = encode_call(replace(call, worst=whole))
            await run_repeatable(self._connection, "note a call", BEGIN, {"meta": META, "call": noted})

    async def settle(self, call_id: str) -> None:
        """Delete the record of a call; see `SpendStore.settle`."""
        settled = {"settled": records("open_calls", [call_id])}
        await run_repeatable(self._connection, "settle a call", SETTLE, settled)

    async def open_calls(self) -> list[OpenCall]:
        """Return the calls that are not settled; see `SpendStore.open_calls`."""
        found = cast("list[Record]", await self._connection.run("read open calls", OPEN))
        return sorted(map(decode_call, found), key=lambda call: (call.began_at, call.id))

    async def _sum(self, keys: Sequence[str]) -> AmountSpent:
        found = await self._connection.run("read what was spent", _READ, {"ids": records("spending", keys)})
        return sum((_decode(each) for each in cast("list[Record]", found)), NOTHING)


def _charge(found: Record) -> AmountSpent:
    try:
        return charge_of(decode_exchange(found))
    except StoreDamaged:
        return AmountSpent(unknown=1)


def _add(sums: dict[str, AmountSpent], charge: AmountSpent, at: datetime, session_id: str) -> None:
    """Add a charge to the sums of its quarter, its day and its session, unless it is nothing."""
    if charge.is_nothing:
        return
    quarter = _quarter(at)
    for key in (f"q{quarter}", f"d{quarter // _QUARTERS_A_DAY}", f"s{session_id}"):
        sums[key] = sums.get(key, NOTHING) + charge


def _keys_between(first: int, last: int) -> Iterator[str]:
    """Yield the keys of the quarters `first` to `last`, with whole days as days."""
    while first <= last:
        if divmod(first, _QUARTERS_A_DAY)[1] == 0 and first + _QUARTERS_A_DAY - 1 <= last:  # a whole day
            yield f"d{first // _QUARTERS_A_DAY}"
            first += _QUARTERS_A_DAY
        else:
            yield f"q{first}"
            first += 1


def _quarter(moment: datetime) -> int:
    return (moment - _EPOCH) // _QUARTER


def _encode(key: str, spent: AmountSpent) -> Record:
    return {
        "id": record("spending", key),
        "known": encode_money(spent.known),
        "at_worst": encode_money(spent.at_worst),
        "unknown": spent.unknown,
    }


def _decode(found: Mapping[str, object]) -> AmountSpent:
    return AmountSpent(
        known=Decimal(str(found["known"])),
        at_worst=Decimal(str(found["at_worst"])),
        unknown=cast("int", found["unknown"]),
    )


SETTLE: Final = "DELETE $settled RETURN NONE;"
"""A step of the transaction that keeps turns; by itself it deletes a call that cost nothing."""
BEGIN: Final = block(
    NOT_RESTORING,
    "UPSERT $call.id SET session_id = $call.session_id, model = $call.model, began_at = $call.began_at, "
    "worst = <decimal>$call.worst, unknown = $call.unknown RETURN NONE;",
)
"""Sets whole amounts, so that it may be carried out twice."""
BEGUN: Final = f"SELECT <string>worst AS worst, unknown FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
OPEN: Final = "SELECT id, session_id, model, began_at, <string>worst AS worst, unknown FROM open_calls"


def settled_by(exchanges: Iterable[DialogueExchange]) -> list[object]:
    """Return the records of the calls that may have been begun for these turns."""
    asked = [each.id for each in exchanges if each.attempts and each.imported_from is None]
    return [*records("open_calls", asked)]


def encode_call(call: OpenCall) -> Record:
    """Return the record of a call."""
    return {
        "id": record("open_calls", call.id),
        "session_id": call.session_id,
        "model": call.model,
        "began_at": encode_instant(call.began_at),
        "worst": encode_money(call.worst.counted),
        "unknown": call.worst.unknown,
    }


def decode_call(found: Record) -> OpenCall:
    """Return the call of a record."""
    return OpenCall(
        id=key_of(found["id"]),
        session_id=cast("str", found["session_id"]),
        model=cast("str", found["model"]),
        began_at=decode_instant(found["began_at"]),
        worst=decode_worst(found),
    )


def decode_worst(found: Record) -> AmountSpent:
    """Return the most that a call's record says it can cost."""
    return AmountSpent(at_worst=Decimal(str(found["worst"])), unknown=cast("int", found["unknown"]))
