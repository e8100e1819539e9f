"""What was once found out about a word, kept for the next time it is met.

Law: a pure function of a string, remembered: the answer is the same with it and without. It holds so many at most and
starts afresh when it is full. For what is asked about every word of every source: there `functools.lru_cache`, which
notes at each hit what was used last, costs several times as much.
"""

from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


class Kept(dict[str, Found]):
    """The values of a function by their argument, made where they are missing: `kept[word]`."""

    def __init__(self, find: Callable[[str], Found], most: int) -> None:
        """Keep at most `most` values of `find`."""
        super().__init__()
        self._find = find
        self._most = most

    def __missing__(self, word: str) -> Found:
        """Return what is found out about `word` and keep it."""
        if len(self) >= self._most:
            self.clear()
        found = self[word] = self._find(word)
        return found
