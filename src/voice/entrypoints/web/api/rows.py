"""Operations on rows and the knowledge graph: list, show, remember, correct, pin, and decide on candidates.

Law: origin is set by the entrance (ruling H): what comes over HTTP is `tool`, whoever sends it, and waits for review;
what is approved here a tool approved, and it is not green. A private row is neither told of nor counted, and an id of
one is answered as one that is not there, unless private rows are asked for; of one whose words were taken away there is
nothing but that.
Source: DESIGN 8 Web (sources); promises 6, 9.
"""

from typing import cast

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.review.decisions import Alias, Approve, Changes, Decision, Edit, Reject
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.core.recall.pins import PinRequest
from voice.core.records import RowStatus, Scope, Table
from voice.core.render.recall import pin_json
from voice.core.retrieval.candidates import ALL_TABLES, LIVE, CatalogueFilter
from voice.entrypoints.shared.notes import remembered_json
from voice.entrypoints.shared.review import candidate_filter, moderated_json, page_json
from voice.entrypoints.shared.rows import corrected_json, neighbourhood_json, row_json
from voice.entrypoints.web.api import request_models
from voice.entrypoints.web.api.call import Call, Reply, cursor_of, part_of, place_of
from voice.requests import filled, rows
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.editor import resolve_entity
from voice.services.graph.row_dossier import Dossier, Ground
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import remember_once


async def entities(call: Call) -> Reply:
    """List entities by name."""
    query = call.input(request_models.Entities)
    after = None if query.cursor is None else place_of(query.cursor, str, str)
    found = await call.services.browse.entities(entity_type=query.type, include_private=query.include_private)
    shown, goes_on = part_of(found, lambda each: (each.name.casefold(), each.id), after=after, limit=query.limit)
    return Reply(document={"items": [row_json(entity) for entity in shown], "next": goes_on})


async def neighbourhood(call: Call) -> Reply:
    """Show an entity with everything the graph says about it."""
    query = call.input(request_models.Neighbourhood)
    found = await call.services.browse.around(
        call.path["entity"], include_private=query.include_private, as_of=query.as_of
    )
    return Reply(document=neighbourhood_json(found))


async def candidates(call: Call) -> Reply:
    """List what was found and waits, each beside the words it rests on."""
    arguments = call.arguments(rows.CANDIDATES)
    where, limit, cursor = candidate_filter(arguments), arguments["limit"], arguments["after"]
    after = None if cursor is None else str(place_of(str(cursor), str)[0])
    page = await call.services.review.moderation.listed(where, limit=cast("int", limit), after=after)
    listed = page_json(page)
    goes_on = None if page.next is None else cursor_of((str(page.next),))
    return Reply(document={"items": listed["candidates"], "total": listed["total"], "next": goes_on})


async def moderate(call: Call) -> Reply:
    """Carry out verdicts, all of them or none."""
    body, moderation = call.input(request_models.Moderate), call.services.review.moderation
    # Before anything else: what is private is not there for a program.
    await call.services.visible_ids((each.candidate for each in body.verdicts), include_private=False)
    nodes = (await moderation.names.known()).public.nodes if any(v.verdict == "alias" for v in body.verdicts) else ()
    decisions = [
        Alias(candidate_id=each.candidate, entity_id=resolve_entity(each.entity, nodes).id)
        if isinstance(each, request_models.Alias)
        else _decision(each)
        for each in body.verdicts
    ]
    author = ceiling_of(Entrance.HTTP)  # a tool's: it is not green (ruling H)
    moderated = await moderation.decide(
        decisions, by=author, with_ends=body.with_ends, dry_run=body.dry_run, hides_private=True
    )
    return Reply(document=moderated_json(moderated))


def _decision(verdict: request_models.Approve | request_models.Reject | request_models.Edit) -> Decision:
    if isinstance(verdict, request_models.Approve):
        return Approve(candidate_id=verdict.candidate)
    if isinstance(verdict, request_models.Reject):
        return Reject(candidate_id=verdict.candidate, reason=verdict.reason)
    return Edit(candidate_id=verdict.candidate, changes=filled(Changes(), dict(verdict)))


async def remember(call: Call) -> Reply:
    """Store a thought."""
    arguments = call.arguments(rows.REMEMBER)
    own = NewThought(content="", origin=ceiling_of(Entrance.HTTP), noted_by=call.program)  # it waits for review
    capsule, thought = arguments["capsule"], filled(own, arguments)
    placed = thought if capsule is None else await call.services.capsules.placed(thought, str(capsule))
    remembered = await remember_once(call.services.ingest, placed, call.idempotency_key)
    arrived = await call.services.extracting.arrived_once(remembered)
    return Reply(document=remembered_json(remembered.report, arrived), status=201, is_replayed=remembered.is_replayed)


async def correct(call: Call) -> Reply:
    """Put other words in the place of a row that holds no person's own.

    Raises:
        InvalidParams: nothing is said instead, or the row holds a person's own words.
        UnknownId: it is not there, or private: which of them is nobody's to know.
    """
    arguments = call.arguments(rows.CORRECT)
    if arguments["text"] is None and not (arguments["since"] or arguments["until"] or arguments["target"]):
        raise InvalidParams("give text, since, until or target")
    row_id = await call.services.visible_ids.one(str(arguments["row_id"]), include_private=False)
    author = ceiling_of(Entrance.HTTP)
    # `spares_trusted`: a person's own words are the person's to correct.
    own = CorrectRequest(row_id="", author=author, spares_trusted=True, hides_private=True, noted_by=call.program)
    request = filled(own, {**arguments, "row_id": row_id})
    dry_run = arguments["dry_run"] is True
    corrected = await call.services.correcting(request, dry_run=dry_run)
    if corrected.row_id.startswith("t:") and not dry_run:  # only a thought's new words hold new names
        await call.services.extracting.arrived([corrected.row_id])
    return Reply(document=corrected_json(corrected, dry_run=dry_run))


async def pins(call: Call) -> Reply:
    """List the pins."""
    query = call.input(request_models.Pins)
    listed = await call.services.pins.listed(
        scope=Scope.ALL, include_expired=query.include_expired, include_private=query.include_private
    )
    return Reply(document=[pin_json(view.pin, view.state) for view in listed.pins])


async def pin(call: Call) -> Reply:
    """Pin a row or a summary."""
    body = call.input(request_models.Pin)
    request = PinRequest(
        target_id=await call.services.visible_ids.one(body.target, include_private=body.allow_private),
        reason=body.reason,
        expires_at=body.until,
        scope=body.scope.to_scope() if body.scope else None,
        allow_private=body.allow_private,
        hides_private=True,
    )
    return Reply(document=pin_json(await call.services.pins.pin(request), "active"), status=201)


async def unpin(call: Call) -> Reply:
    """Take a pin away, or every pin of a target; a private one is not there unless private rows are asked for."""
    named, pins = call.path["pin"], call.services.pins
    private = call.input(request_models.Private).include_private
    listed = await pins.listed(scope=Scope.ALL, include_expired=True, include_private=private)
    seen = any(named in (view.pin.id, view.pin.target_id) for view in listed.pins)  # private: "not there"
    removed = await pins.unpin(named) if seen else []
    if not removed:
        raise UnknownId(f"there is no pin {named!r}")
    return Reply(document={"removed": removed})


async def sources(call: Call) -> Reply:
    """List rows, the latest written first."""
    query = call.input(request_models.Sources)
    where = CatalogueFilter(
        tables=ALL_TABLES if query.table is None else frozenset({Table(query.table)}),
        statuses=LIVE | {RowStatus.SUPERSEDED} if query.superseded else LIVE,  # redacted rows are in no list
        include_tags=() if query.tag is None else (query.tag,),
        include_private=query.include_private,
    )
    below = None if query.cursor is None else int(place_of(query.cursor, int)[0])
    listed = await call.services.catalogue.latest(where, limit=query.limit, below=below)
    leaf = listed.leaf
    items = [{"row": row_json(row), "text": listed.texts[row.id]} for row in leaf.rows]
    goes_on = None if leaf.next is None else cursor_of((leaf.next,))
    return Reply(document={"items": items, "next": goes_on})


async def source(call: Call) -> Reply:
    """Tell everything of one row."""
    private = call.input(request_models.Private).include_private
    row_id = await call.services.visible_ids.one(call.path["source"], include_private=private)
    return Reply(document=_dossier_json(await call.services.dossiers(row_id, include_private=private)))


def _dossier_json(dossier: Dossier) -> dict[str, object]:
    is_shown = not dossier.is_withheld
    return {
        "id": dossier.row.id,
        "row": row_json(dossier.row) if is_shown else None,  # its words were taken away: the id alone
        "text": dossier.text if is_shown else None,
        "content_hash": dossier.content_hash if is_shown else None,
        "private": dossier.is_private,
        "withheld": dossier.is_withheld,
        "grounds": [_ground_json(ground) for ground in dossier.grounds],
        "derived": [row_json(row) for row in dossier.derived],
        "entities": [row_json(row) for row in dossier.entities],
        "successor": None if dossier.successor is None else dossier.successor.id,
        "replaced": [row.id for row in dossier.replaced],
        "pins": [pin_json(view.pin, view.state) for view in dossier.pins],
    }


def _ground_json(ground: Ground) -> dict[str, object]:
    """Return a place in a thought with what stands there; null: it is gone, or may not be seen."""
    at, thought = ground.at, ground.thought
    is_shown = thought is not None and thought.status is not RowStatus.REDACTED  # no spans of deleted words
    return {
        "thought": at.thought_id,
        "start": at.start,
        "end": at.end,
        "text": thought.content[at.start : at.end] if thought is not None and is_shown else None,
    }
