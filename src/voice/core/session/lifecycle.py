"""Life cycle of a session: open, continue, rename, close, fork; and its totals recounted.

Law: turns are only added by `append`; totals include refused turns (ruling D6), model changes are recorded (ruling
D21). Expiry is computed against an injected `now`, not stored. A fork stores its lineage and copies no turns; which
session holds which turn follows from the lineage alone.
Source: spec stateful-design-v2, 5 and 8; rulings A6, D6, D17, D18, D21, H; docs/sessions.md.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from voice.core.errors import InvalidParams, NoSession
from voice.core.messages import asking as messages
from voice.core.session.values import DialogueExchange, ForkPoint, InnerVoiceSession, SessionStatus
from voice.core.text.display import counted, truncate
from voice.core.text.normalise import clean_text
from voice.core.usage import Total

MAX_TOPIC_CHARS = 200
MAX_MODEL_CHANGES = 50
"""Only the newest are kept: the row is rewritten every turn, and each exchange names its model."""
PRIVATE_TOPIC = "a private conversation"
_OF_A_FORK = re.compile(r"^from turn [0-9]+: ")
_TOPIC_OF_QUESTION = 60  # characters


def new_session(  # noqa: PLR0913 - what a session is, fact by fact
    *,
    session_id: str,
    topic: str,
    provider: str,
    model: str,
    max_prompt_tokens: int,
    now: datetime,
    begun_by: str | None = None,
) -> InnerVoiceSession:
    """Return an empty open session at revision 0, not stored yet."""
    return InnerVoiceSession(
        id=session_id,
        provider=provider,
        model=model,
        max_prompt_tokens=max_prompt_tokens,
        thread_topic=clean_topic(topic),
        created_at=now,
        last_interaction=now,
        begun_by=begun_by,
    )


def clean_topic(topic: str) -> str:
    """Normalise a topic to one line of at most `MAX_TOPIC_CHARS` characters. Raises InvalidParams: it is empty."""
    line = " ".join(clean_text(topic).split())
    if not line:
        raise InvalidParams(messages.TOPIC_EMPTY)
    return line if len(line) <= MAX_TOPIC_CHARS else line[: MAX_TOPIC_CHARS - 1].rstrip() + "…"


def topic_of(question: str, *, include_private: bool) -> str:
    """Return a default topic: the first question, or a neutral one if private rows are included (promise 6)."""
    return PRIVATE_TOPIC if include_private else truncate(" ".join(question.split()), _TOPIC_OF_QUESTION)


def shown_status(
    status: SessionStatus, last_interaction: datetime, *, now: datetime, timeout_hours: float
) -> SessionStatus:
    """Return the effective status: an open session expires after `timeout_hours` idle (ruling A6).

    One whose last interaction is that far in the future has expired too: the clock was wrong, the age is unknown.
    """
    is_idle = abs(now - last_interaction) >= timedelta(hours=timeout_hours)
    return "expired" if status == "open" and is_idle else status


def is_live(session: InnerVoiceSession, *, now: datetime, timeout_hours: float) -> bool:
    """Return whether the session continues without being named."""
    status = shown_status(session.status, session.last_interaction, now=now, timeout_hours=timeout_hours)
    return status == "open"


def require_live(session: InnerVoiceSession | None, *, now: datetime, timeout_hours: float) -> InnerVoiceSession:
    """Return the session if it can be continued. Raises NoSession: missing, closed or expired."""
    if session is None:
        raise NoSession(messages.NO_SESSION)
    require_open(session)  # first: a closed session may have expired as well
    if not is_live(session, now=now, timeout_hours=timeout_hours):
        last = f"{session.last_interaction:%Y-%m-%d %H:%M} UTC"
        why = (
            messages.continued_in_future(last)
            if session.last_interaction > now
            else messages.idle_too_long(last, timeout_hours)
        )
        raise NoSession(messages.session_not_continued(session.id, why))
    return session


def require_open(session: InnerVoiceSession) -> InnerVoiceSession:
    """Return the session, also an expired one (ruling D21). Raises NoSession: it is closed."""
    if session.status == "closed":
        raise NoSession(messages.session_closed(session.id))
    return session


def renamed(session: InnerVoiceSession, topic: str) -> InnerVoiceSession:
    """Return the session with another topic. Raises InvalidParams: the topic is empty."""
    return replace(session, thread_topic=clean_topic(topic))


def closed(session: InnerVoiceSession) -> InnerVoiceSession:
    """Return the session closed: readable, not continuable."""
    return replace(session, status="closed")


def reopened(session: InnerVoiceSession, *, now: datetime) -> InnerVoiceSession:
    """Return the session open with a fresh idle time."""
    return replace(session, status="open", last_interaction=now)


def append(session: InnerVoiceSession, exchange: DialogueExchange) -> InnerVoiceSession:
    """Append `exchange`, with revision, totals and window. Raises InvalidParams: it is not the next of this session."""
    if exchange.session_id != session.id or exchange.index != session.total_exchanges:
        raise InvalidParams(messages.EXCHANGE_NOT_LAST)
    changes, served = session.model_changes, f"{exchange.provider}/{exchange.model}"
    if served != (changes[-1][1] if changes else f"{session.provider}/{session.model}"):  # the newest model on record
        changes = (*changes, (exchange.index, served))[-MAX_MODEL_CHANGES:]
    return replace(
        session,
        context_window=(*session.context_window, exchange),
        last_interaction=exchange.timestamp,
        total_exchanges=session.total_exchanges + 1,
        total_tokens=session.total_tokens + (exchange.prompt_tokens or 0) + (exchange.completion_tokens or 0),
        total_cost=session.total_cost.plus(exchange.cost_estimate),
        answered=session.answered + (exchange.status == "answered"),
        refused=session.refused + (exchange.status == "refused"),
        errors=session.errors + (exchange.status == "error"),
        model_changes=changes,
        provider=exchange.provider,
        model=exchange.model,
        last_link=exchange.link or session.last_link,  # without link it leaves the chain as it is
        revision=session.revision + 1,
    )


Lineage = tuple[ForkPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A range of a conversation's turns held by one session."""

    session_id: str
    first: int
    last: int | None
    """None: to the end."""


def parts(session_id: str, lineage: Lineage, *, first: int = 0) -> Iterator[Part]:
    """Yield the holders of a session's turns from index `first` on, oldest first."""
    for point in lineage:
        if first <= point.through_index:
            yield Part(session_id=point.session_id, first=first, last=point.through_index)
            first = point.through_index + 1
    yield Part(session_id=session_id, first=first, last=None)


def lineage_at(session: InnerVoiceSession, index: int) -> Lineage:
    """Return the lineage of a fork after the turn with that index."""
    before = tuple(point for point in session.lineage if point.through_index < index)
    holder = next((point.session_id for point in session.lineage if point.through_index >= index), session.id)
    return (*before, ForkPoint(session_id=holder, through_index=index))


def fork_of(
    session: InnerVoiceSession, at: DialogueExchange, *, session_id: str, topic: str | None, now: datetime
) -> InnerVoiceSession:
    """Return a fork that continues after the turn `at`, at revision 0, not stored yet.

    It inherits the summary only if that does not extend beyond `at`.

    Args:
        topic: None derives it from the parent's topic and the turn.

    Raises InvalidParams: the topic is empty.
    """
    # The turn first: both stay distinct if truncated. A fork of a fork names its own turn only.
    of = _OF_A_FORK.sub("", session.thread_topic) if session.lineage else session.thread_topic
    named = f"from turn {at.index + 1}: {of}"
    summary = session.rolling_summary
    reaches_further = summary is not None and summary.through_index > at.index
    return InnerVoiceSession(
        id=session_id,
        provider=at.provider,
        model=at.model,
        max_prompt_tokens=session.max_prompt_tokens,
        rolling_summary=None if reaches_further else summary,  # it would tell of turns that the fork lacks
        thread_topic=clean_topic(named if topic is None else topic),
        created_at=now,
        last_interaction=now,
        total_exchanges=at.index + 1,
        model_changes=tuple(change for change in session.model_changes if change[0] <= at.index),
        last_link=at.link,
        lineage=lineage_at(session, at.index),
    )


def shared(one: InnerVoiceSession, other: InnerVoiceSession) -> int:
    """Count the turns two sessions share, which are the first of both."""
    common = 0
    for mine, theirs in zip(_holders_with_index(one), _holders_with_index(other), strict=False):
        if mine[0] != theirs[0]:
            return common
        common = min(mine[1], theirs[1]) + 1  # an index counts from 0
        if mine[1] != theirs[1]:
            return common
    return common


def _holders_with_index(session: InnerVoiceSession) -> Iterator[tuple[str, int]]:
    for part in parts(session.id, session.lineage):
        yield part.session_id, session.total_exchanges - 1 if part.last is None else part.last


def lineage_faults(session: InnerVoiceSession, turns: Mapping[str, int]) -> Iterator[str]:
    """Yield a message for every shared turn that is missing; `turns` counts the turns of each stored session."""
    for point in session.lineage:
        held = turns.get(point.session_id)
        if held is None:
            yield messages.shared_session_missing(session.id, point.session_id)
        elif held <= point.through_index:
            shares = counted(point.through_index + 1, "turn")
            yield messages.shared_turns_missing(session.id, shares, point.session_id, held)


class SessionTally:
    """Recounted totals of one session's exchanges; stores no text."""

    def __init__(self) -> None:
        self._indexes: list[int] = []
        self._statuses: Counter[str] = Counter()
        self._tokens = 0
        self._cost = Total()

    def add(self, exchange: DialogueExchange) -> None:
        """Count one exchange."""
        self._indexes.append(exchange.index)
        self._statuses[exchange.status] += 1
        self._tokens += (exchange.prompt_tokens or 0) + (exchange.completion_tokens or 0)
        self._cost = self._cost.plus(exchange.cost_estimate)

    def faults(self, session: InnerVoiceSession) -> Iterator[str]:
        """Yield a message for each total that differs from the session's row."""
        first, stored = session.own_from, len(self._indexes)
        if sorted(self._indexes) != list(range(first, first + stored)):  # contiguous, in whatever order they came
            yield messages.exchange_numbers(session.id)
        if session.total_exchanges != first + stored:
            yield messages.exchange_count(session.id, session.total_exchanges - first, stored)
        counted = (session.answered, session.refused, session.errors)
        if counted != tuple(self._statuses[status] for status in ("answered", "refused", "error")):
            yield messages.outcome_counts(session.id)
        if session.total_tokens != self._tokens:
            yield messages.token_total(session.id)
        if session.total_cost != self._cost:
            yield messages.cost_total(session.id)
