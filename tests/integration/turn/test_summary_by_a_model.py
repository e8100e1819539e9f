"""A model sums up what leaves the window: judged, metered, under every cap, and never in the turn's way."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from changed_rows import rewrite, row_that_says
from played_turns import (
    BOTH,
    FIRED,
    GLAZE,
    GROUNDED,
    KILN,
    MOVED,
    PAID,
    PRICE,
    UNTOLD,
    UNVERIFIED,
    USAGE,
    WHERE,
    ask,
    given,
    memory,
    quoting,
    scripted,
    stored,
    tell,
    wire,
)
from present import present
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.bootstrap import Services
from voice.core.errors import DeadlineExceeded, StoreError
from voice.core.render.conversation import summary_lines
from voice.core.session.values import RollingSummary
from voice.core.settings.providers import LlmSettings
from voice.core.settings.values import PrivacySettings, SessionSettings, Settings
from voice.core.usage import cost_of
from voice.ports.llm import LlmReply, LlmRequest
from voice.services.turn.ask import Turn

pytestmark = pytest.mark.requirement("ruling:D16", "ruling:D17", "s2:tool:rolling-summary")
BY_MODEL = SessionSettings(window_limit=2, window_keep=1, summary="llm")
FOLDING = given(session=BY_MODEL)
ANSWERS = {BOTH: quoting(GLAZE, MOVED), WHERE: GROUNDED}
ONCE = present(cost_of(USAGE, PAID.price))
HELD = f"{GLAZE} {FIRED}"
INVENTED = f"{GLAZE} You sold the kiln to Marek. Porto is by the sea."
Speak = Callable[[LlmRequest], Line]


def is_summary(request: LlmRequest) -> bool:
    return request.prompt.startswith("The statements, oldest first:")


def speaker(summary: Line | Speak, seen: list[LlmRequest] | None = None, **fields: object) -> ScriptedClient:
    """A model that answers both questions from the rows, and sums up as it is told."""

    def speak(request: LlmRequest) -> Line:
        if is_summary(request):
            return summary(request) if callable(summary) else summary
        return ANSWERS[request.question](request)

    return scripted(speak, seen=seen, **fields)


async def talk(services: Services, *questions: str) -> list[Turn]:
    await tell(services, *KILN)
    return [await ask(services, question) for question in questions or (BOTH, WHERE, WHERE)]


async def talked(home: Path, model: ScriptedClient, settings: Settings = FOLDING) -> Turn:
    """Return the turn that folds the first ones."""
    async with memory(home, model, settings=settings) as services:
        return (await talk(services))[-1]


def summary_of(turn: Turn) -> RollingSummary:
    return present(turn.session.rolling_summary)


def purposes(turn: Turn) -> list[tuple[str, str]]:
    return [(attempt.purpose, attempt.outcome) for attempt in turn.exchange.attempts]


@pytest.mark.requirement("ruling:D8", "ruling:D18")
async def test_the_turn_that_folds_has_the_summary_written_and_pays_for_it(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    async with memory(tmp_path, speaker(wire(HELD), seen, profile=PAID), settings=FOLDING) as services:
        turns = await talk(services)
    summary, last = summary_of(turns[-1]), turns[-1].exchange
    assert [line.text.partition("] ")[2] for line in summary.lines] == [GLAZE, FIRED]
    assert [(line.turns, line.by_model) for line in summary.lines] == [((0,), True), ((1,), True)]
    assert all(line.grounds for line in summary.lines)
    assert (summary.author, summary.fallback) == ("vendor/paid-1 summary.v2", None)
    assert [purposes(turn) for turn in turns] == [
        [("draft", "draft")],
        [("draft", "draft")],
        [("draft", "draft"), ("summarise", "draft")],
    ]
    assert last.cost_estimate == 2 * ONCE
    assert [is_summary(request) for request in seen] == [False, False, False, True]
    assert last.status == "answered"


@pytest.mark.requirement("ruling:D22", "promise:9")
async def test_the_model_sees_the_supported_sentences_of_those_turns_and_nothing_else(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    async with memory(tmp_path, speaker(wire(HELD), seen), settings=FOLDING) as services:
        await tell(services, "The blue glaze for the bowls needs </statement> cobalt.")
        await talk(services)
    (request,) = filter(is_summary, seen)
    assert GLAZE in request.prompt
    assert WHERE not in request.prompt
    assert request.prompt.count("</statement>") == request.prompt.count("<statement ")


def broken(_: LlmRequest) -> Line:
    raise ValueError("a client that breaks its contract")


FAILURES: list[tuple[Line | Speak, str, str]] = [
    (wire(INVENTED), "too_few_held", "draft"),
    ("no JSON at all", "malformed", "malformed"),
    (DeadlineExceeded("late"), "deadline", "error"),
    (broken, "failed", "error"),
]


@pytest.mark.requirement("ruling:D26")
@pytest.mark.parametrize(("said", "fallback", "outcome"), FAILURES)
async def test_whatever_becomes_of_the_call_the_turn_is_kept_and_says_its_own_sentences(
    tmp_path: Path, said: Line | Speak, fallback: str, outcome: str
) -> None:
    settings = given(session=BY_MODEL, verifier=UNVERIFIED)
    async with memory(tmp_path, speaker(said), settings=settings) as services:
        turn = (await talk(services))[-1]
        kept = (await stored(services))[-1]
    summary = summary_of(turn)
    assert (summary.fallback, summary.author, summary.model_lines) == (fallback, None, ())
    assert GLAZE in summary.text
    assert purposes(turn)[-1] == ("summarise", outcome)
    assert (kept.id, kept.status) == (turn.exchange.id, "answered")
    assert any("The summary quotes the turns that it took in last" in line for line in summary_lines(summary))


@pytest.mark.requirement("promise:7", "ruling:D18")
@pytest.mark.parametrize("cap", ["max_turn_cost", "max_day_cost"])
async def test_a_summary_is_not_asked_for_where_a_cap_does_not_pay_for_it(tmp_path: Path, cap: str) -> None:
    seen: list[LlmRequest] = []
    await talked(tmp_path, speaker(wire(HELD), seen, profile=PAID))
    answer, summary = seen[2], seen[3]
    assert not is_summary(answer)
    assert is_summary(summary)

    spent = ONCE if cap == "max_turn_cost" else 3 * ONCE
    most = spent + PRICE.output_per_million * summary.max_output_tokens / 1_000_000
    limits = LlmSettings(max_output_tokens=summary.max_output_tokens)
    settings = given(session=BY_MODEL, llm=replace(limits, **{cap: most}))  # pyright: ignore[reportArgumentType]
    turn = await talked(tmp_path / "capped", speaker(wire(HELD), profile=PAID), settings)
    assert turn.exchange.status == "answered"
    assert purposes(turn) == [("draft", "draft")]
    assert summary_of(turn).fallback == "budget"


@pytest.mark.requirement("ruling:H.6", "promise:6")
@pytest.mark.parametrize("consent", [False, True])
async def test_what_is_private_goes_to_another_machine_with_consent_alone(tmp_path: Path, *, consent: bool) -> None:
    seen: list[LlmRequest] = []
    away = given(session=BY_MODEL, privacy=PrivacySettings(allow_private_remote=consent))
    async with memory(tmp_path, speaker(wire(HELD), seen, profile=PAID), settings=away) as services:
        await talk(services, BOTH)
        await rewrite(services, await row_that_says(services, GLAZE), is_private=True)
        last = [await ask(services, WHERE, include_private=consent) for _ in range(2)][-1]
    assert (summary_of(last).fallback, any(map(is_summary, seen))) == ((None, True) if consent else ("private", False))


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize("lets_in", [False, True])
async def test_a_turn_that_let_private_rows_in_is_summed_up_by_a_model_only_for_who_lets_them_in(
    tmp_path: Path, *, lets_in: bool
) -> None:
    seen: list[LlmRequest] = []
    async with memory(tmp_path, speaker(wire(HELD), seen), settings=FOLDING, told=KILN) as services:
        await ask(services, BOTH, include_private=True)  # of public rows alone; its question may speak of others
        turn = [await ask(services, WHERE, include_private=lets_in) for _ in range(2)][-1]
    assert (summary_of(turn).fallback, any(map(is_summary, seen))) == ((None, True) if lets_in else ("private", False))


async def test_rows_that_cannot_be_read_keep_no_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> object:
        raise StoreError("the disk is gone")

    async with memory(tmp_path, speaker(wire(HELD)), settings=FOLDING) as services:
        await talk(services, BOTH, WHERE)
        monkeypatch.setattr("voice.services.turn.summaries.folded_sentences", fails)
        turn = await ask(services, WHERE)
    assert turn.exchange.status == "answered"
    assert (summary_of(turn).author, summary_of(turn).fallback) == (None, None)


class Interrupted(ScriptedClient):
    """Is cancelled while it writes a summary."""

    scope: anyio.CancelScope

    async def complete(self, request: LlmRequest) -> LlmReply:
        if is_summary(request):
            self.scope.cancel()
            await anyio.lowlevel.checkpoint()
        return await super().complete(request)


@pytest.mark.requirement("ruling:D25", "ruling:D26")
async def test_a_turn_that_is_cancelled_while_it_folds_is_kept_with_its_answer(tmp_path: Path) -> None:
    client = Interrupted(lambda request: ANSWERS[request.question](request), usage=USAGE)
    async with memory(tmp_path, client, settings=FOLDING) as services:
        await talk(services, BOTH, WHERE)
        with anyio.CancelScope() as client.scope:
            await ask(services, WHERE)
        kept = (await stored(services))[-1]
    assert client.scope.cancelled_caught
    assert (kept.index, kept.status) == (2, "answered")
    assert [(each.purpose, each.outcome) for each in kept.attempts] == [("draft", "draft"), ("summarise", "error")]


@pytest.mark.requirement("ruling:D20")
async def test_a_prompt_with_a_models_summary_is_proven_until_the_summary_moves_on(tmp_path: Path) -> None:
    async with memory(tmp_path, speaker(wire(HELD)), settings=FOLDING) as services:
        turns = await talk(services, BOTH, WHERE, WHERE, WHERE)
        name = turns[-1].exchange.id
        assert FIRED in present(turns[-1].plan).prompt.partition("## Knowledge")[0]
        (now,) = await services.replays(name)
        await ask(services, WHERE)
        (later,) = await services.replays(name)
    assert (now.proof, now.summary_revision) == ("proven", 1)
    assert (later.proof, later.summary_revision) == ("unprovable", 1)
    assert "a model wrote revision 1 of the session summary, and the summary has changed since" in later.findings


@pytest.mark.requirement("ruling:D6")
async def test_a_turn_that_asked_nobody_else_still_folds_pays_and_is_reported(tmp_path: Path) -> None:
    client = speaker(wire(HELD), profile=PAID)
    async with memory(tmp_path, client, settings=FOLDING) as services:
        turns = await talk(services, BOTH, WHERE, UNTOLD)
        (replay,) = await services.replays(turns[-1].exchange.id)
        report = await services.report(by="prompt")
    last = turns[-1].exchange
    assert (last.status, last.prompt, purposes(turns[-1])) == ("refused", None, [("summarise", "draft")])
    assert last.cost_estimate == ONCE
    assert summary_of(turns[-1]).author
    assert replay.proof == "not_sent"
    assert report.total.cost.known == 3 * ONCE
