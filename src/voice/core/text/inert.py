"""Text of others, so that it can only be read.

Law: the text of a memory, of a file name or of an argument is shown as text and never steers what shows it: control
characters, the invisible ones that turn the reading direction, and code points that mean nothing are taken out. What is
stored keeps them.

Source: DESIGN 8; ruling D22 (what a memory says is data).
"""

_NAME_CHARS = 100
_JOINERS = frozenset("\u200c\u200d")
"""Invisible, and needed: Persian words, Indic letters and families of emoji fall apart without them."""


def printable(text: str) -> str:
    """Return `text` on one line without characters that steer a terminal or turn the reading direction."""
    return " ".join(_harmless(text).split())


def printable_block(text: str) -> str:
    """Return `text` as `printable` does, but with its line breaks and tabs."""
    return _harmless(text.replace("\r\n", "\n"), keep="\n\t ")


def as_named(name: str) -> str | None:
    """Return a name or an id as a message shows it, in quotation marks and cut; None where nobody could read it.

    Args:
        name: what somebody asked for.
    """
    bare = "".join(char for char in name if char not in _JOINERS)
    if not bare.strip() or not bare.isprintable():
        return None
    shown = name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"
    return f"'{shown}'"


def _harmless(text: str, *, keep: str | None = None) -> str:
    return "".join(_shown(char, keep) for char in text)


def _shown(char: str, keep: str | None) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    if keep is None:
        return " " if char.isspace() else ""
    return char if char in keep else ""
