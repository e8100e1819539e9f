"""The handlers of the tools for single rows, for removal and for help.

Law: as of every tool: one service, and its answer; what is written counts as the program's (ruling H). Taking away is a
dry run until it is told otherwise, and only what a verified archive holds goes (ruling F). The words of private
thoughts show only when they are asked for.

Source: rulings J1, J2, A18, C10, F, G, H; promise 6; spec rag-organize 5; DESIGN 8 MCP.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from voice.core import errors
from voice.core.errors import InvalidParams, UnknownId, VoiceError
from voice.core.graph.corrections import require_untrusted
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.recall.pins import PinRequest
from voice.core.recall.values import REDACTED_TEXT
from voice.core.records import Observation, Scope, Thought, table_of
from voice.core.render.recall import pin_json
from voice.core.text.instants import render_if_dated, render_instant
from voice.core.vouch import Vouch
from voice.entrypoints.mcp.client_replies import Say, with_progress
from voice.entrypoints.mcp.discovery import find_tool
from voice.entrypoints.mcp.question_handlers import Call
from voice.entrypoints.mcp.tools import TOOLS, Tool
from voice.entrypoints.shared.removals import exported_json, finalised_json, marking_json, removals_json
from voice.entrypoints.shared.review import note_json
from voice.entrypoints.shared.rows import corrected_json
from voice.ports.removal import ArchiveFormat
from voice.requests import Parameter, filled, rows
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.row_dossier import Dossier
from voice.services.removal.archive_shelf import Progress
from voice.services.removal.archives import Archives, Exported
from voice.services.removal.removals import Finalised

_NOTES = 10
_MOST_NOTES = 100


async def get_row(call: Call) -> Mapping[str, object]:
    """Answer `get_row`.

    Raises:
        UnknownId: there is no such row that may be seen.
    """
    asked, services = call.said.text("id") or "", call.memory.services
    scope = await services.pins.scoping(call.scope, Scope())
    row_id = await services.visible_ids.one(asked, include_private=call.lets_private_in)
    told = await services.dossiers(row_id, include_private=call.lets_private_in)
    if not scope.admits(told.row.scope):
        raise services.visible_ids.unknown(asked)
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
        "replaced_by": told.successor.id if told.successor else None,
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
        UnknownId: it is not there, or private.
    """
    asked, services = call.asked(rows.CORRECT), call.memory.services
    if not asked.keys() & {"text", "since", "until"}:
        raise InvalidParams("give text, since or until")
    named = asked.keys() & {"row_id", "target"}
    visible = services.visible_ids
    asked |= {name: await visible.one(str(asked[name]), include_private=False) for name in named}
    own = CorrectRequest(row_id="", author=call.origin, spares_trusted=True, hides_private=True, noted_by=call.agent)
    dry_run = call.said.flag("dry_run") or False
    done = await services.correcting(filled(own, asked), dry_run=dry_run)
    if done.row_id.startswith("t:") and not dry_run:
        await services.extracting.arrived([done.row_id])
    return corrected_json(done, dry_run=dry_run)


async def pin(call: Call) -> Mapping[str, object]:
    """Answer `pin`.

    Raises:
        UnknownId: it is not there, or private: which of them is nobody's to know.
    """
    said, services = call.said, call.memory.services
    scope = said.scope()
    request = PinRequest(
        target_id=await services.visible_ids.one(said.text("id") or "", include_private=False),
        reason=said.text("reason") or "",
        expires_at=call.moment("until"),
        scope=None if scope is None else call.scope,
        hides_private=True,
    )
    return pin_json(await services.pins.pin(request), "active")


async def vouch_status(call: Call) -> Mapping[str, object]:
    """Answer `vouch_status`: the notes that are meant, and how many there are of each state.

    Raises:
        UnknownId: one of them is none that may be told of.
    """
    said, vouching = call.said, call.memory.services.review.vouching
    state, ids = said.text("state"), await call.ids()
    where = NotedFilter(
        vouched=None if state is None else Vouch(state),
        noted_by=said.text("from"),
        since=call.moment("since"),
        include_private=call.lets_private_in,
    )
    every = await vouching.listed(NotedFilter(vouched=None, include_private=where.include_private))
    unknown = [each for each in ids if each not in {note.id for note in every.thoughts}]
    if unknown:
        raise UnknownId(f"no program noted {', '.join(map(repr, unknown))}; vouch_status without ids lists notes")
    page = await vouching.listed(where)
    limit = max(1, min(said.integer("limit") or _NOTES, _MOST_NOTES))
    shown = [each for each in page.thoughts if not ids or each.id in ids][:limit]
    counts = await vouching.counts(include_private=where.include_private)
    return {
        "notes": [note_json(each) for each in shown],
        "total": page.total,
        "states": {str(each): number for each, number in counts.items()},
    }


_MOST_STEPS = 100
"""So many are told of one thing."""


async def maintain(call: Call) -> Mapping[str, object]:
    """Mark, list, archive or take away thoughts.

    Raises:
        InvalidParams: what is to be marked is not named, or is a person's own.
    """
    subcommand = call.said.text("subcommand") or ""
    return {"subcommand": subcommand, **await _run_subcommand(call, subcommand)}


async def _run_subcommand(call: Call, subcommand: str) -> Mapping[str, object]:
    ids, dry_run, zone = await call.ids(), call.said.flag("dry_run"), call.memory.settings.time.timezone
    match subcommand:
        case "list_removal_candidates":
            found = await _archiving(call).removals.listed(ids)
            return removals_json(found, zone, include_private=call.lets_private_in)
        case "export_removals":
            return exported_json(await _export(call, dry_run=dry_run or False), dry_run=dry_run or False)
        case "finalize_removal":
            return finalised_json(await _finalise(call, apply=dry_run is False), zone)
        case _:
            return await _mark(call, subcommand)


def _archiving(call: Call) -> Archives:
    """Return what archives and removes, private thoughts only where they are asked for."""
    archiving = call.memory.services.archiving
    return replace(archiving, removals=replace(archiving.removals, hides_private=not call.lets_private_in))


async def _export(call: Call, *, dry_run: bool) -> Exported:
    ids, form = await call.ids(), cast("ArchiveFormat | None", call.said.text("format"))
    export = _archiving(call).export
    return await with_progress(
        call.tell, lambda say: export(ids, form=form, dry_run=dry_run, progress=_counting(say, "reading archives"))
    )


async def _finalise(call: Call, *, apply: bool) -> Finalised:
    finalise, ids = _archiving(call).removals.finalise, await call.ids()
    return await with_progress(
        call.tell,
        lambda say: finalise(
            ids, apply=apply, progress=_counting(say, "reading archives"), taking=_counting(say, "removing")
        ),
    )


def _counting(say: Say, what: str) -> Progress:
    """Return what tells of steps; the first and the last of very many, and some between."""

    def told(done: int, total: int) -> None:
        if done in (0, total) or done % max(1, total // _MOST_STEPS) == 0:
            say(f"{what}, {done} of {total}")

    return told


async def _mark(call: Call, subcommand: str) -> Mapping[str, object]:
    removals, ids = call.memory.services.archiving.removals, await call.ids()
    if not ids:
        raise InvalidParams(f"{subcommand} needs ids: the thoughts, such as t:01jq…")
    if subcommand != "unmark":
        for row in (await call.memory.services.store.fetch(ids)).values():
            require_untrusted(row, "remove")
    act = removals.unmark if subcommand == "unmark" else removals.mark
    dry_run = call.said.flag("dry_run") or False
    return marking_json(await act(ids, dry_run=dry_run), dry_run=dry_run)


def explain(tool: str | None, form: str | None) -> Mapping[str, object]:
    """Answer `detailed_help`: it needs no memory.

    Args:
        tool: one tool by name; None is all of them.
        form: `compact` is names and uses alone, `full` has everything; None is full for one tool and compact for all.

    Raises:
        InvalidParams: there is no such tool.
    """
    meant = None if tool is None else find_tool(tool)
    if tool is not None and meant is None:
        raise InvalidParams(f"unknown tool; choose one of {', '.join(each.name for each in TOOLS)}")
    shown = TOOLS if meant is None else (meant,)
    is_compact = form == "compact" or (form is None and meant is None)
    if is_compact:
        return {"tools": [{"name": each.name, "about": each.about} for each in shown]}
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, VoiceError)]
    meanings = {each.code: (each.__doc__ or "").strip().splitlines()[0] for each in kinds}
    return {
        "tools": [_tool(each) for each in shown],
        "errors": [{"code": code, "means": means} for code, means in meanings.items()],
    }


def _tool(tool: Tool) -> Mapping[str, object]:
    parameters = [_parameter(each) for each in tool.parameters]
    return {"name": tool.name, "about": tool.about, "parameters": parameters, "example": dict(tool.example)}


def _parameter(parameter: Parameter) -> Mapping[str, object]:
    return {
        "name": parameter.name,
        "type": parameter.kind,
        "required": parameter.required,
        "about": parameter.about,
        "also": list(parameter.also),
        "choices": list(parameter.choices),
    }
