"""A turn as events: in order, without a word too early, of what is stored."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import anyio
import pytest

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
from told_events import kinds, require_schema, until_judged
from voice.bootstrap import Services
from voice.core.grounding.values import GroundingPolicy, RefusalReason
from voice.core.render.turn_json import event_json
from voice.core.session.turn_events import (
    Asked,
    Done,
    Drafting,
    Event,
    Judged,
    Retrieved,
    Sentence,
    Understood,
)
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
