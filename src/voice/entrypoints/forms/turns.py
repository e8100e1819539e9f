"""What a turn answers, with what a reader should know beside it.

Law: the judged turn and nothing of the draft or the prompt; what was left out of the prompt is named by id, never by
its words.

Source: DESIGN 8; rulings A16, A22, D22.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, cast

from voice.core.context.uncited_notes import uncited_notes_notice
from voice.core.render.answer import lines_beside
from voice.core.render.turn_json import exchange_json, nlq_json
from voice.core.render.understanding import render_reading, render_skipped
from voice.core.text.instants import render_instant

if TYPE_CHECKING:
    from voice.core.interchange.location import Location
    from voice.services.runtime.turn import Turn

Shape = Literal["full", "nlq"]
MODELLESS = "extractive"
"""The provider that quotes, and has no prompt."""
NOWHERE: "Mapping[str, Location]" = {}


def turn_json(
    turn: "Turn", shape: Shape = "full", *, explain: bool = False, locations: "Mapping[str, Location]" = NOWHERE
) -> Mapping[str, object]:
    """Return a turn as JSON values (schemas: schemas/cli/ask.schema.json, ask-nlq, ask-reading).

    Args:
        turn: what came of the question.
        shape: `full`, or `nlq` for S3's `{answer, sources}` (ruling A22).
        explain: add what was understood, found and shown to the model.
        locations: where sources stand, by their rows' ids.
    """
    full = {
        **with_locations(exchange_json(turn.exchange), locations),
        "replayed": turn.replayed,
        "skipped": render_skipped(turn.plan),
        "warnings": [*lines_beside(turn.exchange), *told_beside(turn)],
    }
    told = nlq_json(turn.exchange, turn.order) if shape == "nlq" else full
    if not explain or turn.parsed is None:
        return told
    return {**told, **render_reading(turn.parsed, turn.selection, turn.searched, turn.plan)}


def with_locations(told: Mapping[str, object], locations: "Mapping[str, Location]") -> Mapping[str, object]:
    """Return a turn's JSON values with where each of its sources stands, of those that it is known of."""
    lists = {name: told[name] for name in ("sources", "evidence_found") if locations and name in told}
    each = {name: cast("Sequence[Mapping[str, object]]", value) for name, value in lists.items()}
    return {**told, **{name: [_located(source, locations) for source in sources] for name, sources in each.items()}}


def _located(source: Mapping[str, object], locations: "Mapping[str, Location]") -> Mapping[str, object]:
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


def warnings_of(turn: "Turn") -> tuple[str, ...]:
    """Return what a person should know of how the memory was searched, of what is left out, and of the caps."""
    searched = turn.selection.diagnostics.warnings if turn.selection else ()
    more = _left_out(turn)
    return (*searched, *((more,) if more else ()), *turn.warnings)


def _left_out(turn: "Turn") -> str | None:
    """Return what the answer leaves out of the time it was asked about, where that is more than nothing."""
    if turn.parsed is None or turn.parsed.time is None or turn.plan is None:
        return None
    time = turn.parsed.time
    then = [row for row in turn.plan.evidence if time.window.admits(row.created_at)]
    return uncited_notes_notice(
        turn.parsed.untimed, time.text, then, {source.source_id for source in turn.exchange.sources}
    )


def told_beside(turn: "Turn") -> tuple[str, ...]:
    """Return all that a person should know of a turn beside its answer: what was kept out of the prompt, the warnings,
    and which pins are not wholly shown (ruling D22, promise 9)."""
    pins = turn.plan.pins_truncated if turn.plan else 0
    did_not_fit = f"the prompt had no room for {pins} of your pins in full; `voice pins list` shows them"
    kept_out = quarantine_note(turn)
    return (*((kept_out,) if kept_out else ()), *warnings_of(turn), *((did_not_fit,) if pins else ()))


def kept_out_of(turn: "Turn") -> tuple[str, ...]:
    """Return the ids of the memories of which the answer is told that they were kept out of its prompt.

    One that shares no word with the question would hardly have been used; the explanation lists it, too.
    """
    found = turn.selection.snippets if turn.selection else ()
    beside = {snippet.id for snippet in found if not snippet.lexical}
    return tuple(row_id for row_id in (turn.plan.quarantined if turn.plan else ()) if row_id not in beside)


def quarantine_note(turn: "Turn") -> str | None:
    """Return which memories were kept out, and how to look at them and let them in; None if none were."""
    kept_out = kept_out_of(turn)
    if not kept_out:
        return None
    is_one = len(kept_out) == 1
    reads, stays = ("1 memory reads", "stays") if is_one else (f"{len(kept_out)} memories read", "stay")
    where = "answer" if turn.exchange.provider == MODELLESS else "prompt"
    told = f"{reads} like instructions to a model and {stays} out of the {where}: {', '.join(kept_out)}. "
    look = f"`voice retrieve --explain` with the same question shows {'it' if is_one else 'them'}"
    return f"{told}{look}{'' if where == 'answer' else '; SURR_QUARANTINE_INSTRUCTIONS=0 lets such memories in'}"
