"""A session as programs read it.

Law: stored facts only; unknown is null, money a decimal string.

Source: spec stateful-design-v2, 5; rulings D17, D18.
"""

from collections.abc import Mapping

from voice.core.session.values import InnerVoiceSession


def session_json(session: InnerVoiceSession) -> Mapping[str, object]:
    """Return the session, without its exchanges, as JSON values."""
    summary = session.rolling_summary
    return {
        "id": session.id,
        "version": session.version,
        "thread_topic": session.thread_topic,
        "status": session.status,
        "provider": session.provider,
        "model": session.model,
        "max_prompt_tokens": session.max_prompt_tokens,
        "created_at": session.created_at.isoformat(),
        "last_interaction": session.last_interaction.isoformat(),
        "total_exchanges": session.total_exchanges,
        "answered": session.answered,
        "refused": session.refused,
        "errors": session.errors,
        "total_tokens": session.total_tokens,
        "total_cost_usd": f"{session.total_cost.known:f}",
        "turns_of_unknown_cost": session.total_cost.unknown_count,
        "rolling_summary": None
        if summary is None
        else {
            "text": summary.text,
            "last_updated": summary.last_updated.isoformat(),
            "exchanges_summarized": summary.exchanges_summarized,
            "token_savings": summary.token_savings,
        },
    }
