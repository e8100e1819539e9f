"""How a session lives.

Law: what was said grows only by `append`; totals follow from the exchanges that were appended, refused ones included
(ruling D6); a model change is recorded (ruling D21). Name, status and topic status are the person's to change, and
touch nothing else. Idleness is measured against an injected `now`; that a session expired is reckoned and not stored.
A session was last gone on with when its newest turn was asked, so that a clock that ran ahead once is forgotten.

Source: spec stateful-design-v2, 5 and 8; rulings A6, D6, D18, D21.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from voice.core.errors import InvalidParams, NoSession
from voice.core.session.values import DialogueExchange, InnerVoiceSession, SessionStatus, TopicStatus
from voice.core.text.display import truncate
from voice.core.text.normalise import clean_text

Mode = Literal["continue", "new_thread"]
MAX_TOPIC_CHARS = 200
MAX_MODEL_CHANGES = 50
"""The newest ones are kept: the row is written every turn, and each exchange says who served it."""
PRIVATE_TOPIC = "a private conversation"
_TOPIC_OF_QUESTION = 60


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
    """Return an empty open session at revision 0 (not stored yet)."""
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
    """Return `topic` on one line as it may be stored, at most `MAX_TOPIC_CHARS` characters.

    Raises:
        InvalidParams: nothing is left of it.
    """
    line = " ".join(clean_text(topic).split())
    if not line:
        raise InvalidParams("a topic needs a few words")
    return line if len(line) <= MAX_TOPIC_CHARS else line[: MAX_TOPIC_CHARS - 1].rstrip() + "…"


def topic_of(question: str, *, include_private: bool) -> str:
    """Return the topic of a thread that was given none: its first question, or nothing of it where private rows are in.

    A list of sessions shows topics, and what was asked of private rows is not for every glance (promise 6).
    """
    return PRIVATE_TOPIC if include_private else truncate(" ".join(question.split()), _TOPIC_OF_QUESTION)


def shown_status(
    status: SessionStatus, last_interaction: datetime, *, now: datetime, timeout_hours: float
) -> SessionStatus:
    """Return how a session stands: an open one has expired once it is idle for `timeout_hours` or more (ruling A6).

    So has one that lies as far ahead: a clock was wrong when it was gone on with, and nobody knows how long ago it was.
    """
    is_idle = abs(now - last_interaction) >= timedelta(hours=timeout_hours)
    return "expired" if status == "open" and is_idle else status


def is_live(session: InnerVoiceSession, *, now: datetime, timeout_hours: float) -> bool:
    """Return whether the session is continued without being named."""
    status = shown_status(session.status, session.last_interaction, now=now, timeout_hours=timeout_hours)
    return status == "open"


def require_live(session: InnerVoiceSession | None, *, now: datetime, timeout_hours: float) -> InnerVoiceSession:
    """Return the session if it can be continued.

    Raises:
        NoSession: there is none, it is closed, or it has been idle too long.
    """
    if session is None:
        raise NoSession("there is no session to continue; start a new one")
    require_open(session)
    if not is_live(session, now=now, timeout_hours=timeout_hours):
        last = f"{session.last_interaction:%Y-%m-%d %H:%M} UTC"
        why = (
            f"was last gone on with at {last}, which is yet to come by this machine's clock"
            if session.last_interaction > now
            else f"has been idle since {last}, more than {timeout_hours:g} hours"
        )
        raise NoSession(f"session {session.id} {why}; name it by its id to go on all the same, or start a new one")
    return session


def require_open(session: InnerVoiceSession) -> InnerVoiceSession:
    """Return the session unless it was closed; one that has only been idle may be gone on with by name (ruling D21).

    Raises:
        NoSession: it is closed.
    """
    if session.status == "closed":
        raise NoSession(f"session {session.id} is closed; open it again, or start a new one")
    return session


def renamed(session: InnerVoiceSession, topic: str) -> InnerVoiceSession:
    """Return the session with another topic.

    Raises:
        InvalidParams: nothing is left of the topic.
    """
    return replace(session, thread_topic=clean_topic(topic))


def closed(session: InnerVoiceSession) -> InnerVoiceSession:
    """Return the session closed: it is read, but not continued."""
    return replace(session, status="closed")


def reopened(session: InnerVoiceSession, *, now: datetime) -> InnerVoiceSession:
    """Return the session open, and not idle any more: the next question continues it."""
    return replace(session, status="open", last_interaction=now)


def with_topic_status(session: InnerVoiceSession, status: TopicStatus) -> InnerVoiceSession:
    """Return the session with what became of its topic."""
    return replace(session, topic_status=status)


def append(session: InnerVoiceSession, exchange: DialogueExchange) -> InnerVoiceSession:
    """Return the session with `exchange` at its end: next revision, true totals, the exchange in its window.

    Raises:
        InvalidParams: the exchange is not the next one of this session.
    """
    if exchange.session_id != session.id or exchange.index != session.total_exchanges:
        raise InvalidParams("an exchange can only be appended at its session's end")
    served = f"{exchange.provider}/{exchange.model}"
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
        model_changes=_with_model(session, exchange.index, served),
        provider=exchange.provider,
        model=exchange.model,
        last_link=exchange.link or session.last_link,
        revision=session.revision + 1,
    )


def _with_model(session: InnerVoiceSession, index: int, served: str) -> tuple[tuple[int, str], ...]:
    before = session.model_changes[-1][1] if session.model_changes else f"{session.provider}/{session.model}"
    return session.model_changes if served == before else (*session.model_changes, (index, served))[-MAX_MODEL_CHANGES:]
