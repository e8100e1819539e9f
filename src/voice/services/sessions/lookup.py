"""Find and read stored sessions, and hide the topics that began with private rows.

Law: a session is named by its id, by the start of its id, or by its topic; what could mean several is an error that
lists them (ruling D21).

The topic of a conversation whose first turn is withheld speaks of what was asked of private rows. It is told where
private ones are asked for by name, and to who says the whole of it; anywhere else, errors included, a conversation is
known by its id and its times (promise 6). What is stored stays as it is.

Source: rulings D21, D26, H; DESIGN 8 `sessions`; promise 6; docs/sessions.md.
"""

from collections.abc import AsyncGenerator, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, TypeVar

from voice.core.errors import InvalidParams, UnknownId
from voice.core.session.history import summary_shown, withheld_in
from voice.core.session.lifecycle import PRIVATE_TOPIC, shown_status
from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary
from voice.core.text.display import counted, quoted_name, strip_ellipsis, truncate
from voice.core.text.instants import in_zone
from voice.core.text.normalise import norm_v1
from voice.ports.stores import SessionListItem, SessionStore

EVERY: Final = 2**31
"""More sessions than a store lists."""
MAX_LISTED = 10_000
PAGE = 500
_CANDIDATES = 10  # sessions listed in an error
TURN_PREFIX = "x:"
_SHOWN_CHARS = 100  # of a name that means no session: so much is repeated


async def load_session(sessions: SessionStore, name: str, *, window: int, timezone: str = "UTC") -> InnerVoiceSession:
    """Return the one session that `name` (an id, the start of one, or a topic) means, with its newest `window` unfolded
    exchanges. Raises UnknownId: none is meant; InvalidParams: several are, which the message lists, with times in
    `timezone`; or it stands for topics that are withheld."""
    exact = await sessions.load(name, window=window)
    if exact is not None:
        return exact
    topics, wanted = await sessions.topics(), norm_v1(name)
    if wanted == norm_v1(PRIVATE_TOPIC):  # it names every hidden topic
        raise InvalidParams(f"{name!r} stands for all private topics; use the session's id or the topic you gave it")
    found = [session_id for session_id, topic in topics.items() if _is_meant(name, wanted, session_id, topic)]
    if len(found) == 1 and (session := await sessions.load(found[0], window=window)) is not None:
        return session
    if len(found) > 1:
        raise InvalidParams(await _ambiguity(sessions, name, found, timezone))
    deleted = await was_deleted(sessions, name)
    name = truncate(name, _SHOWN_CHARS)
    if deleted:
        raise UnknownId(f"{name} was deleted; only its figures remain, for reports")
    if name.startswith(TURN_PREFIX):
        hint = "which `voice sessions replay` accepts; a session's id begins with s:"
        raise UnknownId(f"{name!r} is a turn's id, {hint}; `voice sessions list` shows them")
    asked = quoted_name(name) or "of that name; it is neither an id nor a topic"
    raise UnknownId(f"there is no session {asked}; `voice sessions list` shows them")


async def _ambiguity(sessions: SessionStore, name: str, meant: list[str], timezone: str) -> str:
    """Return which sessions a name could mean: those that were begun last, the most recent first."""
    loaded = [await sessions.load(session_id, window=0) for session_id in sorted(meant, reverse=True)[:_CANDIDATES]]
    newest_first = sorted(filter(None, loaded), key=lambda each: each.last_interaction, reverse=True)
    newest_first = await hide_private_topics(sessions, newest_first, said=(name,))
    candidates = "; ".join(_description(each, timezone) for each in newest_first)
    more = f"; and {len(meant) - _CANDIDATES:,} more" if len(meant) > _CANDIDATES else ""
    return f"{name!r} could mean several sessions: {candidates}{more}; use more of the id"


def _description(session: InnerVoiceSession, timezone: str) -> str:
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
    """Return the id of the session that is gone on with where none is named; None where there is none. It is the
    person's own open one that was last gone on with, but for those that a clock which ran ahead left in days to come:
    they are passed over while there is a live one behind them."""

    def is_live(item: SessionListItem) -> bool:
        return shown_status("open", item.last_interaction, now=now, timeout_hours=timeout_hours) == "open"

    first = await sessions.sessions(limit=1, status="open")
    if first and first[0].begun_by is not None:  # a program's: look further back
        first = _own_sessions(await sessions.sessions(limit=MAX_LISTED, status="open"))[:1]
    if not first or is_live(first[0]) or first[0].last_interaction <= now:
        return first[0].id if first else None
    behind = _own_sessions(await sessions.sessions(limit=MAX_LISTED, status="open"))
    return next((item.id for item in behind if is_live(item)), first[0].id)


def _own_sessions(items: Iterable[SessionListItem]) -> list[SessionListItem]:
    """Return the conversations that are the person's own, and no program's (ruling J1)."""
    return [item for item in items if item.begun_by is None]


async def was_deleted(sessions: SessionStore, session_id: str) -> bool:
    """Return whether figures are left of a session with exactly that id, which is not stored."""
    return any(each.deleted for each in await sessions.exchanges(session_id=session_id, limit=1))


def _is_meant(name: str, wanted: str, session_id: str, topic: str) -> bool:
    key, start = session_id.partition(":")[2], strip_ellipsis(name)
    is_start = len(start) >= 4 and (session_id.startswith(start) or key.startswith(start))  # fewer mean too many
    return is_start or norm_v1(topic) == wanted


async def exchange_pages(
    sessions: SessionStore, session_id: str, *, size: int = PAGE, after: int = -1, before: int | None = None
) -> AsyncGenerator[list[DialogueExchange]]:
    """Yield the exchanges of a session between two indices, oldest first, `size` at a time."""
    while before is None or after + 1 < before:
        limit = size if before is None else min(size, before - after - 1)
        page = await sessions.exchanges(session_id=session_id, after_index=after, limit=limit)
        if not page:
            return
        yield page
        after = page[-1].index


async def all_exchanges(
    sessions: SessionStore, session_id: str, *, after: int = -1, before: int | None = None
) -> list[DialogueExchange]:
    """Return every exchange of a session, oldest first, or those between two indices; read page by page."""
    pages = exchange_pages(sessions, session_id, after=after, before=before)
    return [exchange async for page in pages for exchange in page]


_Session = TypeVar("_Session", SessionListItem, InnerVoiceSession)


async def hide_private_topic(sessions: SessionStore, of: _Session, *, said: Collection[str] = ()) -> _Session:
    """Return a session, its topic hidden where withheld, unless it is in `said`: who says it knows it."""
    (told,) = await hide_private_topics(sessions, [of], said=said)
    return told


async def hide_private_topics(
    sessions: SessionStore, of: Iterable[_Session], *, said: Collection[str] = ()
) -> list[_Session]:
    """Return sessions, topics hidden as by `hide_private_topic`; their first turns are read together."""
    every = list(of)
    topics = await topics_to_hide(sessions, {each.id: each.thread_topic for each in every}, said=said)
    return [replace(each, thread_topic=topics[each.id]) for each in every]


async def topics_to_hide(
    sessions: SessionStore,
    topics: Mapping[str, str],
    *,
    said: Collection[str] = (),
    known: Mapping[str, bool] = MappingProxyType({}),
) -> dict[str, str]:
    """Return the topics of sessions, by id, without those that are withheld and not `said` (`hide_private_topic`).
    `known`: whether a session's first turn is withheld, where that was read already."""
    heard = {norm_v1(each) for each in said}
    asked = {each for each, topic in topics.items() if topic != PRIVATE_TOPIC and norm_v1(topic) not in heard}
    unread = sorted(each for each in asked if each not in known)
    begun = dict(known)  # of a fork the first turn is the one it shares
    if unread:
        first = await sessions.first_exchanges(unread)
        begun |= {session_id: turn.is_withheld for session_id, turn in first.items()}
    withheld = {each for each in asked if begun.get(each, False)}  # without a turn, nothing is hidden
    return {session_id: PRIVATE_TOPIC if session_id in withheld else topic for session_id, topic in topics.items()}


async def shown_summary(sessions: SessionStore, session: InnerVoiceSession) -> RollingSummary | None:
    """Return what of a session's summary is shown where private rows are not asked for; see `summary_shown`."""
    summary = session.rolling_summary
    return None if summary is None else summary_shown(summary, await _summarised_turns(sessions, session.id, summary))


async def withheld_turns(sessions: SessionStore, session: InnerVoiceSession) -> frozenset[int]:
    """Return the indices of the turns that are withheld and that a session's summary stems from."""
    summary = session.rolling_summary
    return (
        frozenset() if summary is None else withheld_in(summary, await _summarised_turns(sessions, session.id, summary))
    )


async def _summarised_turns(sessions: SessionStore, session_id: str, summary: RollingSummary) -> list[DialogueExchange]:
    """Return the turns of a summary's lines and those between; all folded ones where a line does not say which."""
    if summary.is_private or not summary.text:
        return []
    first = 0 if summary.has_unknown_turns else min(index for line in summary.lines for index in line.turns)
    count = summary.through_index - first + 1
    return await sessions.exchanges(session_id=session_id, after_index=first - 1, limit=count)
