"""Operations on the knowledge graph: entities, their neighbourhoods, candidates and verdicts.

Law: verdicts come from the entrance they come from (ruling H): what is approved over HTTP was approved by a tool, and
is not green.
"""

from typing import cast

from voice.core.graph.review.decisions import Alias, Approve, Changes, Decision, Edit, Reject
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.core.records import Entity
from voice.entrypoints.shared.review import candidate_filter, moderated_json, page_json
from voice.entrypoints.shared.rows import neighbourhood_json, row_json
from voice.entrypoints.web.api import request_models
from voice.entrypoints.web.api.call import Call, Place, Reply, cursor_of, part_of, place_of
from voice.requests import rows
from voice.services.graph.editor import resolve_entity


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
