"""A turn as events: in order, without a word too early, of what is stored."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from held_models import HeldModel
from played_turns import (
    FIRED,
    KILN,
    MOVED,
    PAID,
    UNVERIFIED,
    USAGE,
    WHERE,
    given,
    grounded,
    memory,
    quoting,
    scripted,
    stored,
)
from stand_ins import on_a_full_disk, stand_in
from told_events import kinds, require_schema, until_judged
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, ProviderUnavailable, StoreUnavailable
from voice.core.grounding.values import GroundingPolicy, RefusalReason
from voice.core.render.turn_json import event_json
from voice.core.session.turn_events import (
    Asked,
    Done,
    Drafting,
    Event,
    Judged,
    Refused,
    Retrieved,
    Sentence,
    Understood,
)
from voice.core.settings.providers import LlmSettings
from voice.services.turn.ask import AskRequest

_INVENTED = "The kiln was sold to a museum in Vienna."


async def heard(services: Services, question: str = WHERE, **fields: object) -> list[Event]:
    request = AskRequest(question=question, **{"create": True, **fields})  # pyright: ignore[reportArgumentType]
    return [event async for event in services.stream(request)]


@pytest.mark.requirement("stream:order", "stream:schema")
async def test_an_answer_is_told_from_its_question_to_its_sentences(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(profile=PAID), told=KILN) as services:
        events = await heard(services, "Where was the kiln moved in March?")
        (kept,) = await stored(services)
    assert kinds(events) == ["understood", "retrieved", "asked", "drafting", "judged", "sentence", "done"]
    understood, retrieved, asked, drafting, judged, first, second, done = events
    assert isinstance(drafting, Drafting)
    assert (drafting.attempt, drafting.tokens > 20) == (1, True)
    assert isinstance(understood, Understood)
    assert {"kiln", "moved"} <= set(understood.terms)
    assert isinstance(retrieved, Retrieved)
    assert set(kept.memories_referenced) <= set(retrieved.shown) <= set(retrieved.ids)
    assert isinstance(asked, Asked)
    assert (asked.provider, asked.model, asked.attempt) == ("vendor", "paid-1", 1)
    assert isinstance(judged, Judged)
    assert (judged.refused, judged.source_count, judged.rungs) == (False, 2, ("quoted", "quoted"))
    assert isinstance(first, Sentence)
    assert isinstance(second, Sentence)
    assert (first.text, first.rung, first.spans[0].span) == (MOVED, "quoted", MOVED)
    assert (second.index, second.text, [span.span for span in second.spans]) == (1, FIRED, [FIRED])
    assert isinstance(done, Done)
    assert done.exchange.id == kept.id
    assert (done.usage, done.cost) == (USAGE, kept.cost_estimate)
    for event in events:
        require_schema(event_json(event))


@pytest.mark.requirement("stream:order", "stream:schema")
async def test_a_question_that_nothing_answers_is_refused_without_asking(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        events = await heard(services, "Who is the mayor of Paris?")
    assert kinds(events) == ["understood", "retrieved", "refused", "done"]
    refused = events[2]
    assert isinstance(refused, Refused)
    assert refused.reason is RefusalReason.NO_SOURCES
    for event in events:
        require_schema(event_json(event))


@pytest.mark.requirement("stream:order")
async def test_a_repair_is_asked_as_a_second_attempt(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted("{", quoting(MOVED, FIRED)), told=KILN) as services:
        events = await heard(services)
    assert [event.attempt for event in events if isinstance(event, Asked)] == [1, 2]
    assert kinds(events)[-3:] == ["judged", "sentence", "done"]


@pytest.mark.requirement("stream:order")
async def test_a_provider_that_fails_ends_in_a_refusal_that_says_so(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted(ProviderUnavailable("down")), told=KILN) as services:
        events = await heard(services)
    assert kinds(events) == ["understood", "retrieved", "asked", "refused", "done"]


@pytest.mark.requirement("stream:unseen", "ruling:D9")
async def test_no_word_of_a_draft_is_told_before_the_verdict_and_none_of_a_refused_one_ever(tmp_path: Path) -> None:
    marked = given(grounding=GroundingPolicy(on_unsupported="mark"), verifier=UNVERIFIED)
    said = quoting(MOVED, FIRED, answer=f"{MOVED} {FIRED} {_INVENTED}")
    async with memory(tmp_path, scripted(said), settings=marked, told=KILN) as services:
        accepted = await heard(services)
    assert "museum" not in until_judged(accepted)
    assert "museum" in repr(accepted[-1].exchange.sentences if isinstance(accepted[-1], Done) else "")
    async with memory(tmp_path / "other", scripted(quoting(MOVED, FIRED, answer=_INVENTED)), told=KILN) as services:
        refused = await heard(services)
    assert kinds(refused)[-3:] == ["judged", "refused", "done"]
    assert "museum" not in "".join(f"{event_json(event)} {event!r}" for event in refused)


@pytest.mark.requirement("stream:withdrawn", "ruling:D25")
async def test_who_closes_the_stream_withdraws_the_question(tmp_path: Path) -> None:
    waiting = HeldModel(PAID)
    async with memory(tmp_path, waiting, told=KILN) as services:
        async with aclosing(services.stream(AskRequest(question=WHERE, create=True))) as events:
            async for event in events:
                if isinstance(event, Asked):
                    break
            await waiting.until_asked()
        (kept,) = await stored(services)
    assert (kept.status, kept.reason, len(kept.attempts)) == ("error", RefusalReason.CANCELLED, 1)


@pytest.mark.requirement("stream:withdrawn", "ruling:D25")
@pytest.mark.parametrize("by_scope", [True, False])
async def test_who_is_cancelled_while_listening_withdraws_the_question(tmp_path: Path, *, by_scope: bool) -> None:
    waiting = HeldModel(PAID)
    async with memory(tmp_path, waiting, told=KILN) as services:

        async def listen() -> None:
            with anyio.CancelScope() as scope:
                scopes.append(scope)
                await heard(services)

        scopes: list[anyio.CancelScope] = []
        listening = asyncio.ensure_future(listen())
        await waiting.until_asked()
        if by_scope:
            scopes[0].cancel()
        else:
            listening.cancel()
        await asyncio.wait((listening,))
        (kept,) = await stored(services)
    assert kept.reason is RefusalReason.CANCELLED


async def test_a_slow_listener_holds_up_nothing(tmp_path: Path) -> None:
    request = AskRequest(question=WHERE, create=True)
    async with memory(tmp_path, grounded(), told=KILN) as services, aclosing(services.stream(request)) as events:
        first = await anext(events)
        while not await stored(services):  # the turn goes on to its end meanwhile
            await checkpoint()
        rest = [event async for event in events]
    assert kinds([first, *rest])[-1] == "done"


@pytest.mark.requirement("stream:kept", "promise:3")
async def test_no_sentence_is_told_of_a_turn_that_cannot_be_kept(tmp_path: Path) -> None:
    events: list[Event] = []
    async with memory(tmp_path, grounded(), told=KILN) as services:
        full = replace(services.makers.ask(), sessions=stand_in(services.sessions, save=on_a_full_disk))
        with pytest.raises(StoreUnavailable):
            await full(AskRequest(question=WHERE, create=True), events.append)
    assert kinds(events)[-1] == "judged"


async def test_what_cannot_be_asked_raises_as_asking_does(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        with pytest.raises(InvalidParams):
            await heard(services, " ")


@pytest.mark.requirement("stream:order")
async def test_an_answer_that_is_given_again_begins_with_its_sentences(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        first = await heard(services, idempotency_key="once")
        again = await heard(services, idempotency_key="once")
        (kept,) = await stored(services)
    assert kinds(again) == ["sentence", "done"]
    assert again[:-1] == first[-3:-1]
    assert [event.exchange.id for event in (first[-1], again[-1]) if isinstance(event, Done)] == [kept.id, kept.id]


async def test_a_cap_that_refuses_the_call_asks_nobody(tmp_path: Path) -> None:
    capped = given(llm=LlmSettings(max_turn_cost=Decimal("0.000001")))
    async with memory(tmp_path, grounded(profile=PAID), settings=capped, told=KILN) as services:
        events = await heard(services)
    assert kinds(events) == ["understood", "retrieved", "refused", "done"]
