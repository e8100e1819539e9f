"""Operations that answer (ask, dry run, retrieve, recall and check), those on sessions, and those that report.

Law: each calls one service and hands on what it answers, in the form that every door has (ruling A8). A session is
named by its id, the start of one, or its topic. What is private in it, the topic of one that began so among it, is left
out unless it is asked for; that it is there is told by the numbers of its turns. A check holds any answer against any
facts: the memory is neither asked nor written to, so nothing is switched off there. A report writes nothing, and a
secret is "set" or "not set" (promise 6).
Source: DESIGN 6 "The judge is a product of its own".
"""

import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import cast

from anyio import to_thread
from pydantic import BaseModel

from voice.adapters.system.data_directory import places_of
from voice.core.errors import InvalidParams, UnknownId
from voice.core.grounding.check import facts_of, parse_answer
from voice.core.health import is_healthy
from voice.core.recall.params import RecallRequest
from voice.core.render.audit import audit_json, replay_json
from voice.core.render.check import render_check
from voice.core.render.conversation import session_json
from voice.core.render.recall import render_recall
from voice.core.render.reports import report_json
from voice.core.render.retrieval import render_explain, render_retrieve
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.turn_events import Event
from voice.core.session.values import InnerVoiceSession
from voice.core.settings.describe import effective_values
from voice.core.settings.table import SETTINGS
from voice.entrypoints.shared.doctor import check_open_memory, finding_json
from voice.entrypoints.shared.sessions import (
    conversation_json,
    deletion_json,
    disclosed,
    dry_run_json,
    item_json,
    question_asked,
    turn_json,
    turn_notices,
)
from voice.entrypoints.web.api import request_models
from voice.entrypoints.web.api.call import Call, Place, Reply, part_of, place_of
from voice.entrypoints.web.responses import ERRORS_PATH, TITLES
from voice.ports.stores import SessionListItem
from voice.requests import filled, questions
from voice.services.runtime.turn import AskRequest
from voice.services.sessions.lifecycle import SessionFilter
from voice.services.verification.draft_verification import Check


async def report(call: Call) -> Reply:
    """Add up what past turns used."""
    query = call.input(request_models.Report)
    totals = await call.services.report(
        since=query.since, until=query.until, by=query.by, include_private=query.include_private
    )
    return Reply(document=report_json(totals))


async def settings(call: Call) -> Reply:
    """Tell every setting with its value in force."""
    places = await to_thread.run_sync(places_of, call.settings, call.services.home)  # it looks at the disk
    values = effective_values(call.settings, places)
    rows = [
        {"name": each.name, "env": each.env, "value": values[each.name], "unit": each.unit, "about": each.about}
        for each in SETTINGS
    ]
    return Reply(document={"settings": rows})


async def doctor(call: Call) -> Reply:
    """Check store, index, pins, encoder, clock and retrieval; a store that cannot be read any more is a finding."""
    findings = [finding async for finding in check_open_memory(call.services, call.settings)]
    rows = [finding_json(finding) for finding in findings]
    return Reply(document={"healthy": is_healthy(findings), "findings": rows})


async def openapi(_call: Call) -> Reply:
    """Return the OpenAPI document of the interface."""
    return Reply(document=json.loads((files("voice") / "schemas" / "openapi.json").read_text(encoding="utf-8")))


async def errors(_call: Call) -> Reply:
    """List every error there is."""
    return Reply(document={"errors": [_error_json(code) for code in TITLES]})


async def error(call: Call) -> Reply:
    """Tell one error."""
    code = call.path["code"]
    if code not in TITLES:
        raise UnknownId(f"there is no error {code!r}; {ERRORS_PATH} lists them")
    return Reply(document=_error_json(code))


def _error_json(code: str) -> dict[str, object]:
    status, title = TITLES[code]
    return {"type": f"{ERRORS_PATH}/{code}", "code": code, "status": status, "title": title}


def ask_request(call: Call) -> AskRequest:
    """Return what is asked; two things of which one can be meant are refused (InvalidParams)."""
    arguments = call.arguments(questions.ASK)
    if arguments["new_topic"] is not None and not arguments["create"]:  # they contradict each other
        raise InvalidParams("new_topic starts a session and create: false prevents that; send only one of them")
    return question_asked({**arguments, "idempotency_key": call.idempotency_key})


async def ask(call: Call) -> Reply:
    """Ask one question; a refusal is an answer."""
    call.settings.gate.require()
    request, explain = ask_request(call), call.arguments(questions.ASK)["explain"] is True
    turn = await call.services.ask(request)
    cited = (*turn.exchange.sources, *turn.exchange.evidence_found)
    locations = await call.services.source_locations.cited(cited) if cited and request.shape == "full" else {}
    document = turn_json(turn, request.shape, explain=explain, locations=locations)
    warnings = turn_notices(turn) if request.shape == "nlq" else ()  # no place for them in S3's shape
    return Reply(document=document, is_replayed=turn.replayed, warnings=warnings)


def stream(call: Call) -> AsyncGenerator[Event]:
    """Ask one question and tell what happens, event by event."""
    call.settings.gate.require()
    return call.services.stream(ask_request(call))  # the stream's first event comes before the answer begins


async def foresee(call: Call) -> Reply:
    """Tell what a question would send and cost; nobody is asked."""
    call.settings.gate.require()
    return Reply(document=dry_run_json(await call.services.dry_run(ask_request(call))))


async def retrieve(call: Call) -> Reply:
    """Find snippets with their provenance."""
    call.settings.gate.require()
    request = filled(RetrieveRequest(query=""), call.arguments(questions.RETRIEVE))
    selection = await call.services.find(request)
    if request.explain:
        return Reply(document=render_explain(selection))
    return Reply(document=render_retrieve(selection), warnings=selection.diagnostics.warnings)


async def recall(call: Call) -> Reply:
    """Recall pins, the current summary and what was found."""
    call.settings.gate.require()
    request = filled(RecallRequest(query=""), call.arguments(questions.RECALL))
    return Reply(document=render_recall(await call.services.recall(request)))


async def check(call: Call) -> Reply:
    """Hold an answer against facts, claim by claim."""
    arguments = call.arguments(questions.CHECK)
    facts = [
        each.model_dump() if isinstance(each, BaseModel) else each for each in cast("list[object]", arguments["facts"])
    ]
    checking = Check(clock=call.services.clock)
    checked = await checking(
        parse_answer(str(arguments["answer"])), facts_of(facts), question=str(arguments["question"])
    )
    return Reply(document=render_check(checked.report, checked.verification))


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # what a place counts from


async def sessions(call: Call) -> Reply:
    """List sessions, the most recent first."""
    query = call.input(request_models.SessionsPage)
    after = None if query.cursor is None else place_of(query.cursor, int, str)
    which = SessionFilter(
        status=query.status,
        topic_status=query.topic_status,
        behind=None if after is None else lambda item: _recency(item) > after,  # the list is filtered before it is cut
    )
    # One more tells whether the list goes on.
    items = await call.services.life.listed(limit=query.limit + 1, wanted=which, include_private=query.include_private)
    shown, goes_on = part_of(items, _recency, after=after, limit=query.limit)
    return Reply(document={"items": [item_json(item) for item in shown], "next": goes_on})


def _recency(item: SessionListItem) -> Place:
    # Microseconds, since a float would round; negative, since places ascend.
    return (-((item.last_interaction - _EPOCH) // timedelta(microseconds=1)), item.id)


async def session(call: Call) -> Reply:
    """Show one with its turns."""
    found, exchanges = await call.services.life.show(call.path["session"])
    private = call.input(request_models.Private).include_private
    shown, turns = disclosed(found, exchanges, include_private=private, said=call.path["session"])
    return Reply(document=conversation_json(shown, turns))


async def fork(call: Call) -> Reply:
    """Go on from one of its turns in a new one."""
    body = call.input(request_models.Fork)
    forked = await call.services.life.fork(call.path["session"], at=body.at, topic=body.thread_topic)
    return Reply(document=_session_document(call, forked), status=201)


async def change(call: Call) -> Reply:
    """Rename it, say what became of its topic, open or close it; all of what is said, or nothing."""
    body = call.input(request_models.Change)
    if body.thread_topic is None and body.topic_status is None and body.status is None:
        raise InvalidParams("give thread_topic, topic_status or status")
    changed = await call.services.life.change(
        call.path["session"], topic=body.thread_topic, topic_status=body.topic_status, status=body.status
    )
    return Reply(document=_session_document(call, changed))


def _session_document(call: Call, session: InnerVoiceSession) -> object:
    # "expired" is not stored: it follows from the time.
    return session_json(replace(session, status=call.services.life.shown(session), rolling_summary=None))


async def delete(call: Call) -> Reply:
    """Delete it for good, but for the figures of its turns."""
    query, life = call.input(request_models.Deletion), call.services.life
    preview = await life.delete(call.path["session"], with_forks=query.with_forks, dry_run=True)  # what was shown goes
    if query.dry_run:
        return Reply(document=deletion_json(preview, dry_run=True))
    if preview.needs_forks is not None:
        raise InvalidParams(f"{preview.needs_forks}: with_forks=true")
    return Reply(document=deletion_json(await life.delete_as_shown(preview), dry_run=False))


async def export(call: Call) -> Reply:
    """Return it as it may leave, for an import elsewhere."""
    private = call.input(request_models.Private).include_private
    departure = await call.services.transcripts.export(call.path["session"], include_private=private)
    return Reply(document=departure.document.members())  # sealed: a change to it is found


async def audit(call: Call) -> Reply:
    """Verify its stored answers against today's memory; no model is asked."""
    private = call.input(request_models.Private).include_private
    report = await call.services.audit(call.path["session"], include_private=private)
    return Reply(document=audit_json(report, include_private=private))


async def replay(call: Call) -> Reply:
    """Rebuild its prompts and prove that they are what was sent; their words are not told."""
    replays = await call.services.replays(call.path["session"])
    return Reply(document=replay_json(replays, show=False))  # prompts hold words of the memory
