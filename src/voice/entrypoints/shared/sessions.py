"""Sessions, their turns with notices, and the dry run of a question, as JSON.

Law: of a turn the judged answer and nothing of the draft or the prompt; what was left out of the prompt is named by id,
never by its words. Private turns, the topic of a conversation that began with one, a summary that rests on private
rows, and what any other says of private turns, are not in it unless they are asked for (promise 6). What a question
would send and cost, and what became of a session that was deleted, is told in figures and ids; money is a decimal
string, what is unknown is null.

Source: DESIGN 8; spec stateful-design-v2, 5; rulings A16, A22, D18, D20, D22, H; docs/sessions.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, cast

from voice.core.answering.refusal_remarks import uncited_notes_notice
from voice.core.grounding.values import Stance
from voice.core.render.answer import lines_beside
from voice.core.render.conversation import session_json
from voice.core.render.turn_json import exchange_json, nlq_json
from voice.core.render.understanding import (
    plain_money,
    render_cap,
    render_context,
    render_reading,
    render_skipped,
    render_tokens,
    source_of,
)
from voice.core.session.history import summary_shown
from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.core.text.instants import render_instant
from voice.core.text.normalise import norm_v1
from voice.requests import filled

if TYPE_CHECKING:
    from voice.core.interchange.origin import Location
    from voice.core.session.values import DialogueExchange, InnerVoiceSession
    from voice.ports.stores import SessionListItem
    from voice.services.runtime.turn import AskRequest, Turn
    from voice.services.sessions.lifecycle import Deletion
    from voice.services.turn.preview import ForeseenCheck, ForeseenTurn


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
        include_private: whether private turns were asked for, and a summary that rests on private rows.
        said: what the person called it by: whoever says the topic knows it.
    """
    is_said = norm_v1(said) == norm_v1(session.thread_topic)  # "The Kiln" is "the kiln"
    shown = [exchange for exchange in exchanges if include_private or not exchange.is_withheld]
    # The topic may name what it asked.
    if exchanges and exchanges[0].is_withheld and not include_private and not is_said:
        session = replace(session, thread_topic=PRIVATE_TOPIC)
    if session.rolling_summary and not include_private:  # the summary may fold a private turn
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


Shape = Literal["full", "nlq"]
EXTRACTIVE_PROVIDER = "extractive"
"""The provider that quotes, and has no prompt."""
NO_LOCATIONS: "Mapping[str, Location]" = {}


def question_asked(said: Mapping[str, object]) -> "AskRequest":
    """Return the question that was put at a door; the synthesizing stance is meant where none was named."""
    from voice.services.runtime.turn import AskRequest  # noqa: PLC0415 - brings what a turn needs

    return filled(AskRequest(question=""), {**said, "stance": Stance(said.get("stance") or Stance.SYNTHESIZE)})


def turn_json(
    turn: "Turn", shape: Shape = "full", *, explain: bool = False, locations: "Mapping[str, Location]" = NO_LOCATIONS
) -> Mapping[str, object]:
    """Return a turn as JSON values (schemas: schemas/cli/ask.schema.json, ask-nlq, ask-reading).

    Args:
        shape: `full`, or `nlq` for S3's `{answer, sources}` (ruling A22).
        explain: add what was understood, found and shown to the model.
        locations: where sources stand, by their rows' ids.
    """
    full = {
        **with_locations(exchange_json(turn.exchange), locations),
        "replayed": turn.replayed,
        "skipped": render_skipped(turn.plan),
        "warnings": [*lines_beside(turn.exchange), *turn_notices(turn)],
    }
    told = nlq_json(turn.exchange, turn.order) if shape == "nlq" else full
    if not explain or turn.parsed is None:
        return told
    return {**told, **render_reading(turn.parsed, turn.selection, turn.searched, turn.plan)}


def with_locations(told: Mapping[str, object], locations: "Mapping[str, Location]") -> Mapping[str, object]:
    """Return a turn's JSON values with where each of its sources stands, of those that it is known of."""
    lists = {name: told[name] for name in ("sources", "evidence_found") if locations and name in told}
    each = {name: cast("Sequence[Mapping[str, object]]", value) for name, value in lists.items()}
    # In place of the same lists without locations.
    return {**told, **{name: [_locate(source, locations) for source in sources] for name, sources in each.items()}}


def _locate(source: Mapping[str, object], locations: "Mapping[str, Location]") -> Mapping[str, object]:
    at = locations.get(str(source["source_id"]))
    return source if at is None else {**source, "location": location_json(at)}


def location_json(at: "Location") -> Mapping[str, object]:
    """Return where a source stands as JSON values."""
    return {
        "label": at.label,
        "place": at.place,
        "line": at.line,
        "speaker": at.speaker,
        "told_at": None if at.told_at is None else render_instant(at.told_at),
        "uri": at.uri,
        "context_path": list(at.context_path),
    }


def _left_out(turn: "Turn") -> str | None:
    """Return what the answer leaves out of the time it was asked about, where that is more than nothing."""
    if turn.parsed is None or turn.parsed.time is None or turn.plan is None:
        return None
    then = [row for row in turn.plan.evidence if turn.parsed.time.window.admits(row.created_at)]
    return uncited_notes_notice(turn.parsed.untimed, then, {source.source_id for source in turn.exchange.sources})


def turn_notices(turn: "Turn") -> tuple[str, ...]:
    """Return all that a person should know of a turn beside its answer: what was kept out of the prompt, the warnings
    of the search, what is left out, the caps, and which pins are not wholly shown (ruling D22, promise 9)."""
    pins = turn.plan.pins_truncated if turn.plan else 0
    did_not_fit = f"the prompt had no room for {pins} of your pins in full; `voice pins list` shows them"
    # None: nothing was searched, as for small talk.
    searched = turn.selection.diagnostics.warnings if turn.selection else ()
    told = (quarantine_note(turn), *searched, _left_out(turn), *turn.warnings, did_not_fit if pins else None)
    return tuple(each for each in told if each is not None)


def quarantined_ids(turn: "Turn") -> tuple[str, ...]:
    """Return the ids of the memories of which the answer is told that they were kept out of its prompt.

    One that shares no word with the question would hardly have been used; the explanation lists it, too.
    """
    found = turn.selection.snippets if turn.selection else ()
    beside = {snippet.id for snippet in found if not snippet.lexical}  # it shares no word with the question
    return tuple(row_id for row_id in (turn.plan.quarantined if turn.plan else ()) if row_id not in beside)


def quarantine_note(turn: "Turn") -> str | None:
    """Return which memories were kept out, and how to look at them and let them in; None if none were."""
    kept_out = quarantined_ids(turn)
    if not kept_out:
        return None
    is_one = len(kept_out) == 1
    reads, stays = ("1 memory reads", "stays") if is_one else (f"{len(kept_out)} memories read", "stay")
    where = "answer" if turn.exchange.provider == EXTRACTIVE_PROVIDER else "prompt"
    told = f"{reads} like instructions to a model and {stays} out of the {where}: {', '.join(kept_out)}. "
    look = f"`voice forget --dry-run --id ID` shows how {'it' if is_one else 'each'} begins and deletes nothing"
    return f"{told}{look}{'' if where == 'answer' else '; SURR_QUARANTINE_INSTRUCTIONS=0 lets such memories in'}"


def dry_run_json(foreseen: "ForeseenTurn") -> dict[str, Any]:
    """Return a dry run as JSON values (schema: schemas/cli/ask-dry-run.schema.json)."""
    refused = foreseen.refused
    most, limit = foreseen.most_prompt_tokens, foreseen.max_output_tokens
    plan = None if foreseen.ready else foreseen.plan  # answered without a call: there is no prompt to count
    return {
        "session_id": foreseen.session_id,
        "provider": foreseen.provider,
        "model": foreseen.model,
        "would_ask": foreseen.ready is None and foreseen.capped is None and foreseen.earlier is None,
        "answered_before": foreseen.earlier,
        "reason": refused.reason.value if refused and refused.reason else "budget" if foreseen.capped else None,
        "notes": refused.notes if refused else foreseen.capped,
        "template": foreseen.template,
        "prompt_hash": foreseen.prompt_hash,
        "tokens": render_tokens(
            plan, foreseen.token_calibration, counted_by=foreseen.counted_by, most=most, max_output=limit
        ),
        "context": render_context(foreseen.plan),
        "cost": _cost(foreseen),
        "check": None if foreseen.check is None else _check(foreseen.check),
    }


def _check(check: "ForeseenCheck") -> dict[str, object]:
    return {
        "verifier": check.verifier,
        "would_be_asked": check.is_asked,
        "prompt_tokens": check.call.prompt_tokens,
        "max_output_tokens": check.call.max_output_tokens,
        "expected_usd": _money(check.call.expected),
        "worst_usd": _money(check.call.worst),
        "false_support": None if check.record is None else check.record.false_support,
        "calibration_calls": check.calibration_calls,
        "calibration_expected_usd": _money(check.calibration.expected),
        "calibration_worst_usd": _money(check.calibration.worst),
        "refused": check.capped,
    }


def _cost(foreseen: "ForeseenTurn") -> dict[str, object]:
    return {
        "expected_usd": _money(foreseen.expected_cost),
        "worst_usd": _money(foreseen.worst_cost),
        "price_source": source_of(foreseen.price),
        "turn_cap_usd": _money(foreseen.turn_cap),
        "caps": [render_cap(state) for state in foreseen.caps],
        "refused": foreseen.capped,
        "warnings": list(foreseen.warnings),
    }


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else plain_money(amount)
