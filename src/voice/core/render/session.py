"""Sessions, their lists and comparisons, as JSON.

Law: stored facts only; unknown is null, money a decimal string.

Lists, comparisons and deletions of sessions as programs read them. Stored facts only; of a private turn nothing but
that it is there, unless private turns were asked for. Turns are counted from 1, as a person sees them.

Source: spec stateful-design-v2, 5; rulings D16, D17, D18; docs/sessions.md; ruling H.
"""

from collections.abc import Iterator, Mapping

from voice.core.messages import showing as messages
from voice.core.render.turn_json import exchange_json
from voice.core.session.compare import SessionDiff, TurnPair
from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary, SummaryLine
from voice.core.text.display import counted
from voice.core.text.instants import render_instant


def session_json(session: InnerVoiceSession) -> Mapping[str, object]:
    """Return the session, without its exchanges, as JSON values."""
    summary = session.rolling_summary
    return {
        "id": session.id,
        "version": session.version,
        "thread_topic": session.thread_topic,
        "status": session.status,
        "topic_status": session.topic_status,
        "forked_from": forked_from_json(session),
        "provider": session.provider,
        "model": session.model,
        "max_prompt_tokens": session.max_prompt_tokens,
        "created_at": render_instant(session.created_at),
        "last_interaction": render_instant(session.last_interaction),
        "total_exchanges": session.total_exchanges,
        "answered": session.answered,
        "refused": session.refused,
        "errors": session.errors,
        "total_tokens": session.total_tokens,
        "total_cost": f"{session.total_cost.known:f}",
        "turns_of_unknown_cost": session.total_cost.unknown_count,
        "rolling_summary": None if summary is None else summary_json(summary),
    }


def forked_from_json(session: InnerVoiceSession) -> Mapping[str, object] | None:
    """Return where a fork left: the session that holds the last turn it shares, and that turn's number from 1."""
    if not session.lineage:
        return None
    return {"session_id": session.lineage[-1].session_id, "turn": session.own_from}


def summary_json(summary: RollingSummary) -> Mapping[str, object]:
    """Return a summary as JSON values: its lines with the turns they stem from, counted from 1 as they are shown."""
    return {
        "text": summary.text,
        "last_updated": render_instant(summary.last_updated),
        "exchanges_summarized": summary.exchanges_summarized,
        "token_savings": summary.token_savings,
        "revision": summary.revision,
        "through_turn": summary.through_index + 1,
        "author": summary.author,
        "fallback": summary.fallback,
        "lines": [
            {
                "text": line.text,
                "turns": [index + 1 for index in line.turns],
                "written_by": "model" if line.by_model else "answer",
                "row_ids": [row_id for row_id, _ in line.grounds],
            }
            for line in summary.lines
        ],
    }


def summary_lines(summary: RollingSummary) -> Iterator[str]:
    """Yield a summary as lines for a person: what it is of, its sentences, each with its turns, and who wrote it."""
    yield messages.summary_of(counted(summary.exchanges_summarized, "earlier turn"), summary.revision)
    yield from (f"{line.text}{_stems(line)}" for line in summary.lines)
    if not summary.text:
        yield messages.SUMMARY_EMPTY
    if summary.author:
        yield f"* {messages.summary_by(summary.author)}"
    if summary.fallback:
        yield messages.summary_quotes(messages.NO_SUMMARY[summary.fallback])


def _stems(line: SummaryLine) -> str:
    if not line.turns:
        return ""
    turns = ", ".join(str(index + 1) for index in line.turns)
    named = messages.turns(turns) if len(line.turns) > 1 else messages.turn(turns)
    return f"  ({named}){' *' if line.by_model else ''}"


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
