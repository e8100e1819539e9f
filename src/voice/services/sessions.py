"""Finding and reading stored sessions.

Law: a session is named by its id, by the start of its id, or by its topic; what could mean several is an error that
lists them (ruling D21).

Source: rulings D21, D26; DESIGN 8 `sessions`.
"""

from collections.abc import AsyncGenerator

from voice.core.errors import UnknownId
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.normalise import norm_v1
from voice.ports.stores import SessionListItem, SessionStore

MAX_LISTED = 10_000
PAGE = 500
TURN_PREFIX = "x:"


async def load_session(sessions: SessionStore, name: str, *, window: int) -> InnerVoiceSession:
    """Return the one session that `name` means, with its newest `window` unfolded exchanges.

    Raises:
        UnknownId: no session or several are meant; the message lists the candidates.
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
    if not found and name.startswith(TURN_PREFIX):
        hint = "which `voice sessions replay` takes; a conversation has one that begins with s:"
        raise UnknownId(f"{name!r} is a turn's id, {hint}; `voice sessions list` shows them")
    if not found:
        raise UnknownId(f"there is no session {name!r}; `voice sessions list` shows them")
    candidates = ", ".join(f"{item.id} ({item.thread_topic})" for item in found[:10])
    raise UnknownId(f"{name!r} could mean several sessions: {candidates}; use more of the id")


def _means(name: str, item: SessionListItem) -> bool:
    key = item.id.partition(":")[2]
    return (len(name) >= 4 and (item.id.startswith(name) or key.startswith(name))) or norm_v1(
        item.thread_topic
    ) == norm_v1(name)


async def exchange_pages(
    sessions: SessionStore, session_id: str, *, size: int = PAGE
) -> AsyncGenerator[list[DialogueExchange]]:
    """Yield the exchanges of a session, oldest first, `size` at a time: no more of them need be held at once."""
    after = -1
    while page := await sessions.exchanges(session_id=session_id, after_index=after, limit=size):
        yield page
        after = page[-1].index


async def all_exchanges(sessions: SessionStore, session_id: str) -> list[DialogueExchange]:
    """Return every exchange of a session, oldest first, read page by page."""
    return [exchange async for page in exchange_pages(sessions, session_id) for exchange in page]
