"""Which cookies were found wrong before, by their hashes.

Law: what one address tries pushes out nothing of another's, and of one address goes first what was sent least lately: a
browser that keeps sending the cookie of an earlier run stays known, whatever else is tried meanwhile. Addresses, and
what is kept of each, are bounded.

Source: DESIGN 8 Web; SECURITY.md.
"""

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256

_ADDRESSES = 1_024
_OF_ONE = 256
"""Wrong cookies of one address that are known again: it may try a few at once, and then few more in a minute."""


class Tried:
    """Wrong cookies, by who sent them."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, OrderedDict[bytes, None]] = OrderedDict()

    def has_all(self, address: str, cookies: Sequence[str]) -> bool:
        """Return whether an address sent cookies, and each of them before; those count as sent just now."""
        known = self._of.get(address)
        hashes = _hashes(cookies)
        if known is None or not hashes or any(each not in known for each in hashes):
            return False
        self._put(address, hashes)
        return True

    def add(self, address: str, cookies: Sequence[str]) -> None:
        """Take note of the wrong cookies that an address sent."""
        if cookies:
            self._put(address, _hashes(cookies))

    def _put(self, address: str, hashes: Sequence[bytes]) -> None:
        known = self._of.setdefault(address, OrderedDict())
        self._of.move_to_end(address)
        for each in hashes:
            known[each] = None
            known.move_to_end(each)
        while len(known) > _OF_ONE:
            known.popitem(last=False)
        while len(self._of) > _ADDRESSES:
            self._of.popitem(last=False)


def _hashes(cookies: Sequence[str]) -> list[bytes]:
    return [sha256(each.encode("utf-8", "surrogatepass")).digest() for each in cookies]
