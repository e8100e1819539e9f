"""Patterns compiled, and word values memoised, on first use.

Law: importing a module compiles nothing (some 800 patterns cost a third of a short command). `Memo` caches a pure
function and is cleared when full, which is several times cheaper than the bookkeeping of `functools.lru_cache`.
Source: DESIGN 2, promise 10 (nothing happens at import).
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar, cast

if TYPE_CHECKING:
    import regex

Words = Sequence[str] | Callable[[], Sequence[str]]
_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _LazyPattern:
    """Placeholder whose methods are unset until one is used."""

    __slots__ = ("_lists", "flags", "pattern", *_METHODS)  # a slot not set yet calls `__getattr__`

    def __init__(self, pattern: str, flags: int, lists: dict[str, Words]) -> None:
        self.pattern = pattern
        self.flags = flags
        self._lists = lists

    def __getattr__(self, name: str) -> object:
        """Compile the pattern; only called while the method slots are unset."""
        if name not in _METHODS:
            raise AttributeError(name)
        import regex  # not every command uses an expression

        lists = {each: words() if callable(words) else words for each, words in self._lists.items()}
        compiled = regex.compile(self.pattern, self.flags, False, None, **lists)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))  # from now on calls go straight to the compiled pattern
        return getattr(self, name)


def late_pattern(pattern: str, flags: int = 0, **lists: Words) -> "regex.Pattern[str]":
    r"""Return a pattern that compiles itself when it is first used.

    Takes what `regex.compile` takes: the expression, its flags and the words of its named lists (`\L<name>`), or what
    returns those then. Raises nothing; an expression that cannot be compiled raises `regex.error` at its first use, and
    a test uses every one.
    """
    return cast("regex.Pattern[str]", cast("object", _LazyPattern(pattern, flags, lists)))


Found = TypeVar("Found")


class Memo(dict[str, Found]):
    """A bounded cache of a function: `kept[word]`."""

    def __init__(self, find: Callable[[str], Found], most: int) -> None:
        super().__init__()
        self._find = find
        self._most = most

    def __missing__(self, word: str) -> Found:
        """Compute and store a value; clears the cache when full."""
        if len(self) >= self._most:
            self.clear()
        found = self[word] = self._find(word)
        return found
