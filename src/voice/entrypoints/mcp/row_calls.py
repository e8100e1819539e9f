"""What the tools for one row do.

Law: as of every tool: one service, and its answer; what is written counts as the program's (ruling H).

Source: rulings J1, J2, A18, C10, F, G, H; promise 6.
"""

from collections.abc import Mapping
from dataclasses import replace

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.recall.pins import PinRequest
from voice.core.recall.values import REDACTED_TEXT
from voice.core.records import Observation, Scope, Thought, table_of
from voice.core.render.recall import pin_json
from voice.core.text.instants import render_if_dated, render_instant
from voice.core.vouch import Vouch
from voice.entrypoints.forms.graph import corrected_json
from voice.entrypoints.forms.vouching import note_json
from voice.entrypoints.mcp.calls import Call
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.row_dossier import Dossier

_NOTES = 10
_MOST_NOTES = 100


async def get_row(call: Call) -> Mapping[str, object]:
    """Answer `get_row`.

    Raises:
        UnknownId: there is no such row that may be seen.
    """
    asked, services = call.said.text("id") or "", call.memory.services
    include_private = call.said.flag("include_private") or False
    scope = await services.pins.scoping(call.scope, Scope())
    row_id = await services.resolve_ids.one(asked)
    told = await services.dossiers(row_id, include_private=include_private)
    if not scope.admits(told.row.scope) or (told.is_private and not include_private):
        raise UnknownId(f"there is no row {asked!r} that you may see")
    return _row(told)


def _row(told: Dossier) -> Mapping[str, object]:
    row = told.row
    form: dict[str, object] = {
        "id": row.id,
        "table": str(table_of(row.id)),
        "text": REDACTED_TEXT if told.is_withheld else told.text,
        "created_at": render_if_dated(row.created_at),
        "recorded_at": render_instant(row.recorded_at),
        "origin": str(row.origin),
        "trust_tier": str(row.trust),
        "status": str(row.status),
        "private": told.is_private,
        "tags": [*row.tags],
        "rests_on": [
            {"thought": each.at.thought_id, "start": each.at.start, "end": each.at.end} for each in told.grounds
        ],
        "statements": [each.id for each in told.derived],
        "replaced_by": row.superseded_by,
        "replaced": [each.id for each in told.replaced],
        "pins": [each.pin.id for each in told.pins],
    }
    if isinstance(row, Observation) and row.context_path:
        form["context_path"] = [*row.context_path]
    if isinstance(row, Thought) and row.vouched is not None:
        form |= {"noted_by": row.noted_by, "vouch": str(row.vouched)}
    return form


async def correct(call: Call) -> Mapping[str, object]:
    """Answer `correct`.

    Raises:
        InvalidParams: nothing is said instead, or the row holds a person's own words.
    """
    said, services = call.said, call.memory.services
    text, since, until = said.text("text"), call.moment("since"), call.moment("until")
    if text is None and since is None and until is None:
        raise InvalidParams("say what is true instead (text), or since or until")
    request = CorrectRequest(
        row_id=said.text("id") or "",
        text=text,
        reason=said.text("reason"),
        since=since,
        until=until,
        author=call.origin,
        spares_trusted=True,
        noted_by=call.agent,
    )
    dry_run = said.flag("dry_run") or False
    done = await services.correcting(request, dry_run=dry_run)
    if done.row_id.startswith("t:") and not dry_run:
        await services.extracting.arrived([done.row_id])
    return corrected_json(done, dry_run=dry_run)


async def pin(call: Call) -> Mapping[str, object]:
    """Answer `pin`."""
    said = call.said
    scope = said.scope()
    request = PinRequest(
        target_id=said.text("id") or "",
        reason=said.text("reason") or "",
        expires_at=call.moment("until"),
        scope=None if scope is None else call.scope,
    )
    return pin_json(await call.memory.services.pins.pin(request), "active")


async def vouch_status(call: Call) -> Mapping[str, object]:
    """Answer `vouch_status`: the notes that are meant, and how many there are of each state."""
    said, vouching = call.said, call.memory.services.review.vouching
    state, ids = said.text("state"), said.texts("ids")
    where = NotedFilter(
        vouched=None if state is None else Vouch(state),
        noted_by=said.text("from"),
        since=call.moment("since"),
        include_private=said.flag("include_private") or False,
    )
    page = await vouching.listed(where)
    limit = max(1, min(said.integer("limit") or _NOTES, _MOST_NOTES))
    shown = [each for each in page.thoughts if not ids or each.id in ids][:limit]
    counts = await vouching.counts(include_private=where.include_private)
    page = replace(page, thoughts=tuple(shown))
    return {
        "notes": [note_json(each) for each in page.thoughts],
        "total": page.total,
        "states": {str(each): number for each, number in counts.items()},
    }
