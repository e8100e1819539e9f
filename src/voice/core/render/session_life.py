"""Lists, comparisons and deletions of sessions as programs read them.

Law: stored facts only; of a private turn nothing but that it is there, unless private turns were asked for. Turns are
counted from 1, as a person sees them.

Source: docs/sessions.md; ruling H.
"""

from collections.abc import Mapping

from voice.core.render.session import session_json
from voice.core.render.turn_json import exchange_json
from voice.core.session.compare import SessionDiff, TurnPair
from voice.core.session.values import DialogueExchange, InnerVoiceSession


def diff_json(diff: SessionDiff, *, include_private: bool) -> Mapping[str, object]:
    """Return two sessions side by side as JSON values (schema: schemas/cli/sessions-diff.schema.json)."""
    return {
        "left": _head(diff.left),
        "right": _head(diff.right),
        "shared_turns": diff.shared,
        "turns": [_pair_json(pair, include_private=include_private) for pair in diff.pairs],
    }


def _head(session: InnerVoiceSession) -> Mapping[str, object]:
    return {name: value for name, value in session_json(session).items() if name != "rolling_summary"}


def _pair_json(pair: TurnPair, *, include_private: bool) -> Mapping[str, object]:
    is_told = include_private or not pair.is_private
    both = pair.left is not None and pair.right is not None
    return {
        "turn": pair.index + 1,
        "left": _side(pair.left, include_private=include_private),
        "right": _side(pair.right, include_private=include_private),
        "same_question": pair.is_same_question if both and is_told else None,
        "same_answer": pair.is_same_answer if both and is_told else None,
        "changes": [{"in": run.side, "text": run.text} for run in pair.runs()] if is_told else [],
    }


def _side(exchange: DialogueExchange | None, *, include_private: bool) -> Mapping[str, object] | None:
    if exchange is None:
        return None
    if exchange.is_withheld and not include_private:
        return {"id": exchange.id, "private": True}
    return exchange_json(exchange)
