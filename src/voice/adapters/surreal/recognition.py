"""Whether a store that is entered again is still the one that was opened.

Law: between two ways into a store (its holder went away, another came) anybody may have had it: a newer program that
gave it another form, a restore that did not finish, somebody who put another store in its place. So before the first
statement of a new way the store is looked at, and only looked at: its ledger is what this program ships, its id and its
key are those of before, and no restore is unfinished.

Source: rulings A, D20, H; docs/holder.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, cast, runtime_checkable

from voice.adapters.surreal.codec import Record
from voice.adapters.surreal.ledger import Migration, decode_taken, remaining
from voice.core.errors import ConfigurationError, SchemaDrift, StoreDamaged
from voice.core.store_holder import unfinished_restore_message

LOOK: Final = (
    "RETURN [(SELECT id, checksum FROM migrations ORDER BY id), (SELECT store_id, key_check, restoring FROM $meta)]"
)


@runtime_checkable
class Recognising(Protocol):
    """A connection behind which the store may be another one the next time it is entered."""

    async def recognise(self, *, restores: bool = False) -> None:
        """Know the store as it is now from now on: its form, its id, and its key if it has one.

        Args:
            restores: whether this process fills it from a backup, and finds it unfinished until it is done.

        Raises:
            SchemaDrift, StoreDamaged, ConfigurationError: it is not the one that was known before.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a store is known again by."""

    store_id: str
    key_check: str | None
    """None where it remembered no key yet."""


def recognised(
    before: Known | None, found: object, steps: Sequence[Migration], *, restores: bool = False, users: str = ""
) -> Known:
    """Return what the store is known by, from the result of `LOOK`.

    Args:
        before: what it was known by; None at its first opening.
        found: what was read.
        steps: of the schema that this program ships.
        restores: whether this process fills it from a backup.
        users: who is known to use it, in words.

    Raises:
        SchemaDrift: its form is not the one this program writes.
        StoreDamaged: it does not know itself, or a restore into it did not finish.
        ConfigurationError: it is another store, or remembers another key.
    """
    taken, itself = cast("list[list[Record]]", found)
    if left := remaining(decode_taken(taken), steps):
        raise SchemaDrift(f"the store has no schema step {left[0].name} any more; start this program again")
    if not itself:
        raise StoreDamaged("the store does not know its own state; restore it from a backup")
    if itself[0].get("restoring") and not restores:
        raise StoreDamaged(unfinished_restore_message(users))
    now = Known(store_id=cast("str", itself[0]["store_id"]), key_check=cast("str | None", itself[0].get("key_check")))
    if before is None:
        return now
    if now.store_id != before.store_id:
        raise ConfigurationError("another store is in the place of the one that was open; start this program again")
    if before.key_check is not None and now.key_check != before.key_check:
        raise ConfigurationError("the store's hashes are made with another key than before; start this program again")
    return now
