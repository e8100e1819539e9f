"""Where a query's own time is looked in, and what is said of that.

Law: a time in the words of a query narrows what is found as an explicit `when` does, and that is said; where nothing
was told then, its own ± is tried, step by step, and each step is said. What sounds like a time and is none narrows
nothing, and is said, too (ruling E).

Source: spec nlq 3, 10; rulings A22, E.
"""

from collections.abc import Iterator

from voice.core.nlq.values import ParsedQuery
from voice.core.retrieval.values import Window

_OF_TIME = frozenset({"when_unparsed", "window_empty", "several_phrases"})


def windows_to_look_in(parsed: ParsedQuery) -> Iterator[tuple[str | None, Window]]:
    """Yield the windows to look in, in turn, until one holds something; each with what is said of it.

    Args:
        parsed: the query; an explicit time is looked in as it stands.
    """
    if parsed.time is None:
        yield None, Window()
    elif parsed.time_from_when:
        yield None, parsed.time.window
    else:
        yield f"{parsed.time.note}: only what was told then or speaks of it was looked at", parsed.time.window
        for wider in parsed.time.widenings:
            yield f"{parsed.time.note} — nothing was told then or speaks of it; looked a little wider", wider


def when_unparsed(parsed: ParsedQuery) -> str | None:
    """Return what sounds like a time and was not understood as one, in words; None where nothing does."""
    return next((notice.detail for notice in parsed.notices if notice.code == "when_unparsed"), None)


def told_of_time(parsed: ParsedQuery) -> tuple[str, ...]:
    """Return what a person should know of how a query's time was read."""
    anytime = "" if parsed.time else "; looked at any time"
    return tuple(f"{notice.detail}{anytime}" for notice in parsed.notices if notice.code in _OF_TIME)
