"""Operations that answer: ask, dry run, retrieve, recall and check.

Law: each calls one service and hands on what it answers, in the form that every door has (ruling A8: the gate stands
before them).

Checking over HTTP: any answer against any facts. The memory is neither asked nor written to, so nothing is switched off
here; nobody else is asked, either.

Source: DESIGN 6 "The judge is a product of its own".
"""

from collections.abc import AsyncGenerator
from typing import cast

from pydantic import BaseModel

from voice.core.errors import InvalidParams
from voice.core.grounding.check_input import facts_of, parse_answer
from voice.core.recall.params import RecallRequest
from voice.core.render.check import render_check
from voice.core.render.recall import render_recall
from voice.core.render.retrieval import render_explain, render_retrieve
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.turn_events import Event
from voice.entrypoints.shared.turns import dry_run_json, question_asked, turn_json, turn_notices
from voice.entrypoints.web.api.call import Call, Reply
from voice.requests import filled, questions
from voice.services.runtime.turn import AskRequest
from voice.services.verification.draft_verification import Check


def ask_request(call: Call) -> AskRequest:
    """Return what is asked.

    Raises:
        InvalidParams: two things are said of which one can be meant.
    """
    asked = call.asked(questions.ASK)
    if asked["new_topic"] is not None and not asked["create"]:
        raise InvalidParams("new_topic starts a conversation and create: false starts none; send one of the two")
    return question_asked({**asked, "idempotency_key": call.idempotency_key})


async def ask(call: Call) -> Reply:
    """Ask one question; a refusal is an answer."""
    call.settings.gate.require()
    request, explain = ask_request(call), call.asked(questions.ASK)["explain"] is True
    turn = await call.services.ask(request)
    cited = (*turn.exchange.sources, *turn.exchange.evidence_found)
    locations = await call.services.source_locations.cited(cited) if cited and request.shape == "full" else {}
    document = turn_json(turn, request.shape, explain=explain, locations=locations)
    warnings = turn_notices(turn) if request.shape == "nlq" else ()
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
    request = filled(RetrieveRequest(query=""), call.asked(questions.RETRIEVE))
    selection = await call.services.find(request)
    if request.explain:
        return Reply(document=render_explain(selection))
    return Reply(document=render_retrieve(selection), warnings=selection.diagnostics.warnings)


async def recall(call: Call) -> Reply:
    """Recall pins, the current summary and what was found."""
    call.settings.gate.require()
    request = filled(RecallRequest(query=""), call.asked(questions.RECALL))
    return Reply(document=render_recall(await call.services.recall(request)))


async def check(call: Call) -> Reply:
    """Hold an answer against facts, claim by claim."""
    said = call.asked(questions.CHECK)
    facts = [each.model_dump() if isinstance(each, BaseModel) else each for each in cast("list[object]", said["facts"])]
    service = Check(clock=call.services.clock)
    checked = await service(parse_answer(str(said["answer"])), facts_of(facts), question=str(said["question"]))
    return Reply(document=render_check(checked.report, checked.verification))
