"""Expressions that are compiled late.

Law: a pattern is compiled when it is first used, never when its module is loaded. The rules of grounding and reading
are some 800 expressions; compiling them all took a third of what a command costs that needs none of them. What is used
is compiled once, and from then on its methods are the compiled pattern's own.

Source: DESIGN 2, promise 10 (nothing happens at import).
"""

from collections.abc import Sequence
from typing import Final, cast

import regex

_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _LatePattern:
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
        compiled = regex.compile(self.pattern, self.flags, False, None, **self._lists)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(self, name)


def late_pattern(pattern: str, flags: int = 0, **lists: Sequence[str]) -> "regex.Pattern[str]":
    r"""Return a pattern that compiles itself when it is first used.

    Takes what `regex.compile` takes: the expression, its flags and the words of its named lists (`\L<name>`). Raises
    nothing; an expression that cannot be compiled raises `regex.error` at its first use, and a test uses every one.
    """
    return cast("regex.Pattern[str]", cast("object", _LatePattern(pattern, flags, lists)))
