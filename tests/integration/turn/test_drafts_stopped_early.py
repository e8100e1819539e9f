"""A draft whose sources have decided is not written to its end."""

from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import (
    FIRED,
    GROUNDED,
    KILN,
    MOVED,
    PAID,
    USAGE,
    WHERE,
    Speak,
    given,
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
from voice.core.grounding.values import RefusalReason
from voice.core.session.turn_events import Event, Judged
from voice.core.settings.providers import LlmSettings
from voice.core.usage import Usage
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


@pytest.mark.requirement("stream:off")
async def test_switched_off_the_whole_draft_is_written_and_judged(tmp_path: Path) -> None:
    events: list[Event] = []
    client = scripted(_invented_id, profile=PAID, piece_chars=9)
    whole = given(llm=LlmSettings(stream=False))
    turn = await one_turn(tmp_path, client, tell=events.append, settings=whole)
    assert turn.exchange.reason is RefusalReason.INVALID_CITATION
    assert turn.exchange.attempts[0].usage == USAGE
    assert kinds(events) == ["understood", "retrieved", "asked", "judged", "refused", "done"]
