"""Rows over HTTP: leafing through them, and everything that is told of one.

Law: what may not be seen is counted and not told; a row that says something private is told only to who asks for
private ones, and of one whose words were taken away there is nothing but that.

Source: DESIGN 8 Web (sources); promises 6, 9.
"""

from voice.core.errors import UnknownId
from voice.core.records import Row, RowStatus, Table
from voice.core.render.recall import pin_json
from voice.core.retrieval.row_filters import ALL_TABLES, LIVE, CatalogueFilter
from voice.entrypoints.shared.rows import row_json
from voice.entrypoints.web.api import said
from voice.entrypoints.web.api.call import Call, Reply, cursor_of, place_of
from voice.services.graph.row_dossier import Dossier, Ground


async def sources(call: Call) -> Reply:
    """List rows, the latest written first."""
    asked = call.said(said.Sources)
    where = CatalogueFilter(
        tables=ALL_TABLES if asked.table is None else frozenset({Table(asked.table)}),
        statuses=LIVE | {RowStatus.SUPERSEDED} if asked.superseded else LIVE,
        include_tags=() if asked.tag is None else (asked.tag,),
        include_private=asked.include_private,
    )
    below = None if asked.cursor is None else int(place_of(asked.cursor, int)[0])
    listed = await call.services.catalogue.latest(where, limit=asked.limit, below=below)
    leaf = listed.leaf
    items = [{"row": row_json(row), "text": listed.texts[row.id]} for row in leaf.rows]
    goes_on = None if leaf.next is None else cursor_of((leaf.next,))
    return Reply(document={"items": items, "private": leaf.private, "next": goes_on})


async def source(call: Call) -> Reply:
    """Tell everything of one row."""
    row_id, private = call.path["source"], call.said(said.Private).include_private
    found = await call.services.dossiers(row_id, include_private=private)
    if found.is_private and not private:
        raise UnknownId(f"{row_id} is private; include_private=true shows it")
    return Reply(document=_dossier(found))


def _dossier(found: Dossier) -> dict[str, object]:
    is_told = not found.is_withheld
    return {
        "id": found.row.id,
        "row": row_json(found.row) if is_told else None,
        "text": found.text if is_told else None,
        "content_hash": found.content_hash if is_told else None,
        "private": found.is_private,
        "withheld": found.is_withheld,
        "grounds": [_ground(ground) for ground in found.grounds],
        "derived": [row_json(row) for row in found.derived],
        "entities": [row_json(row) for row in found.entities],
        "successor": _id(found.successor),
        "replaced": [row.id for row in found.replaced],
        "pins": [pin_json(view.pin, view.state) for view in found.pins],
        "hidden": found.hidden,
    }


def _ground(ground: Ground) -> dict[str, object]:
    """Return a place in a thought with what stands there; null: it is gone, or may not be seen."""
    at, thought = ground.at, ground.thought
    is_told = thought is not None and thought.status is not RowStatus.REDACTED
    return {
        "thought": at.thought_id,
        "start": at.start,
        "end": at.end,
        "text": thought.content[at.start : at.end] if thought is not None and is_told else None,
    }


def _id(row: Row | None) -> str | None:
    return None if row is None else row.id
