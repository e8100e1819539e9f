"""What `maintenance_ops` does, and what `detailed_help` says.

Law: taking away is a dry run until it is told otherwise, and only what a verified archive holds goes (ruling F). The
words of private thoughts show only when they are asked for.

Source: spec rag-organize 5; DESIGN 8 MCP.
"""

from collections.abc import Mapping
from typing import cast

from voice.core import errors
from voice.core.errors import InvalidParams, VoiceError
from voice.entrypoints.forms.removals import exported_json, finalised_json, marking_json, removals_json
from voice.entrypoints.mcp.calls import Call
from voice.entrypoints.mcp.contract import Parameter, Tool
from voice.entrypoints.mcp.listing import TOOLS, tool_meant
from voice.entrypoints.mcp.progress import Say, telling
from voice.ports.archives import ArchiveFormat
from voice.services.removal.archive_shelf import Progress
from voice.services.removal.archives import Exported
from voice.services.removal.removals import Finalised

_MOST_STEPS = 100
"""So many are told of one thing."""


async def maintain(call: Call) -> Mapping[str, object]:
    """Mark, list, archive or take away thoughts.

    Raises:
        InvalidParams: what is to be marked is not named.
    """
    subcommand = call.said.text("subcommand") or ""
    return {"subcommand": subcommand, **await _done(call, subcommand)}


async def _done(call: Call, subcommand: str) -> Mapping[str, object]:
    said, archiving = call.said, call.memory.services.archiving
    ids, dry_run, zone = said.texts("ids"), said.flag("dry_run"), call.memory.settings.time.timezone
    match subcommand:
        case "list_removal_candidates":
            found = await archiving.removals.listed(ids)
            return removals_json(found, zone, include_private=said.flag("include_private") or False)
        case "export_removals":
            return exported_json(await _exported(call, dry_run=dry_run or False), dry_run=dry_run or False)
        case "finalize_removal":
            return finalised_json(await _finalised(call, apply=dry_run is False), zone)
        case _:
            return await _marked(call, subcommand)


async def _exported(call: Call, *, dry_run: bool) -> Exported:
    ids, form = call.said.texts("ids"), cast("ArchiveFormat | None", call.said.text("format"))
    export = call.memory.services.archiving.export
    return await telling(
        call.tell, lambda say: export(ids, form=form, dry_run=dry_run, progress=_counting(say, "reading archives"))
    )


async def _finalised(call: Call, *, apply: bool) -> Finalised:
    finalise, ids = call.memory.services.archiving.removals.finalise, call.said.texts("ids")
    return await telling(
        call.tell,
        lambda say: finalise(
            ids,
            apply=apply,
            progress=_counting(say, "reading archives"),
            taking=_counting(say, "taking away"),
        ),
    )


def _counting(say: Say, what: str) -> Progress:
    """Return what tells of steps; the first and the last of very many, and some between."""

    def told(done: int, total: int) -> None:
        if done in (0, total) or done % max(1, total // _MOST_STEPS) == 0:
            say(f"{what}, {done} of {total}")

    return told


async def _marked(call: Call, subcommand: str) -> Mapping[str, object]:
    removals, ids = call.memory.services.archiving.removals, call.said.texts("ids")
    if not ids:
        raise InvalidParams(f"{subcommand} needs ids: the thoughts, such as t:01jq…")
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
    meant = None if tool is None else tool_meant(tool)
    if tool is not None and meant is None:
        raise InvalidParams(f"there is no such tool; there are {', '.join(each.name for each in TOOLS)}")
    shown = TOOLS if meant is None else (meant,)
    is_compact = form == "compact" or (form is None and meant is None)
    tools = [_told(each, is_compact=is_compact) for each in shown]
    if is_compact:
        return {"tools": tools}
    return {"tools": tools, "errors": [{"code": code, "means": means} for code, means in _codes().items()]}


def _told(tool: Tool, *, is_compact: bool) -> Mapping[str, object]:
    if is_compact:
        return {"name": tool.name, "about": tool.about}
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


def _codes() -> Mapping[str, str]:
    """Return every error code with what it means, as the one error tree has them."""
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, VoiceError)]
    return {each.code: (each.__doc__ or "").strip().splitlines()[0] for each in kinds}
