"""What `knowledgegraph_moderate` does with pairs that cannot both hold: lists them, and settles one.

Law: a list changes nothing, and ends where it would take more than a list may (ruling J1). A person's own words are
theirs to correct and to end (ruling H); whatever is settled here bears the program's name.

Source: rulings F, H, J1.
"""

from collections.abc import Mapping
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.graph.conflicts.pairs import Conflict
from voice.entrypoints.forms.conflicts import conflict_json, places_of, resolved_json
from voice.entrypoints.mcp.calls import Call
from voice.services.graph.conflict_resolution import Act, Resolution
from voice.services.graph.conflicts import ConflictsWanted

ACTS: Final[Mapping[str, Act]] = {"correct": "correct", "end": "end", "both_hold": "both"}
_PAGE: Final = 20
_LIST_TOKENS: Final = 800


async def list_conflicts(call: Call) -> Mapping[str, object]:
    """List what cannot both hold, so much of it as a list may take."""
    said, services = call.said, call.memory.services
    limit = said.integer("limit")
    wanted = ConflictsWanted(
        about=said.text("text"),
        since=call.moment("since"),
        include_private=said.flag("include_private") or False,
    )
    found = await services.conflicts(wanted, limit=limit or _PAGE)
    places = await places_of(found.conflicts, services.source_locations)

    def told(shown: tuple[Conflict, ...]) -> Mapping[str, object]:
        return {
            "action": "conflicts",
            "conflicts": [conflict_json(each, places, brief=True) for each in shown],
            "total": found.total,
        }

    shown = found.conflicts
    while limit is None and len(shown) > 1 and call.tokens(told(shown)) > _LIST_TOKENS:
        shown = shown[:-1]
    return told(shown)


async def settle(call: Call, action: str) -> Mapping[str, object]:
    """Settle one conflict.

    Raises:
        InvalidParams: none is named or several are, or the side is missing.
        UnknownId: no such conflict is there.
    """
    said, ids = call.said, call.said.texts("ids")
    if len(ids) != 1:
        raise InvalidParams(f'{action} settles one conflict, such as {{"ids": ["d:…"]}}; conflicts lists them')
    private = said.flag("include_private") or False
    resolution = Resolution(
        conflict_id=ids[0],
        act=ACTS[action],
        side=said.text("target"),
        by=call.origin,
        spares_trusted=True,
        include_private=private,
    )
    dry_run = said.flag("dry_run") or False
    done = await call.memory.services.settling(resolution, dry_run=dry_run)
    return {"action": action, **resolved_json(done, dry_run=dry_run)}
