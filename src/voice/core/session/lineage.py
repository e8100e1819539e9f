"""Forks: conversations that share their beginning.

Law: a fork keeps where it left and nothing of what was said before; the turns it shares are read where they are kept.
So it costs the same at any turn of any conversation, and what is shared is one turn in every report. Which session
holds which turn follows from the lineage alone.

Source: rulings D17, D21, H; docs/sessions.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from voice.core.session.lifecycle import clean_topic
from voice.core.session.values import DialogueExchange, ForkPoint, InnerVoiceSession
from voice.core.text.display import counted

Lineage = tuple[ForkPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Turns of a conversation that one session holds."""

    session_id: str
    first: int
    last: int | None
    """None: to the end."""


def parts(session_id: str, lineage: Lineage, *, first: int = 0) -> Iterator[Part]:
    """Yield who holds the turns of a session from the index `first` on, oldest first; its own come last."""
    for point in lineage:
        if first <= point.through_index:
            yield Part(session_id=point.session_id, first=first, last=point.through_index)
            first = point.through_index + 1
    yield Part(session_id=session_id, first=first, last=None)


def lineage_at(session: InnerVoiceSession, index: int) -> Lineage:
    """Return the lineage of a fork that shares everything up to the turn with that index."""
    before = tuple(point for point in session.lineage if point.through_index < index)
    holder = next((point.session_id for point in session.lineage if point.through_index >= index), session.id)
    return (*before, ForkPoint(session_id=holder, through_index=index))


def fork_of(
    session: InnerVoiceSession, at: DialogueExchange, *, session_id: str, topic: str | None, now: datetime
) -> InnerVoiceSession:
    """Return a session that goes on from the turn `at`, at revision 0 (not stored yet).

    It takes over the summary if that reaches no further than the turn; else it has none and needs one of its own.

    Args:
        session: the one that is forked, without its window.
        at: the last turn that is shared.
        session_id: the fork's own id.
        topic: what it is about; None names the topic it left and the turn.
        now: when it is made.

    Raises:
        InvalidParams: the topic is empty.
    """
    summary = session.rolling_summary
    reaches_further = summary is not None and summary.through_index > at.index
    return InnerVoiceSession(
        id=session_id,
        provider=at.provider,
        model=at.model,
        max_prompt_tokens=session.max_prompt_tokens,
        rolling_summary=None if reaches_further else summary,
        thread_topic=clean_topic(_topic(session, at) if topic is None else topic),
        created_at=now,
        last_interaction=now,
        total_exchanges=at.index + 1,
        model_changes=tuple(change for change in session.model_changes if change[0] <= at.index),
        last_link=at.link,
        lineage=lineage_at(session, at.index),
    )


def _topic(session: InnerVoiceSession, at: DialogueExchange) -> str:
    """Return a topic that tells the fork from what it left, wherever that one's has to be cut."""
    return f"turn {at.index + 1} of: {session.thread_topic}"


def shared(one: InnerVoiceSession, other: InnerVoiceSession) -> int:
    """Return how many turns two sessions have in common; they are the first ones of both."""
    common = 0
    for mine, theirs in zip(_held(one), _held(other), strict=False):
        if mine[0] != theirs[0]:
            return common
        common = min(mine[1], theirs[1]) + 1
        if mine[1] != theirs[1]:
            return common
    return common


def _held(session: InnerVoiceSession) -> Iterator[tuple[str, int]]:
    """Yield who holds its turns, each with the index of the last one."""
    for part in parts(session.id, session.lineage):
        yield part.session_id, session.total_exchanges - 1 if part.last is None else part.last


def lineage_faults(session: InnerVoiceSession, turns: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence for every turn that a fork shares and nobody holds.

    Args:
        session: the fork.
        turns: of every stored session, how many turns it has.
    """
    for point in session.lineage:
        held = turns.get(point.session_id)
        if held is None:
            yield f"{session.id}: it shares turns of {point.session_id}, which is not stored"
        elif held <= point.through_index:
            shares = counted(point.through_index + 1, "turn")
            yield f"{session.id}: it shares {shares} of {point.session_id}, which has {held}"
