"""The store of spending: what turns cost, and what calls can cost that have not ended.

Law: what can be spent is on record before it is, and counts at its worst until what it came to takes its place; so a
process that is killed while somebody is asked has spent what it can have spent (promise 7).
"""

from datetime import datetime
from typing import Protocol

from voice.core.session.spending_caps import AmountSpent, OpenCall
from voice.core.session.values import DialogueExchange


class SpendStore(Protocol):
    """What the turns of this store cost, read in a moment however many they are; what was imported is not in it."""

    async def spent_between(self, since: datetime, until: datetime) -> AmountSpent:
        """Return what was spent from `since` to `until`, each by its whole quarter of an hour in UTC.

        Turns of sessions that were deleted are in it.
        """
        ...

    async def spent_in(self, session_id: str) -> AmountSpent:
        """Return what a session's own turns cost; nothing for one that is not there."""
        ...

    async def keep(self, call: DialogueExchange) -> None:
        """Keep the figures of a call that belongs to no turn (`voice.core.session.turn_stubs`), and settle them."""
        ...

    async def begin(self, call: OpenCall) -> None:
        """Put what calls can cost on record before they are made; again under the same id, on top of what was there.

        It is in no sum. Keeping the exchange of that id settles it, in the same transaction.

        Raises:
            StoreError: it is on no record, so the calls must not be made; among others where a backup is being
                restored into the store, which could not keep what they come to.
        """
        ...

    async def settle(self, call_id: str) -> None:
        """Take away what was put on record under that id, if anything: it cost nothing.

        That may be done while a backup is restored into the store, too.
        """
        ...

    async def open_calls(self) -> list[OpenCall]:
        """Return what was begun and is not settled, by its beginning: under way, or left by a process that ended."""
        ...
