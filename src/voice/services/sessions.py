"""Finding and reading stored sessions.

Law: a session is named by its id, by the start of its id, or by its topic; what could mean several is an error that
lists them (ruling D21).

Source: rulings D21, D26; DESIGN 8 `sessions`.
"""

from collections.abc import AsyncGenerator

from voice.core.errors import InvalidParams, UnknownId
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.counting import counted
from voice.core.text.days import in_zone
from voice.core.text.normalise import norm_v1
from voice.ports.stores import SessionListItem, SessionStore

MAX_LISTED = 10_000
PAGE = 500
_CANDIDATES = 10
TURN_PREFIX = "x:"


async def load_session(sessions: SessionStore, name: str, *, window: int, timezone: str = "UTC") -> InnerVoiceSession:
    """Return the one session that `name` means, with its newest `window` unfolded exchanges.

    Args:
        sessions: where it is.
        name: an id, the start of one, or a topic.
        window: how many exchanges.
        timezone: where the person lives who is told of several.

    Raises:
        UnknownId: no session is meant.
        InvalidParams: several are meant; the message lists the candidates.
    """
    exact = await sessions.load(name, window=window)
    if exact is not None:
        return exact
    listed = await sessions.sessions(limit=MAX_LISTED)
    found = [item for item in listed if _means(name, item)]
    if len(found) == 1:
        session = await sessions.load(found[0].id, window=window)
        if session is not None:
            return session
    if not found and await was_deleted(sessions, name):
        raise UnknownId(f"{name} was deleted; its figures are left for reports, and nothing that was said")
    if not found and name.startswith(TURN_PREFIX):
        hint = "which `voice sessions replay` takes; a conversation has one that begins with s:"
        raise UnknownId(f"{name!r} is a turn's id, {hint}; `voice sessions list` shows them")
    if not found:
        raise UnknownId(f"there is no session {name!r}; `voice sessions list` shows them")
    candidates = "; ".join(_told(item, timezone) for item in found[:_CANDIDATES])
    more = f"; and {len(found) - _CANDIDATES} more" if len(found) > _CANDIDATES else ""
    raise InvalidParams(f"{name!r} could mean several sessions: {candidates}{more}; use more of the id")


def _told(item: SessionListItem, timezone: str) -> str:
    """Return a session with what tells it from another of its name."""
    last = in_zone(item.last_interaction, timezone)
    turns = counted(item.total_exchanges, "turn")
    fork = ", a fork" if item.is_fork else ""
    return f"{item.id} ({item.thread_topic}, last {last:%Y-%m-%d %H:%M %Z}, {turns}{fork})"


async def was_deleted(sessions: SessionStore, session_id: str) -> bool:
    """Return whether figures are left of a session with exactly that id, which is not stored."""
    return any(each.deleted for each in await sessions.exchanges(session_id=session_id, limit=1))


def _means(name: str, item: SessionListItem) -> bool:
    key = item.id.partition(":")[2]
    return (len(name) >= 4 and (item.id.startswith(name) or key.startswith(name))) or norm_v1(
        item.thread_topic
    ) == norm_v1(name)


async def exchange_pages(
    sessions: SessionStore, session_id: str, *, size: int = PAGE, after: int = -1, before: int | None = None
) -> AsyncGenerator[list[DialogueExchange]]:
    """Yield the exchanges of a session, oldest first, `size` at a time: no more of them need be held at once.

    Args:
        sessions: where they are.
        session_id: whose.
        size: of a page.
        after: the index behind which to begin.
        before: the index to stop at; None reads to the end.
    """
    while before is None or after + 1 < before:
        limit = size if before is None else min(size, before - after - 1)
        page = await sessions.exchanges(session_id=session_id, after_index=after, limit=limit)
        if not page:
            return
        yield page
        after = page[-1].index


async def all_exchanges(sessions: SessionStore, session_id: str) -> list[DialogueExchange]:
    """Return every exchange of a session, oldest first, read page by page."""
    return [exchange async for page in exchange_pages(sessions, session_id) for exchange in page]
