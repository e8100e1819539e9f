"""Operations on rows: list, show, remember, correct and pin.

Law: origin is set by the entrance (ruling H): what comes over HTTP is `tool`, whoever sends it, and waits for review.

Rows over HTTP: leafing through them, and everything that is told of one. What may not be seen is counted and not told;
a row that says something private is told only to who asks for private ones, and of one whose words were taken away
there is nothing but that.

Source: DESIGN 8 Web (sources); promises 6, 9.
"""

from voice.core.errors import InvalidParams, UnknownId
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.core.recall.pins import PinRequest
from voice.core.records import Row, RowStatus, Scope, Table
from voice.core.render.recall import pin_json
from voice.core.retrieval.row_filters import ALL_TABLES, LIVE, CatalogueFilter
from voice.entrypoints.shared.notes import remembered_json
from voice.entrypoints.shared.rows import corrected_json, row_json
from voice.entrypoints.web.api import request_models
from voice.entrypoints.web.api.call import Call, Reply, cursor_of, place_of
from voice.requests import filled
from voice.requests import rows as requests
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.row_dossier import Dossier, Ground
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import remember_once


async def remember(call: Call) -> Reply:
    """Store a thought."""
    asked = call.asked(requests.REMEMBER)
    capsule, thought = asked["capsule"], filled(NewThought(content="", origin=ceiling_of(Entrance.HTTP)), asked)
    placed = thought if capsule is None else await call.services.capsules.placed(thought, str(capsule))
    kept = await remember_once(call.services.ingest, placed, call.idempotency_key)
    extracting, stored = call.services.extracting, kept.report.stored
    arrived = await (extracting.arrived_before(*stored) if kept.is_replayed else extracting.arrived(stored))
    return Reply(document=remembered_json(kept.report, arrived), status=201, is_replayed=kept.is_replayed)


async def correct(call: Call) -> Reply:
    """Put other words in the place of a row."""
    asked = call.asked(requests.CORRECT)
    if asked["text"] is None and not (asked["since"] or asked["until"] or asked["target"]):
        raise InvalidParams("say what is true instead (text), or since, until or target")
    request = filled(CorrectRequest(row_id="", author=ceiling_of(Entrance.HTTP)), asked)
    dry_run = asked["dry_run"] is True
    done = await call.services.correcting(request, dry_run=dry_run)
    if done.row_id.startswith("t:") and not dry_run:
        await call.services.extracting.arrived([done.row_id])
    return Reply(document=corrected_json(done, dry_run=dry_run))


async def pins(call: Call) -> Reply:
    """List the pins."""
    wanted = call.said(request_models.Pins)
    listed = await call.services.pins.listed(
        scope=Scope.ALL, include_expired=wanted.include_expired, include_private=wanted.include_private
    )
    return Reply(document=[pin_json(view.pin, view.state) for view in listed.pins])


async def pin(call: Call) -> Reply:
    """Pin a row or a summary."""
    told = call.said(request_models.Pin)
    request = PinRequest(
        target_id=told.target,
        reason=told.reason,
        expires_at=told.until,
        scope=told.scope.meant() if told.scope else None,
        allow_private=told.allow_private,
    )
    return Reply(document=pin_json(await call.services.pins.pin(request), "active"), status=201)


async def unpin(call: Call) -> Reply:
    """Take a pin away, or every pin of a target."""
    named = call.path["pin"]
    removed = await call.services.pins.unpin(named)
    if not removed:
        raise UnknownId(f"nothing is pinned under {named!r}")
    return Reply(document={"removed": removed})


async def sources(call: Call) -> Reply:
    """List rows, the latest written first."""
    asked = call.said(request_models.Sources)
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
    row_id, private = call.path["source"], call.said(request_models.Private).include_private
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
