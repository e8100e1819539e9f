"""Operations on sessions.

Law: a session is named by its id, the start of one, or its topic. What is private in it, the topic of one that began so
among it, is left out unless it is asked for; that it is there is told by the numbers of its turns.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from voice.core.errors import InvalidParams
from voice.core.render.audit import audit_json, replay_json
from voice.core.render.session import session_json
from voice.core.session.values import InnerVoiceSession
from voice.entrypoints.shared.sessions import conversation_json, deletion_json, disclosed, item_json
from voice.entrypoints.web.api import request_models
from voice.entrypoints.web.api.call import Call, Place, Reply, part_of, place_of
from voice.ports.stores import SessionListItem
from voice.services.sessions.lifecycle import SessionFilter

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def sessions(call: Call) -> Reply:
    """List sessions, the most recent first."""
    asked = call.said(request_models.SessionsPage)
    after = None if asked.cursor is None else place_of(asked.cursor, int, str)
    wanted = SessionFilter(
        status=asked.status,
        topic_status=asked.topic_status,
        behind=None if after is None else lambda item: _place(item) > after,
    )
    listed = await call.services.life.listed(
        limit=asked.limit + 1, wanted=wanted, include_private=asked.include_private
    )
    part = part_of(listed, _place, after=after, limit=asked.limit)
    return Reply(document={"items": [item_json(item) for item in part.items], "next": part.next})


def _place(item: SessionListItem) -> Place:
    return (-((item.last_interaction - _EPOCH) // timedelta(microseconds=1)), item.id)


async def session(call: Call) -> Reply:
    """Show one with its turns."""
    found, exchanges = await call.services.life.show(call.path["session"])
    private = call.said(request_models.Private).include_private
    shown, turns = disclosed(found, exchanges, include_private=private, said=call.path["session"])
    return Reply(document=conversation_json(shown, turns))


async def fork(call: Call) -> Reply:
    """Go on from one of its turns in a new one."""
    told = call.said(request_models.Fork)
    made = await call.services.life.fork(call.path["session"], at=told.at, topic=told.thread_topic)
    return Reply(document=_changed(call, made), status=201)


async def change(call: Call) -> Reply:
    """Rename it, say what became of its topic, open or close it; all of what is said, or nothing."""
    told = call.said(request_models.Change)
    if told.thread_topic is None and told.topic_status is None and told.status is None:
        raise InvalidParams("say what is to change: thread_topic, topic_status or status")
    made = await call.services.life.change(
        call.path["session"], topic=told.thread_topic, topic_status=told.topic_status, status=told.status
    )
    return Reply(document=_changed(call, made))


def _changed(call: Call, made: InnerVoiceSession) -> object:
    return session_json(replace(made, status=call.services.life.shown(made), rolling_summary=None))


async def delete(call: Call) -> Reply:
    """Delete it for good, but for the figures of its turns."""
    told, life = call.said(request_models.Deletion), call.services.life
    shown = await life.delete(call.path["session"], with_forks=told.with_forks, dry_run=True)
    if told.dry_run:
        return Reply(document=deletion_json(shown, dry_run=True))
    if shown.needs_forks is not None:
        raise InvalidParams(f"{shown.needs_forks}: with_forks=true")
    return Reply(document=deletion_json(await life.delete_as_shown(shown), dry_run=False))


async def export(call: Call) -> Reply:
    """Return it as it may leave, for an import elsewhere."""
    private = call.said(request_models.Private).include_private
    departure = await call.services.transcripts.export(call.path["session"], include_private=private)
    return Reply(document=departure.document.members())


async def audit(call: Call) -> Reply:
    """Verify its stored answers against today's memory; no model is asked."""
    private = call.said(request_models.Private).include_private
    report = await call.services.audit(call.path["session"], include_private=private)
    return Reply(document=audit_json(report, include_private=private))


async def replay(call: Call) -> Reply:
    """Rebuild its prompts and prove that they are what was sent; their words are not told."""
    replays = await call.services.replays(call.path["session"])
    return Reply(document=replay_json(replays, show=False))
