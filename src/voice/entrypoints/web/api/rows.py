"""Operations on rows and the knowledge graph: list, show, remember, correct, pin, and decide on candidates.

Law: origin is set by the entrance (ruling H): what comes over HTTP is `tool`, whoever sends it, and waits for review.

Rows over HTTP: leafing through them, and everything that is told of one. What may not be seen is counted and not told;
a row that says something private is told only to who asks for private ones, and of one whose words were taken away
there is nothing but that.

What is approved over HTTP was approved by a tool, and is not green.

Source: DESIGN 8 Web (sources); promises 6, 9.
"""

from typing import cast

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.review.decisions import Alias, Approve, Changes, Decision, Edit, Reject
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.core.recall.pins import PinRequest
from voice.core.records import Entity, Row, RowStatus, Scope, Table
from voice.core.render.recall import pin_json
from voice.core.retrieval.candidates import ALL_TABLES, LIVE, CatalogueFilter
from voice.entrypoints.shared.notes import remembered_json
from voice.entrypoints.shared.review import candidate_filter, moderated_json, page_json
from voice.entrypoints.shared.rows import corrected_json, neighbourhood_json, row_json
from voice.entrypoints.web.api import request_models
from voice.entrypoints.web.api.call import Call, Place, Reply, cursor_of, part_of, place_of
from voice.requests import filled, rows
from voice.requests import rows as requests
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.editor import resolve_entity
from voice.services.graph.row_dossier import Dossier, Ground
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import remember_once


async def entities(call: Call) -> Reply:
    """List entities by name."""
    asked = call.said(request_models.Entities)
    after = None if asked.cursor is None else place_of(asked.cursor, str, str)
    found = await call.services.browse.entities(entity_type=asked.type, include_private=asked.include_private)
    part = part_of(found, _place, after=after, limit=asked.limit)
    return Reply(document={"items": [row_json(entity) for entity in part.items], "next": part.next})


def _place(entity: Entity) -> Place:
    return (entity.name.casefold(), entity.id)


async def neighbourhood(call: Call) -> Reply:
    """Show an entity with everything the graph says about it."""
    asked = call.said(request_models.Neighbourhood)
    found = await call.services.browse.around(
        call.path["entity"], include_private=asked.include_private, as_of=asked.as_of
    )
    return Reply(document=neighbourhood_json(found))


async def candidates(call: Call) -> Reply:
    """List what was found and waits, each beside the words it rests on."""
    asked = call.asked(rows.CANDIDATES)
    where, limit, cursor = candidate_filter(asked), asked["limit"], asked["after"]
    after = None if cursor is None else str(place_of(str(cursor), str)[0])
    page = await call.services.review.moderation.listed(where, limit=cast("int", limit), after=after)
    told = page_json(page)
    goes_on = None if page.next is None else cursor_of((str(page.next),))
    return Reply(document={"items": told["candidates"], "total": told["total"], "next": goes_on})


async def moderate(call: Call) -> Reply:
    """Carry out verdicts, all of them or none."""
    told, moderation = call.said(request_models.Moderate), call.services.review.moderation
    nodes = (await moderation.names.known()).nodes if any(each.verdict == "alias" for each in told.verdicts) else ()
    said_of = [
        Alias(candidate_id=each.candidate, entity_id=resolve_entity(each.entity, nodes).id)
        if isinstance(each, request_models.Alias)
        else _verdict(each)
        for each in told.verdicts
    ]
    by = ceiling_of(Entrance.HTTP)
    done = await moderation.decide(said_of, by=by, with_ends=told.with_ends, dry_run=told.dry_run)
    return Reply(document=moderated_json(done))


def _verdict(told: request_models.Approve | request_models.Reject | request_models.Edit) -> Decision:
    if isinstance(told, request_models.Approve):
        return Approve(candidate_id=told.candidate)
    if isinstance(told, request_models.Reject):
        return Reject(candidate_id=told.candidate, reason=told.reason)
    changes = Changes(
        name=told.name,
        entity_type=told.entity_type,
        aliases=told.aliases,
        source=told.source,
        rel_type=told.rel_type,
        target=told.target,
        description=told.description,
    )
    return Edit(candidate_id=told.candidate, changes=changes)


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
    """Put other words in the place of a row that holds no person's own.

    Raises:
        InvalidParams: nothing is said instead, or the row holds a person's own words.
    """
    asked = call.asked(requests.CORRECT)
    if asked["text"] is None and not (asked["since"] or asked["until"] or asked["target"]):
        raise InvalidParams("say what is true instead (text), or since, until or target")
    request = filled(CorrectRequest(row_id="", author=ceiling_of(Entrance.HTTP), spares_trusted=True), asked)
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
