"""Stored sessions, listed, with their turns, or deleted, as JSON.

Law: private turns, the topic of a conversation that began with one, a summary that rests on private rows, and what any
other says of private turns, are not in it unless they are asked for (promise 6).

What became of a session that was deleted. Figures and what a list shows; a dry run tells the same of what would go.

Source: spec stateful-design-v2, 5; DESIGN 8; ruling H; docs/sessions.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from voice.core.render.session import session_json
from voice.core.render.turn_json import exchange_json
from voice.core.session.history import summary_shown
from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.core.text.instants import render_instant
from voice.core.text.normalise import norm_v1

if TYPE_CHECKING:
    from voice.core.session.values import DialogueExchange, InnerVoiceSession
    from voice.ports.stores import SessionListItem
    from voice.services.sessions.lifecycle import Deletion


def item_json(item: "SessionListItem") -> dict[str, object]:
    """Return a line of a list of sessions as JSON values (schema: schemas/cli/sessions-list.schema.json)."""
    return {
        "id": item.id,
        "thread_topic": item.thread_topic,
        "status": item.status,
        "topic_status": item.topic_status,
        "fork": item.is_fork,
        "created_at": render_instant(item.created_at),
        "last_interaction": render_instant(item.last_interaction),
        "total_exchanges": item.total_exchanges,
    }


def disclosed(
    session: "InnerVoiceSession", exchanges: "Sequence[DialogueExchange]", *, include_private: bool, said: str = ""
) -> "tuple[InnerVoiceSession, list[DialogueExchange]]":
    """Return a session and those of its turns that may be shown.

    Args:
        exchanges: all its turns, oldest first.
        include_private: whether private turns were asked for, and a summary that rests on private rows.
        said: what the person called it by: whoever says the topic knows it.
    """
    is_said = norm_v1(said) == norm_v1(session.thread_topic)
    shown = [exchange for exchange in exchanges if include_private or not exchange.is_withheld]
    if exchanges and exchanges[0].is_withheld and not include_private and not is_said:
        session = replace(session, thread_topic=PRIVATE_TOPIC)
    if session.rolling_summary and not include_private:
        session = replace(session, rolling_summary=summary_shown(session.rolling_summary, exchanges))
    return session, shown


def conversation_json(session: "InnerVoiceSession", exchanges: "Sequence[DialogueExchange]") -> dict[str, object]:
    """Return a session with its turns as JSON values (schema: schemas/cli/sessions-show.schema.json)."""
    return {**session_json(session), "exchanges": [dict(exchange_json(item)) for item in exchanges]}


def deletion_json(going: "Deletion", *, dry_run: bool) -> dict[str, object]:
    """Return what was deleted, or would be, as JSON values (schema: schemas/cli/sessions-delete.schema.json)."""
    return {
        "sessions": [item_json(item) for item in going.sessions],
        "turns": going.turns,
        "deleted": bool(going.sessions) and not dry_run,
        "dry_run": dry_run,
        "needs_with_forks": going.needs_forks is not None,
    }
