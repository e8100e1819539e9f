"""Regular expressions compiled, and values of words computed, at their first use.

Law: a pattern is compiled when it is first used, never when its module is loaded. The rules of grounding and reading
are some 800 expressions; compiling them all took a third of what a command costs that needs none of them. What is used
is compiled once, and from then on its methods are the compiled pattern's own.

What was once found out about a word, kept for the next time it is met. A pure function of a string, remembered: the
answer is the same with it and without. It holds so many at most and starts afresh when it is full. For what is asked
about every word of every source: there `functools.lru_cache`, which notes at each hit what was used last, costs several
times as much.

Source: DESIGN 2, promise 10 (nothing happens at import).
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar, cast

if TYPE_CHECKING:
    import regex

_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _LazyPattern:
    """What stands for a compiled pattern: its methods are empty until one of them is asked for."""

    __slots__ = ("_lists", "flags", "pattern", *_METHODS)

    def __init__(self, pattern: str, flags: int, lists: dict[str, Sequence[str]]) -> None:
        self.pattern = pattern
        self.flags = flags
        self._lists = lists

    def __getattr__(self, name: str) -> object:
        """Compile the pattern: only called while a method is empty."""
        if name not in _METHODS:
            raise AttributeError(name)
        import regex

        compiled = regex.compile(self.pattern, self.flags, False, None, **self._lists)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(self, name)


def late_pattern(pattern: str, flags: int = 0, **lists: Sequence[str]) -> "regex.Pattern[str]":
    r"""Return a pattern that compiles itself when it is first used.

    Takes what `regex.compile` takes: the expression, its flags and the words of its named lists (`\L<name>`). Raises
    nothing; an expression that cannot be compiled raises `regex.error` at its first use, and a test uses every one.
    """
    return cast("regex.Pattern[str]", cast("object", _LazyPattern(pattern, flags, lists)))


Found = TypeVar("Found")


class Memo(dict[str, Found]):
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
