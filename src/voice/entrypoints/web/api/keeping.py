"""Keeping over HTTP: remember, correct, pin.

Law: origin is set by the entrance (ruling H): what comes over HTTP is `tool`, whoever sends it, and waits for review.
"""

from voice.core.errors import InvalidParams, UnknownId
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.core.recall.pins import PinRequest
from voice.core.records import Scope
from voice.core.render.recall import pin_json
from voice.entrypoints.shared.notes import remembered_json
from voice.entrypoints.shared.rows import corrected_json
from voice.entrypoints.web.api import said
from voice.entrypoints.web.api.call import Call, Reply
from voice.services.graph.correct import CorrectRequest
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import remember_once


async def remember(call: Call) -> Reply:
    """Store a thought."""
    told = call.said(said.Remember)
    if told.scope is not None and told.capsule is not None:
        raise InvalidParams("a capsule has a scope of its own; say one of scope and capsule")
    thought = NewThought(
        content=told.content,
        origin=ceiling_of(Entrance.HTTP),
        created_at=told.at,
        kind=told.kind,
        tags=told.tags,
        is_private=told.is_private,
        scope=told.scope.meant() if told.scope else Scope(),
    )
    placed = thought if told.capsule is None else await call.services.capsules.placed(thought, told.capsule)
    kept = await remember_once(call.services.ingest, placed, call.idempotency_key)
    extracting, stored = call.services.extracting, kept.report.stored
    arrived = await (extracting.arrived_before(*stored) if kept.is_replayed else extracting.arrived(stored))
    return Reply(document=remembered_json(kept.report, arrived), status=201, is_replayed=kept.is_replayed)


async def correct(call: Call) -> Reply:
    """Put other words in the place of a row."""
    told = call.said(said.Correct)
    if told.text is None and not (told.since or told.until or told.target):
        raise InvalidParams("say what is true instead (text), or since, until or target")
    request = CorrectRequest(
        row_id=told.row,
        text=told.text,
        target=told.target,
        reason=told.reason,
        since=told.since,
        until=told.until,
        author=ceiling_of(Entrance.HTTP),
    )
    done = await call.services.correcting(request, dry_run=told.dry_run)
    if done.row_id.startswith("t:") and not told.dry_run:
        await call.services.extracting.arrived([done.row_id])
    return Reply(document=corrected_json(done, dry_run=told.dry_run))


async def pins(call: Call) -> Reply:
    """List the pins."""
    wanted = call.said(said.Pins)
    listed = await call.services.pins.listed(
        scope=Scope.ALL, include_expired=wanted.include_expired, include_private=wanted.include_private
    )
    return Reply(document=[pin_json(view.pin, view.state) for view in listed.pins])


async def pin(call: Call) -> Reply:
    """Pin a row or a summary."""
    told = call.said(said.Pin)
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
