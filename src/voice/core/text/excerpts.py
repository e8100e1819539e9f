"""What is shown of a text where it does not fit.

Law: it is cut at a word, and "…" says that it was cut; only a long word (a script without spaces, an address) is cut
within itself, where less than half of the room would be used without it. It is for a person's eye: what is cited is a
span (`capping`).
"""

import re
from typing import Final

_LAST_SPACE: Final = re.compile(r"\s+(?=\S*\Z)")
_SPACE: Final = re.compile(r"\s+")
_LOOSE: Final = " ,;:–-\n\t"


def beginning(text: str, most: int) -> str:
    """Return a text, or of a long one as many words as `most` characters hold, with "…" behind them.

    Of a word that would leave more than half of the room empty, as much as there is room for is shown.

    Args:
        text: what is shown.
        most: how many characters there is room for, "…" among them; at least 1.
    """
    if len(text) <= most:
        return text
    start = text[: most - 1]
    space = None if text[len(start)].isspace() else _LAST_SPACE.search(start)
    whole = start[: space.start()] if space else start
    return (whole if 2 * len(whole) >= len(start) else start).rstrip(_LOOSE) + "…"


def surroundings(before: str, behind: str, *, is_more_before: bool, is_more_behind: bool) -> tuple[str, str]:
    """Return what stands around words that are shown, each end cut at a word, with "…", where the text goes on there.

    Args:
        before: so many characters before the words as there is room for.
        behind: so many behind them.
        is_more_before: whether the text begins before that.
        is_more_behind: whether the text goes on behind that.
    """
    return (_cut_before(before) if is_more_before else before), (_cut_behind(behind) if is_more_behind else behind)


def around(text: str, span: tuple[int, int], most: int) -> str:
    """Return a text, or of a long one the part around a span, each end cut at a word, with "…" where the text goes on.

    Args:
        text: what is shown.
        span: what has to be in it, half-open; no longer than `most`.
        most: how many characters of it are shown at most.
    """
    if len(text) <= most:
        return text
    start, end = span
    left = max(0, min(start - (most - (end - start)) // 2, len(text) - most))
    before, behind = surroundings(
        text[left:start], text[end : left + most], is_more_before=left > 0, is_more_behind=left + most < len(text)
    )
    return f"{before}{text[start:end]}{behind}"


def _cut_before(text: str) -> str:
    space = _SPACE.search(text)
    return f"… {text[space.end() :]}" if space else f"…{text}"


def _cut_behind(text: str) -> str:
    space = _LAST_SPACE.search(text)
    return f"{text[: space.start()]} …" if space else f"{text}…"
