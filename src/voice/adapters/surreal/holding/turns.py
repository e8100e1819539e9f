"""Who may write next, first come, first served.

Law: a turn is a courtesy, not a lock: what keeps writes apart is that each names the number it was decided on
(`writer`). Turns spare writers from deciding in vain and let nobody starve. One that is not given back in time goes to
the next: its owner may be asleep.

Source: DESIGN 4 ("Writes are serialised by the holder; compare-and-set guards the rest").
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable

Granted = Callable[[bool], None]
"""Hears whether nobody else had a turn since one's own last."""


class Turns:
    """The queue of those who want to write; used inside one event loop."""

    def __init__(self, *, longest_s: float) -> None:
        self._longest_s = longest_s
        self._waiting: OrderedDict[Hashable, Granted] = OrderedDict()
        self._owner: Hashable | None = None
        self._last: Hashable | None = None
        self._expiry: asyncio.TimerHandle | None = None

    def ask(self, who: Hashable, granted: Granted) -> None:
        """Have `granted` called when it is the turn of `who`, who has none and waits for none."""
        self._waiting[who] = granted
        self._next()

    def give_back(self, who: Hashable) -> None:
        """End the turn of `who`, or their waiting for one; nothing if they have none."""
        self._waiting.pop(who, None)
        if self._owner == who:
            self._end()

    def _end(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
        self._owner = self._expiry = None
        self._next()

    def _next(self) -> None:
        if self._owner is not None or not self._waiting:
            return
        who, granted = self._waiting.popitem(last=False)
        self._owner, was_last, self._last = who, self._last == who, who
        self._expiry = asyncio.get_running_loop().call_later(self._longest_s, self._end)
        granted(was_last)
