"""How a turn can end: answered, or one of the refusals, each of them kept."""

from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import (
    FIRED,
    GROUNDED,
    KILN,
    MOVED,
    NOW,
    UNTOLD,
    UNVERIFIED,
    WHERE,
    Speak,
    ask,
    given,
    grounded,
    is_wordless_refusal,
    memory,
    one_turn,
    quoting,
    scripted,
    stored,
    wire,
)
from present import present
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import InvalidParams
from voice.core.grounding.answer_text import opening_of
from voice.core.grounding.values import RefusalReason
from voice.core.render.answer import render_markdown
from voice.core.settings.providers import LlmSettings
from voice.ports.llm import LlmRequest


@pytest.mark.requirement(
    "promise:1", "ruling:D1", "s2:guarantee:1", "s2:tool:store", "s2:tool:totals", "s2:tool:save", "s2:provider:client",
    "s3:test:e2e", "s3:flow:synthesis",
)  # fmt: skip
async def test_an_answer_is_proven_row_by_row_and_stored_before_it_is_returned(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services)
        exchange = turn.exchange
        (kept,) = await stored(services)
        assert replace(kept, seq=0) == exchange
        rows = await services.store.fetch(list(exchange.memories_referenced))
    assert (exchange.status, exchange.reason, exchange.coverage_ratio) == ("answered", None, 1.0)
    assert exchange.answer == f"{MOVED} {FIRED}"
    assert {source.span for source in exchange.sources} == {MOVED, FIRED}
    for source in exchange.sources:
        text = getattr(rows[source.source_id], "text", "")
        assert text[source.span_start : source.span_end] == source.span
    sent = {row_id for row_id, _ in present(exchange.prompt).evidence}
    assert {source.source_id for source in exchange.sources} <= sent
    assert (turn.session.total_exchanges, turn.session.answered, turn.session.last_interaction) == (1, 1, NOW)
    assert (turn.session.total_tokens, turn.session.revision) == (1100, 1)


@pytest.mark.requirement("s2:tool:sources-list", "s2:tool:coverage-note")
async def test_the_shown_answer_ends_with_numbered_sources_and_notes_a_low_coverage(tmp_path: Path) -> None:
    answer = f"{MOVED} {FIRED} It hums songs about Venice all night long."
    exchange = (await one_turn(tmp_path, scripted(quoting(MOVED, FIRED, answer=answer)))).exchange
    assert (exchange.status, len(exchange.sentences), exchange.cut[0].rung) == ("answered", 2, "unsupported")
    assert 0.6 <= exchange.coverage_ratio < 0.8
    shown = render_markdown(exchange)
    assert all(source.span in shown and source.source_id in shown for source in exchange.sources)
    assert f"{exchange.coverage_ratio:.0%}" in shown


@pytest.mark.requirement("ruling:D5", "ruling:D6", "promise:2")
async def test_a_memory_that_says_nothing_of_it_is_not_asked_about(tmp_path: Path) -> None:
    client = grounded()
    async with memory(tmp_path, client, told=KILN) as services:
        turn = await ask(services, UNTOLD)
        (kept,) = await stored(services)
    exchange = turn.exchange
    assert replace(kept, seq=0) == exchange
    assert (client.calls, exchange.status, exchange.reason) == (0, "refused", RefusalReason.NO_SOURCES)
    assert (exchange.cost_estimate, exchange.prompt_tokens, exchange.prompt_hash, exchange.attempts) == (0, 0, None, ())
    assert exchange.notes
    assert turn.session.refused == 1


@pytest.mark.requirement("ruling:D3", "ruling:D5", "ruling:D2", "ruling:D9", "promise:2", "s2:provider:gate")
@pytest.mark.parametrize(
    ("model", "told", "calls", "said"),
    [
        (scripted(quoting(MOVED)), (MOVED,), 1, "only 1 distinct source supports the answer"),
        (scripted(quoting(MOVED)), KILN, 1, "only 1 distinct source supports the answer"),
        (None, (MOVED,), 0, "only one note I found answers this"),
    ],
    ids=["all there is", "of several", "before anything is composed"],
)
async def test_one_source_is_too_few_and_is_shown_word_for_word(
    tmp_path: Path, model: ScriptedClient | None, told: tuple[str, ...], calls: int, said: str
) -> None:
    exchange = (await one_turn(tmp_path, model, told=told)).exchange
    assert (len(exchange.attempts), exchange.reason) == (calls, RefusalReason.TOO_FEW_SOURCES)
    assert [source.span for source in exchange.evidence_found] == [MOVED]
    assert exchange.sources == ()
    assert (exchange.notes or "").startswith(f"{said}, and your settings require 2; ")


UNGROUNDED = "Zanzibar hosts a secret kiln museum full of purple dragons and marble fountains."


@pytest.mark.requirement(
    "ruling:D6", "ruling:D9", "promise:2", "s2:test:refuse-ungrounded", "s2:provider:refusal-text", "s2:tool:refusal",
    "s2:checklist:citations-enforced", "ruling:A14",
)  # fmt: skip
@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (quoting(MOVED, FIRED, answer=UNGROUNDED), RefusalReason.COVERAGE_LOW),
        (wire(UNGROUNDED, ("S1", "The kiln is in Zanzibar now.")), RefusalReason.INVALID_CITATION),
        (wire(UNGROUNDED, ("S99", MOVED)), RefusalReason.INVALID_CITATION),
        (quoting(MOVED, FIRED, answer=MOVED.replace("moved", "did not move")), RefusalReason.COVERAGE_LOW),
        (wire("", refused=True, notes="I would rather not say Zanzibar."), RefusalReason.MODEL_REFUSED),
    ],
)  # fmt: skip
async def test_a_draft_that_does_not_hold_is_refused_and_nothing_of_it_remains(
    tmp_path: Path, model: Speak | str, reason: RefusalReason
) -> None:
    async with memory(tmp_path, scripted(model), settings=given(verifier=UNVERIFIED), told=KILN) as services:
        turn = await ask(services)
        (kept,) = await stored(services)
    exchange = turn.exchange
    assert (exchange.status, exchange.reason) == ("refused", reason)
    assert is_wordless_refusal(kept, "Zanzibar")
    assert exchange.confidence == 0.0
    assert all(sentence.text == "" for sentence in exchange.sentences)
    assert exchange.attempts[0].draft_hash is not None
    assert (exchange.prompt_tokens, exchange.cost_estimate) == (1000, 0)
    shown = render_markdown(exchange)
    assert shown.startswith(opening_of(reason))
    assert (exchange.notes or "missing").replace("; ", ". ").casefold() in shown.casefold()
    assert "Zanzibar" not in shown


@pytest.mark.requirement("ruling:D8", "s2:provider:strict-json", "ruling:A3", "ruling:D18")
async def test_a_misshapen_reply_is_asked_for_once_more_and_both_calls_are_metered(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    client = scripted("I think the answer is Zanzibar", GROUNDED, seen=seen)
    exchange = (await one_turn(tmp_path, client)).exchange
    assert (client.calls, exchange.status) == (2, "answered")
    assert [attempt.outcome for attempt in exchange.attempts] == ["malformed", "draft"]
    assert (exchange.prompt_tokens, exchange.completion_tokens) == (2000, 200)
    first, second = seen
    assert first.prompt in second.prompt
    assert "Zanzibar" not in second.prompt
    assert len(second.prompt) > len(first.prompt)


@pytest.mark.requirement("ruling:D6", "ruling:D8", "ruling:D9")
async def test_a_reply_that_stays_misshapen_is_refused_after_one_repair(tmp_path: Path) -> None:
    client = scripted('{"answer": "Zanzibar", ', "Zanzibar again", "never asked for")
    exchange = (await one_turn(tmp_path, client)).exchange
    assert (client.calls, exchange.reason) == (2, RefusalReason.MALFORMED)
    assert [attempt.outcome for attempt in exchange.attempts] == ["malformed", "malformed"]
    assert is_wordless_refusal(exchange, "Zanzibar")
    assert (exchange.prompt_tokens, "; ask again" in str(exchange.notes), "JSON" in str(exchange.notes)) == (2000, 1, 0)


@pytest.mark.requirement("s3:api:query")
async def test_what_is_no_question_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        for question in ("", " \n\t ", "\x00", "\u200b", "x" * 20_001):
            with pytest.raises(InvalidParams):
                await ask(services, question)
        assert await services.sessions.sessions(limit=10) == []


@pytest.mark.requirement("promise:7", "ruling:D10")
async def test_a_question_that_does_not_fit_the_prompt_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    client = grounded()
    settings = given(llm=LlmSettings(max_prompt_tokens=600))
    async with memory(tmp_path, client, settings=settings, told=KILN) as services:
        with pytest.raises(InvalidParams, match="too long"):
            await ask(services, f"{WHERE} {'Really? ' * 300}")
        assert (client.calls, await stored(services)) == (0, [])
