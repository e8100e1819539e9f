"""A draft whose sources have decided is not written to its end."""

from dataclasses import replace
from pathlib import Path

import pytest

from held_models import trying_again
from played_turns import (
    FIRED,
    GROUNDED,
    KILN,
    MOVED,
    PAID,
    PRICE,
    USAGE,
    WHERE,
    Speak,
    given,
    grounded,
    is_wordless_refusal,
    memory,
    one_turn,
    scripted,
    sentence,
    sentences,
    stored,
    wire,
)
from present import present
from told_events import kinds
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import ProviderUnavailable
from voice.core.grounding.values import RefusalReason
from voice.core.session.budgets import charge_of
from voice.core.session.turn_events import Asked, Drafting, Event, Judged
from voice.core.settings.providers import LlmSettings
from voice.core.usage import Usage, worst_case_cost
from voice.ports.llm import LlmReply, LlmRequest
from voice.services.turn.ask import AskRequest

_LONG = f"{MOVED} " * 40


def _alias(request: LlmRequest) -> str:
    (alias,) = [row.alias for row in request.evidence if row.text == MOVED]
    return alias


def _invented_id(request: LlmRequest) -> str:
    alias = _alias(request)
    first, second = sentence(MOVED, (alias, MOVED)), sentence("canary.", (alias, MOVED), ("S99", "canary"))
    return sentences(first, second, sentence(_LONG, (alias, FIRED)))


def _invented_quotation(request: LlmRequest) -> str:
    return sentences(sentence("canary", (_alias(request), "canary words that stand nowhere")), sentence(_LONG))


def _in_one_answer(request: LlmRequest) -> str:
    return wire(_LONG, (_alias(request), MOVED), ("S99", "canary"))


def _one_source(request: LlmRequest) -> str:
    return sentences(sentence(MOVED, (_alias(request), MOVED)))


@pytest.mark.requirement("stream:early", "stream:saved", "ruling:D9")
@pytest.mark.parametrize("speak", [_invented_id, _invented_quotation, _in_one_answer])
async def test_a_draft_that_invents_a_citation_is_ended_there_and_kept_as_that_refusal(
    tmp_path: Path, speak: Speak
) -> None:
    events: list[Event] = []
    client = scripted(speak, profile=PAID, piece_chars=9)
    async with memory(tmp_path, client, told=KILN) as services:
        turn = await services.ask(AskRequest(question=WHERE, create=True), events.append)
        (kept,) = await stored(services)
    assert client.calls == 1
    assert kinds(events) == ["understood", "retrieved", "asked", "drafting", "judged", "refused", "done"]
    (judged,) = [event for event in events if isinstance(event, Judged)]
    reason = RefusalReason.INVALID_CITATION
    assert (judged.refused, judged.reason, judged.stopped, judged.rungs) == (True, reason, True, ())
    assert (kept.status, kept.reason) == ("refused", reason)
    assert is_wordless_refusal(turn.exchange, "canary")
    assert kept.evidence_found
    (attempt,) = kept.attempts
    assert 0 < (present(attempt.reckoned).output_tokens or 0) < 200


@pytest.mark.requirement("stream:early")
async def test_too_few_sources_are_told_at_the_end_since_another_sentence_may_cite_more(tmp_path: Path) -> None:
    kept = (await one_turn(tmp_path, scripted(_one_source, piece_chars=9))).exchange
    assert (kept.reason, kept.attempts[0].outcome) == (RefusalReason.TOO_FEW_SOURCES, "draft")


@pytest.mark.requirement("stream:saved", "ruling:D18")
async def test_what_was_not_reported_of_a_stopped_call_is_unknown_with_an_estimate_beside_it(tmp_path: Path) -> None:
    kept = (await one_turn(tmp_path, scripted(_invented_id, profile=PAID, piece_chars=9))).exchange
    (attempt,) = kept.attempts
    estimated = present(kept.prompt).prompt_tokens_estimated
    assert (attempt.outcome, attempt.usage) == ("stopped", Usage())
    assert (kept.cost_estimate, kept.completion_tokens) == (None, None)
    assert present(attempt.reckoned).input_tokens == estimated
    worst = worst_case_cost(estimated, LlmSettings().max_output_tokens, PRICE)
    assert charge_of(kept).at_worst == attempt.worst == worst


class _Reporting(ScriptedClient):
    """A model that reports as it goes, as Gemini does: what was sent, and what was written once it has counted it."""

    def __init__(self, written: int | None) -> None:
        super().__init__(_invented_id, profile=PAID, piece_chars=9)
        self._reported = Usage(input_tokens=900, output_tokens=written)

    async def complete(self, request: LlmRequest) -> LlmReply:
        return replace(await super().complete(request), usage=self._reported)


@pytest.mark.requirement("stream:saved", "ruling:D18")
async def test_what_was_reported_of_a_stopped_call_is_what_it_cost(tmp_path: Path) -> None:
    kept = (await one_turn(tmp_path, _Reporting(written=12))).exchange
    (attempt,) = kept.attempts
    assert (attempt.outcome, attempt.reckoned, kept.completion_tokens) == ("stopped", None, 12)
    assert kept.cost_estimate is not None


def _no_draft(request: LlmRequest) -> str:
    """Return a reply that names a source that was not sent, and then has not the shape of a draft."""
    return _invented_id(request).replace(f'"span": "{FIRED}"', '"spin": 7')


def _cut(request: LlmRequest) -> str:
    return _invented_id(request)[:-200]


@pytest.mark.requirement("stream:early-exception")
@pytest.mark.parametrize("reply", [_no_draft, _cut])
@pytest.mark.parametrize(("stream", "calls", "status"), [(True, 1, "refused"), (False, 2, "answered")])
async def test_what_would_have_been_no_draft_is_refused_where_it_is_ended_and_repaired_where_it_is_heard(
    tmp_path: Path, reply: object, *, stream: bool, calls: int, status: str
) -> None:
    client = scripted(reply, GROUNDED, profile=PAID, piece_chars=9)  # pyright: ignore[reportArgumentType]
    kept = (await one_turn(tmp_path, client, settings=given(llm=LlmSettings(stream=stream)))).exchange
    assert (client.calls, kept.status) == (calls, status)
    assert kept.reason is (RefusalReason.INVALID_CITATION if stream else None)


@pytest.mark.requirement("stream:saved", "ruling:D18")
async def test_of_a_stopped_call_whose_output_is_not_counted_the_input_is_known_and_the_rest_reckoned(
    tmp_path: Path,
) -> None:
    kept = (await one_turn(tmp_path, _Reporting(written=None))).exchange
    (attempt,) = kept.attempts
    reckoned = present(attempt.reckoned)
    assert (attempt.usage.input_tokens, attempt.usage.output_tokens, kept.cost_estimate) == (900, None, None)
    assert (reckoned.input_tokens, bool(reckoned.output_tokens)) == (900, True)


@pytest.mark.requirement("stream:off")
async def test_switched_off_the_whole_draft_is_written_and_judged(tmp_path: Path) -> None:
    events: list[Event] = []
    client = scripted(_invented_id, profile=PAID, piece_chars=9)
    whole = given(llm=LlmSettings(stream=False))
    turn = await one_turn(tmp_path, client, tell=events.append, settings=whole)
    assert turn.exchange.reason is RefusalReason.INVALID_CITATION
    assert turn.exchange.attempts[0].usage == USAGE
    assert kinds(events) == ["understood", "retrieved", "asked", "judged", "refused", "done"]


@pytest.mark.requirement("stream:early")
async def test_a_draft_that_is_all_there_is_judged_whole(tmp_path: Path) -> None:
    """Nothing is left to save, and the judgement on the whole knows more."""
    kept = (await one_turn(tmp_path, scripted(_invented_id, piece_chars=100_000))).exchange
    assert (kept.attempts[0].outcome, kept.reason) == ("draft", RefusalReason.INVALID_CITATION)
    assert kept.sentences


async def test_a_good_draft_comes_in_pieces_to_its_end(tmp_path: Path) -> None:
    kept = (await one_turn(tmp_path, grounded(piece_chars=3))).exchange
    assert (kept.status, kept.attempts[0].usage) == ("answered", USAGE)


@pytest.mark.requirement("stream:early", "ruling:D8")
async def test_a_reply_of_the_wrong_shape_gets_its_repair_and_the_repair_can_be_ended(tmp_path: Path) -> None:
    events: list[Event] = []
    client = scripted('{"sentences": "none", "answer"', _invented_id, piece_chars=5)
    turn = await one_turn(tmp_path, client, tell=events.append)
    assert [attempt.outcome for attempt in turn.exchange.attempts] == ["malformed", "stopped"]
    assert {event.attempt for event in events if isinstance(event, Drafting)} == {2}
    assert turn.exchange.reason is RefusalReason.INVALID_CITATION


class _CutOff(ScriptedClient):
    """A model whose first reply breaks off when half of it has come."""

    async def complete(self, request: LlmRequest) -> LlmReply:
        if self.calls == 0:
            self.calls += 1
            assert request.on_text is not None
            request.on_text('{"sentences": [{"sources": [{"source_id": "S1", "span": "half')
            raise ProviderUnavailable("the connection was cut")
        return await super().complete(request)


@pytest.mark.requirement("stream:early", "ruling:D25")
async def test_a_try_after_a_cut_stream_is_heard_from_its_beginning(tmp_path: Path) -> None:
    events: list[Event] = []
    client = trying_again(_CutOff(GROUNDED, piece_chars=4))
    turn = await one_turn(tmp_path, client, tell=events.append)
    assert turn.exchange.status == "answered"
    assert [event.attempt for event in events if isinstance(event, Asked)] == [1, 2]
    assert {event.attempt for event in events if isinstance(event, Drafting)} == {2}
