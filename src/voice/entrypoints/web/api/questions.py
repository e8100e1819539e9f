"""Operations that answer: ask, dry run, retrieve, recall and check.

Law: each calls one service and hands on what it answers, in the form that every door has (ruling A8: the gate stands
before them).

Checking over HTTP: any answer against any facts. The memory is neither asked nor written to, so nothing is switched off
here; nobody else is asked, either.

Source: DESIGN 6 "The judge is a product of its own".
"""

from collections.abc import AsyncGenerator
from dataclasses import fields

from voice.core.errors import InvalidParams
from voice.core.grounding.check_input import facts_of, parse_answer
from voice.core.grounding.values import Stance
from voice.core.recall.params import RecallRequest
from voice.core.render.check import render_check
from voice.core.render.recall import render_recall
from voice.core.render.retrieval import render_explain, render_retrieve
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.turn_events import Event
from voice.entrypoints.shared.turns import dry_run_json, turn_json, turn_notices
from voice.entrypoints.web.api import request_models
from voice.entrypoints.web.api.call import Call, Reply, reading_scope
from voice.services.runtime.turn import AskRequest
from voice.services.verification.draft_verification import Check


def ask_request(call: Call) -> AskRequest:
    """Return what is asked.

    Raises:
        InvalidParams: two things are said of which one can be meant.
    """
    asked = call.said(request_models.Ask)
    if asked.new_topic is not None and not asked.create:
        raise InvalidParams("new_topic starts a conversation and create: false starts none; send one of the two")
    return AskRequest(
        question=asked.question,
        session_id=asked.session,
        new_topic=asked.new_topic,
        create=asked.create,
        stance=Stance(asked.stance),
        when=asked.when,
        limit=asked.limit,
        order=asked.order,
        shape=asked.shape,
        include_private=asked.include_private,
        include_tags=asked.include_tags,
        exclude_tags=asked.exclude_tags,
        scope=reading_scope(asked.scope),
        as_of=asked.as_of,
        idempotency_key=call.idempotency_key,
    )


async def ask(call: Call) -> Reply:
    """Ask one question; a refusal is an answer."""
    call.settings.gate.require()
    turn = await call.services.ask(ask_request(call))
    asked = call.said(request_models.Ask)
    cited = (*turn.exchange.sources, *turn.exchange.evidence_found)
    locations = await call.services.source_locations.cited(cited) if cited and asked.shape == "full" else {}
    document = turn_json(turn, asked.shape, explain=asked.explain, locations=locations)
    warnings = turn_notices(turn) if asked.shape == "nlq" else ()
    return Reply(document=document, is_replayed=turn.replayed, warnings=warnings)


def stream(call: Call) -> AsyncGenerator[Event]:
    """Ask one question and tell what happens, event by event."""
    call.settings.gate.require()
    return call.services.stream(ask_request(call))


async def foresee(call: Call) -> Reply:
    """Tell what a question would send and cost; nobody is asked."""
    call.settings.gate.require()
    return Reply(document=dry_run_json(await call.services.dry_run(ask_request(call))))


async def retrieve(call: Call) -> Reply:
    """Find snippets with their provenance."""
    call.settings.gate.require()
    wanted = call.said(request_models.Retrieve)
    named = {name: getattr(wanted, name) for name in request_models.Retrieve.model_fields if name != "scope"}
    selection = await call.services.find(RetrieveRequest(**named, scope=reading_scope(wanted.scope)))
    if wanted.explain:
        return Reply(document=render_explain(selection))
    return Reply(document=render_retrieve(selection), warnings=selection.diagnostics.warnings)


async def recall(call: Call) -> Reply:
    """Recall pins, the current summary and what was found."""
    call.settings.gate.require()
    wanted = call.said(request_models.Recall)
    named = {each.name: getattr(wanted, each.name) for each in fields(RecallRequest) if each.name in _RECALL}
    request = RecallRequest(**named, scope=reading_scope(wanted.scope))
    return Reply(document=render_recall(await call.services.recall(request)))


_RECALL = request_models.Recall.model_fields.keys() - {"scope"}


async def check(call: Call) -> Reply:
    """Hold an answer against facts, claim by claim."""
    wanted = call.said(request_models.Check)
    facts = facts_of([each if isinstance(each, str) else each.model_dump() for each in wanted.facts])
    service = Check(clock=call.services.clock)
    checked = await service(parse_answer(wanted.answer), facts, question=wanted.question)
    return Reply(document=render_check(checked.report, checked.verification))
