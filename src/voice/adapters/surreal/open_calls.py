"""Calls whose end is not on record yet.

Law: what is about to be spent is written before it is, in a record of its own that takes no number, since nothing
follows it; the transaction that keeps what the call took deletes it, so that it counts once, before and after. Nothing
is begun while a backup is restored into the store, since what it came to could not be kept. What was begun before and
cost nothing is taken away also then: it is no part of a backup, and would count for ever.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final, cast

from voice.adapters.surreal.codec import Record, decode_instant, encode_instant, encode_money
from voice.adapters.surreal.dialect import FOUND, NOT_RESTORING, block, key_of, record, records
from voice.core.session.spending_caps import OpenCall, Spent
from voice.core.session.values import DialogueExchange

SETTLE: Final = "DELETE $settled RETURN NONE;"
"""Step of a transaction that keeps turns; by itself it takes away what cost nothing."""
BEGIN: Final = block(
    NOT_RESTORING,
    "UPSERT $call.id SET session_id = $call.session_id, model = $call.model, began_at = $call.began_at, "
    "worst = <decimal>$call.worst, unknown = $call.unknown RETURN NONE;",
)
"""Sets whole amounts, so that it may be carried out twice."""
BEGUN: Final = f"SELECT <string>worst AS worst, unknown FROM $ids {FOUND}"  # noqa: S608 - a literal of ours
OPEN: Final = "SELECT id, session_id, model, began_at, <string>worst AS worst, unknown FROM open_calls"


def settled_by(exchanges: Iterable[DialogueExchange]) -> list[object]:
    """Return the records of the calls that were begun for these turns, whether or not there are any."""
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


def decode_worst(found: Record) -> Spent:
    """Return what a record says its calls can cost."""
    return Spent(at_worst=Decimal(str(found["worst"])), unknown=cast("int", found["unknown"]))
