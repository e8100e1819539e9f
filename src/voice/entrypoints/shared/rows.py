"""Rows of the knowledge graph, an entity's neighbourhood and a correction, as JSON.

Law: a row has the members it has in an export, whoever asks for it.

Source: DESIGN 8; rulings C10, F.
"""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from voice.core.interchange.memory_lines import render_line
from voice.core.render.retrieval import render_confidence

if TYPE_CHECKING:
    from voice.core.records import Row
    from voice.services.graph.browse import Neighbourhood, SuggestedMerge
    from voice.services.graph.correct import Corrected
    from voice.services.graph.editor import Added


def row_json(row: "Row") -> Mapping[str, object]:
    """Return a row as JSON values, the same members as in an export (schema: schemas/memory.schema.json)."""
    # Rendered as for an export, so that the two never differ.
    return cast("Mapping[str, object]", json.loads(render_line(row)))


def added_json(added: "Added") -> dict[str, object]:
    """Return what was added by hand as JSON values (schema: schemas/cli/kg-add.schema.json)."""
    return {"row": row_json(added.row), "embedded": added.fault is None}  # stored either way (ruling C17)


def neighbourhood_json(found: "Neighbourhood") -> dict[str, object]:
    """Return an entity and what is around it as JSON values (schema: schemas/cli/kg-show.schema.json)."""
    return {
        "entity": row_json(found.entity),
        "relations": [row_json(relation) for relation in found.relations],
        "observations": [row_json(observation) for observation in found.observations],
        "names": dict(found.names),
        "history": [row_json(row) for row in found.history],
        "confidence": {row_id: render_confidence(each) for row_id, each in found.confidences.items()},
    }


def duplicates_json(found: "Iterable[SuggestedMerge]") -> list[object]:
    """Return entities that are perhaps one as JSON values (schema: schemas/cli/kg-duplicates.schema.json)."""
    return [
        {
            "one": row_json(each.one),
            "other": row_json(each.other),
            "likeness": each.pair.likeness.value,
            "score": each.pair.score,
        }
        for each in found
    ]


def corrected_json(done: "Corrected", *, dry_run: bool) -> dict[str, object]:
    """Return what a correction changed as JSON values (schema: schemas/cli/correct.schema.json)."""
    return {
        "id": None if dry_run else done.row_id,  # no row has it yet
        "replaced": done.replaced,
        "superseded": list(done.superseded),
        "moved": list(done.moved),
        "pins": done.pins,
        "repeated": done.is_repeated,
        "embedded": done.fault is None,  # stored either way (ruling C17)
        "dry_run": dry_run,
        "contradicts": [{"id": other.id, "said": other.said} for other in done.contradicts],
        "still_says": [{"id": other.id, "said": other.said} for other in done.still_says],
    }
