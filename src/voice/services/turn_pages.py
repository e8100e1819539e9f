"""Stored turns, page by page.

Law: each turn of the window comes once, in order of time, and one page of them is held at a time (ruling D19).

Source: rulings D19, D21.
"""

from collections.abc import AsyncIterator, Sequence

from voice.core.retrieval.values import Window
from voice.core.session.values import DialogueExchange
from voice.ports.stores import SessionStore

_PAGE = 500


async def turn_pages(sessions: SessionStore, within: Window = Window()) -> AsyncIterator[Sequence[DialogueExchange]]:  # noqa: B008 - frozen
    """Yield the turns of a window in order of time, each once.

    Args:
        sessions: where they are.
        within: which ones.

    Raises:
        StoreError: they cannot be read.
    """
    since, limit = within.start, _PAGE
    seen: frozenset[str] = frozenset()
    while True:
        found = await sessions.exchanges(since=since, limit=limit)
        page = [each for each in found if each.id not in seen and within.admits(each.timestamp)]
        if page:
            yield page
        if len(found) < limit or not within.admits(found[-1].timestamp):
            return
        # The next page begins with the instant this one ends with; one that does not get past it has to be larger.
        limit = limit * 2 if found[-1].timestamp == since else _PAGE
        since = found[-1].timestamp
        seen = frozenset(each.id for each in found if each.timestamp == since)
