"""Find and read stored sessions.

Law: a session is named by its id, by the start of its id, or by its topic; what could mean several is an error that
lists them (ruling D21), without the topics that are withheld (promise 6).

Source: rulings D21, D26; DESIGN 8 `sessions`.
"""

from collections.abc import AsyncGenerator, Iterable
from datetime import datetime

from voice.core.errors import InvalidParams, UnknownId
from voice.core.session.lifecycle import shown_status
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.display import counted, strip_ellipsis, truncate
from voice.core.text.escaping import quoted_name
from voice.core.text.instants import in_zone
from voice.core.text.normalise import norm_v1
from voice.ports.stores import SessionListItem, SessionStore
from voice.services.sessions.private_topics import hide_private_topics

MAX_LISTED = 10_000
PAGE = 500
_CANDIDATES = 10
TURN_PREFIX = "x:"
_SHOWN_CHARS = 100
"""Of a name that means no session; so much of what was sent is said again."""


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
    topics, wanted = await sessions.topics(), norm_v1(name)
    found = [session_id for session_id, topic in topics.items() if _means(name, wanted, session_id, topic)]
    if len(found) == 1 and (session := await sessions.load(found[0], window=window)) is not None:
        return session
    if len(found) > 1:
        raise InvalidParams(await _several(sessions, name, found, timezone))
    deleted = await was_deleted(sessions, name)
    name = truncate(name, _SHOWN_CHARS)
    if deleted:
        raise UnknownId(f"{name} was deleted; its figures are left for reports, and nothing that was said")
    if name.startswith(TURN_PREFIX):
        hint = "which `voice sessions replay` takes; a conversation has one that begins with s:"
        raise UnknownId(f"{name!r} is a turn's id, {hint}; `voice sessions list` shows them")
    asked = quoted_name(name) or "by what was asked for: that is neither an id nor a topic"
    raise UnknownId(f"there is no session {asked}; `voice sessions list` shows them")


async def _several(sessions: SessionStore, name: str, meant: list[str], timezone: str) -> str:
    """Return which sessions a name could mean: those that were begun last, the most recent first."""
    loaded = [await sessions.load(session_id, window=0) for session_id in sorted(meant, reverse=True)[:_CANDIDATES]]
    newest_first = sorted(filter(None, loaded), key=lambda each: each.last_interaction, reverse=True)
    newest_first = await hide_private_topics(sessions, newest_first, said=(name,))
    candidates = "; ".join(_told(each, timezone) for each in newest_first)
    more = f"; and {len(meant) - _CANDIDATES:,} more" if len(meant) > _CANDIDATES else ""
    return f"{name!r} could mean several sessions: {candidates}{more}; use more of the id"


def _told(session: InnerVoiceSession, timezone: str) -> str:
    """Return a session with what tells it from another of its name."""
    last = in_zone(session.last_interaction, timezone)
    turns = counted(session.total_exchanges, "turn")
    fork = ", a fork" if session.lineage else ""
    return f"{session.id} ({session.thread_topic}, last {last:%Y-%m-%d %H:%M %Z}, {turns}{fork})"


async def namesakes(sessions: SessionStore, session: InnerVoiceSession) -> list[str]:
    """Return the ids of the other sessions that the topic of `session` means as well, in order."""
    wanted = norm_v1(session.thread_topic)
    topics = await sessions.topics()
    return sorted(each for each, topic in topics.items() if each != session.id and norm_v1(topic) == wanted)


async def most_recent(sessions: SessionStore, *, now: datetime, timeout_hours: float) -> str | None:
    """Return the id of the session that is gone on with where none is named; None where there is none.

    It is the person's own open one that was last gone on with, but for those that a clock which ran ahead left in days
    to come: they are passed over while there is a live one behind them.
    """

    def is_live(item: SessionListItem) -> bool:
        return shown_status("open", item.last_interaction, now=now, timeout_hours=timeout_hours) == "open"

    first = await sessions.sessions(limit=1, status="open")
    if first and first[0].begun_by is not None:
        first = _own(await sessions.sessions(limit=MAX_LISTED, status="open"))[:1]
    if not first or is_live(first[0]) or first[0].last_interaction <= now:
        return first[0].id if first else None
    behind = _own(await sessions.sessions(limit=MAX_LISTED, status="open"))
    return next((item.id for item in behind if is_live(item)), first[0].id)


def _own(items: Iterable[SessionListItem]) -> list[SessionListItem]:
    """Return the conversations that are the person's own, and no program's (ruling J1)."""
    return [item for item in items if item.begun_by is None]


async def was_deleted(sessions: SessionStore, session_id: str) -> bool:
    """Return whether figures are left of a session with exactly that id, which is not stored."""
    return any(each.deleted for each in await sessions.exchanges(session_id=session_id, limit=1))


def _means(name: str, wanted: str, session_id: str, topic: str) -> bool:
    """Return whether a session is meant by `name`, whose normal form is `wanted`."""
    key, start = session_id.partition(":")[2], strip_ellipsis(name)
    is_start = len(start) >= 4 and (session_id.startswith(start) or key.startswith(start))
    return is_start or norm_v1(topic) == wanted


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
