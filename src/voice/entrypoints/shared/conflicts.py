"""Conflicts with their two sides, as JSON.

Law: a side is told as its row says it; what is unknown is null. Nothing private is in it unless it was asked for.

Source: ruling F; DESIGN 8.
"""

from typing import TYPE_CHECKING

from voice.core.text.instants import render_if_dated
from voice.entrypoints.shared.rows import corrected_json
from voice.entrypoints.shared.turns import location_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from voice.core.graph.conflicts.pairs import Conflict, ConflictSide
    from voice.core.interchange.location import Location
    from voice.services.graph.conflicts import ConflictsFound, ResolvedConflict
    from voice.services.retrieval.source_locations import SourceLocations


async def places_of(found: "tuple[Conflict, ...]", locations: "SourceLocations") -> "Mapping[str, Location]":
    """Return where the sides of conflicts stand, by their rows' ids."""
    sides = [side for each in found for side in (each.other, each.one)]
    return await locations.beginning_at({side.place.row_id: side.place.start for side in sides})


def conflicts_json(found: "ConflictsFound", places: "Mapping[str, Location]", *, put_up: int) -> dict[str, object]:
    """Return what was found as JSON values (schema: schemas/cli/conflicts.schema.json)."""
    return {
        "conflicts": [conflict_json(each, places) for each in found.conflicts],
        "total": found.total,
        "both_hold": found.agreed,
        "put_up": put_up,
    }


def conflict_json(conflict: "Conflict", places: "Mapping[str, Location]", *, brief: bool = False) -> dict[str, object]:
    """Return one conflict as JSON values; `brief` tells of a place its label alone."""
    return {
        "id": conflict.id,
        "difference": conflict.difference,
        "is_change": conflict.is_change,
        "verified": conflict.is_verified,
        "sides": [
            _side_json(side, places.get(side.place.row_id), brief=brief) for side in (conflict.one, conflict.other)
        ],
    }


def resolved_json(done: "ResolvedConflict", *, dry_run: bool) -> dict[str, object]:
    """Return what became of a conflict as JSON values (schema: schemas/cli/conflicts-resolved.schema.json)."""
    return {
        "id": done.conflict.id,
        "state": str(done.state),
        "dry_run": dry_run,
        "corrected": None if done.corrected is None else corrected_json(done.corrected, dry_run=dry_run),
    }


def _side_json(side: "ConflictSide", at: "Location | None", *, brief: bool) -> dict[str, object]:
    location = None if at is None else {"label": at.label} if brief else location_json(at)
    return {
        "id": side.place.row_id,
        "said": side.said,
        "told_at": render_if_dated(side.told_at),
        "location": location,
    }


def conflict_reason(conflict: "Conflict") -> str:
    """Return in a few words why the two cannot both hold."""
    if conflict.is_change:
        return "the later one may have ended the earlier one"
    return _WHY[conflict.difference]


_WHY = {
    "edge": "only one of these holds at a time",
    "number": "the same with another number",
    "day": "the same with another date",
    "name": "only one of these holds at a time",
    "denial": "one denies the other",
    "meaning": "the verifier says that they contradict each other",
}
