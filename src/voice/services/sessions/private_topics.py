"""Hide the topic of a conversation that began with private rows let in.

Law: the topic of a conversation whose first turn is withheld speaks of what was asked of private rows. It is told where
private ones are asked for by name, and to who says the whole of it; anywhere else, errors included, a conversation is
known by its id and its times (promise 6). What is stored stays as it is.

Source: promise 6; ruling H; docs/sessions.md.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from voice.core.session.history import summary_shown, withheld_in
from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary
from voice.core.text.normalise import norm_v1
from voice.ports.stores import SessionListItem, SessionStore

_Told = TypeVar("_Told", SessionListItem, InnerVoiceSession)


async def hide_private_topic(sessions: SessionStore, of: _Told, *, said: Collection[str] = ()) -> _Told:
    """Return a session without its topic where that is withheld.

    Args:
        sessions: where its turns are; the first one is read.
        of: the session.
        said: what the person called it by, or calls it from now on: whoever says the topic knows it.

    Raises:
        StoreError: the turn cannot be read.
    """
    (told,) = await hide_private_topics(sessions, [of], said=said)
    return told


async def hide_private_topics(
    sessions: SessionStore, of: Iterable[_Told], *, said: Collection[str] = ()
) -> list[_Told]:
    """Return sessions, each without its topic where that is withheld; their first turns are read together.

    Args:
        sessions: where their turns are.
        of: the sessions, in any order, which they keep.
        said: as in `hide_private_topic`.

    Raises:
        StoreError: a turn cannot be read.
    """
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
    """Return the topics of sessions, by id, without those that are withheld.

    Args:
        sessions: where their turns are.
        topics: what the sessions are about, by id.
        said: as in `hide_private_topic`.
        known: whether a session's first turn is withheld, where that was read already.

    Raises:
        StoreError: a turn cannot be read.
    """
    heard = {norm_v1(each) for each in said}
    asked = {each for each, topic in topics.items() if topic != PRIVATE_TOPIC and norm_v1(topic) not in heard}
    unread = sorted(each for each in asked if each not in known)
    begun = dict(known)  # of a fork the first turn is the one it shares
    if unread:
        first = await sessions.first_exchanges(unread)
        begun |= {session_id: turn.is_withheld for session_id, turn in first.items()}
    withheld = {each for each in asked if begun.get(each, False)}
    return {session_id: PRIVATE_TOPIC if session_id in withheld else topic for session_id, topic in topics.items()}


async def shown_summary(sessions: SessionStore, session: InnerVoiceSession) -> RollingSummary | None:
    """Return what of a session's summary is shown where private rows are not asked for; see `summary_shown`.

    Raises:
        StoreError: a turn that it stems from cannot be read.
    """
    summary = session.rolling_summary
    return None if summary is None else summary_shown(summary, await _stems(sessions, session.id, summary))


async def withheld_turns(sessions: SessionStore, session: InnerVoiceSession) -> frozenset[int]:
    """Return the indices of the turns that are withheld and that a session's summary stems from.

    Raises:
        StoreError: a turn cannot be read.
    """
    summary = session.rolling_summary
    return frozenset() if summary is None else withheld_in(summary, await _stems(sessions, session.id, summary))


async def _stems(sessions: SessionStore, session_id: str, summary: RollingSummary) -> list[DialogueExchange]:
    """Return the turns that a summary's lines stem from, and those between; every folded one, where a line of it does
    not say from which."""
    if summary.is_private or not summary.text:
        return []
    first = 0 if summary.is_of_old else min(index for line in summary.lines for index in line.turns)
    count = summary.through_index - first + 1
    return await sessions.exchanges(session_id=session_id, after_index=first - 1, limit=count)


def begins_with(first: Collection[DialogueExchange]) -> bool:
    """Return whether turns, the first ones of a session, begin with one that is withheld."""
    return any(each.is_withheld for each in first if each.index == 0)
