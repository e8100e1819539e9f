"""Prompts rebuilt from what is stored, and proven to be what was sent, or not."""

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from changed_rows import corrected, redacted_behind, removed, row_that_says
from played_turns import FIRED, KILN, NOW, UNVERIFIED, ask, given, grounded, memory, scripted, stored, wire
from present import present
from stored_turns import keep_copies, keep_more
from tables import tables
from voice.adapters.files.prompts import load_prompts
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.context.prompt_proof import Proof, Replay
from voice.core.context.prompt_templates import PromptTemplate, parse_template
from voice.core.grounding.values import Conflict, Evidence, Stance
from voice.core.settings.providers import LlmSettings
from voice.core.settings.values import SessionSettings, TimeSettings
from voice.core.token_estimates import ESTIMATE, first_estimate, second_estimate
from voice.ports.llm import LlmRequest
from voice.services.turn.ask import Turn

TABLES = tables(__file__)
_EDGES = 20
"""What the parts of a prompt are estimated at together above the whole."""

pytestmark = pytest.mark.requirement("ruling:D20")


async def replayed(services: Services) -> Replay:
    *_, newest = await stored(services)
    (one,) = await services.replays(newest.id)
    return one


async def recorded_as(services: Services, turn: Turn, **fields: object) -> Replay:
    """Store the turn once more with another record of its prompt, and return that one's replay."""
    record = replace(present(turn.exchange.prompt), **fields)  # pyright: ignore[reportArgumentType]
    other = replace(turn.exchange, id="x:other", index=1, prompt=record, timestamp=NOW + timedelta(hours=1))
    await keep_more(services, turn.session, other)
    (one,) = await services.replays("x:other")
    return one


def proofs(replays: tuple[Replay, ...]) -> list[Proof]:
    return [one.proof for one in replays]


async def test_every_prompt_of_a_long_conversation_is_proven_also_after_it_was_folded(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    clock = FixedClock(NOW)
    settings = given(
        session=SessionSettings(window_limit=3, window_keep=1), time=TimeSettings(timezone="America/Los_Angeles")
    )
    async with memory(tmp_path, grounded(seen), settings=settings, clock=clock, told=KILN) as services:
        for _ in range(12):
            await ask(services)
            clock.advance(timedelta(hours=7))
        kept = await stored(services)
        replays = await services.replays(kept[0].session_id)
    assert proofs(replays) == ["proven"] * 12
    assert [one.prompt for one in replays] == [request.prompt for request in seen]
    revisions = [each.prompt.summary_revision for each in kept if each.prompt]
    assert len(set(revisions)) > 3, "the summary moved on several times"


@pytest.mark.parametrize("pairs", [(), ((1, 0),)])
async def test_a_note_on_rows_that_disagree_is_proven_although_it_was_found_by_rules_that_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pairs: tuple[tuple[int, int], ...]
) -> None:
    earlier = tuple(template for template in load_prompts() if template.version <= 2)

    def of_then(rows: Sequence[Evidence], now: datetime | None) -> tuple[Conflict, ...]:
        found = ((rows[one], rows[other]) for one, other in pairs if len(rows) > 1)
        return tuple(Conflict(earlier=one, later=other) for one, other in found)

    with monkeypatch.context() as then:
        then.setattr("voice.core.context.build.conflicts_among", of_then)
        then.setattr("voice.wiring.asking.load_prompts", lambda: earlier)
        async with memory(tmp_path, grounded(), settings=given(verifier=UNVERIFIED), told=KILN) as services:
            turn = await ask(services)
            then.undo()
            one = await replayed(services)
    assert present(turn.exchange.prompt).template == "answer.v2"
    assert one.proof == "proven"
    assert (one.prompt or "").count("<note>") == len(pairs)


async def test_a_repair_is_proven_with_the_prompt_it_repeats(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted("no json at all", wire("")), told=KILN) as services:
        await ask(services, stance=Stance.CHALLENGE)
        one = await replayed(services)
    assert one.proof == "proven"
    assert "no json" not in f"{one.prompt}"


async def test_a_prompt_that_repeated_what_was_redacted_since_is_not_rebuilt(tmp_path: Path) -> None:
    settings = given(session=SessionSettings(window_limit=2, window_keep=1))
    async with memory(tmp_path, grounded(), settings=settings, told=KILN) as services:
        for _ in range(4):
            await ask(services)
        kept = await stored(services)
        assert proofs(await services.replays(kept[0].session_id)) == ["proven"] * 4
        await redacted_behind(services)
        *_, last = await services.replays(kept[0].session_id)
    assert (last.proof, last.prompt) == ("unprovable", None)
    repeated = [finding for finding in last.findings if "rests on a row that was redacted" in finding]
    assert {each.id for each in kept[:-1]} == {finding.split()[2] for finding in repeated}


@pytest.mark.parametrize(
    ("change", "became"), [(corrected, "changed"), (removed, "removed"), (redacted_behind, "redacted")]
)
async def test_a_prompt_is_unprovable_once_an_input_is_gone_or_another(
    tmp_path: Path, change: Callable[[Services], object], became: str
) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        await ask(services)
        row = await row_that_says(services, FIRED)
        await change(services)  # pyright: ignore[reportGeneralTypeIssues]
        one = await replayed(services)
    assert (one.proof, one.findings, one.prompt) == ("unprovable", (f"{row.id} was {became}",), None)


async def test_another_key_proves_nothing(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services)
        (one,) = await replace(services.replays, key=bytes(32))(turn.exchange.id)
    assert one.proof == "unprovable"
    assert "key" in one.findings[0]


def edited_prompt(template: PromptTemplate) -> PromptTemplate:
    text = template.text.replace("one person", "another person")
    return parse_template(text, file_name=f"{template.label}.md")


async def test_an_edited_prompt_file_differs_and_a_missing_one_proves_nothing(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services)
        prompts = tuple(map(edited_prompt, services.replays.prompts))
        (other,) = await replace(services.replays, prompts=prompts)(turn.exchange.id)
        (none,) = await replace(services.replays, prompts=())(turn.exchange.id)
    label = present(turn.exchange.prompt).template
    assert (other.proof, other.findings) == ("differs", (f"the prompt file {label} was edited since",))
    assert none.proof == "unprovable"
    assert label in none.findings[0]


async def test_what_a_record_does_not_hold_is_said(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        bare: dict[str, object] = {"now": None, "rendering": (), "window_exchange_ids": ("x:gone",)}
        one = await recorded_as(services, await ask(services), **bare, summary_revision=9)
    assert one.proof == "unprovable"
    told = " ".join(one.findings)
    assert all(word in told for word in ("moment", "budget", "x:gone", "summary"))


@pytest.mark.parametrize(
    ("fields", "proof", "finding"),
    [
        ({"prompt_hash": "0" * 64}, "differs", "how its parts were put together"),
        ({"prompt_hash": "0" * 64, "parts": ()}, "unprovable", "voice cannot say what differs"),
        ({"parts": (), "view": None, "summary_through": None}, "proven", ""),
        ({"now": NOW + timedelta(days=1)}, "differs", "the day it was asked on"),
        ({"rendering": (("budget", "40"), ("stance", "synthesize"))}, "differs", "token budget"),
    ],
)
async def test_a_record_that_says_something_else_is_found_out(
    tmp_path: Path, fields: dict[str, object], proof: Proof, finding: str
) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        one = await recorded_as(services, await ask(services), **fields)
    assert one.proof == proof
    assert finding in " ".join(one.findings)


@pytest.mark.parametrize(
    ("fields", "rendering", "finding"), TABLES["whatever_a_record_from_elsewhere_says_it_is_replayed"]
)
async def test_whatever_a_record_from_elsewhere_says_it_is_replayed(
    tmp_path: Path, fields: dict[str, object], rendering: dict[str, str] | None, finding: str
) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services)
        shaped = {} if rendering is None else {"rendering": tuple(rendering.items())}
        one = await recorded_as(services, turn, **fields, **shaped)
        assert (one.proof, finding in one.findings) == ("unprovable", True)
        assert proofs(await services.replays(turn.session.id)) == ["proven", "unprovable"]
        await services.audit(turn.session.id)


@pytest.mark.requirement("ruling:D20")
@pytest.mark.parametrize(
    ("fitted", "version", "proof"),
    [
        (first_estimate, (), "proven"),
        (second_estimate, (("estimate", "2"),), "proven"),
        (second_estimate, (("estimate", ESTIMATE),), "differs"),
    ],
)
async def test_a_prompt_is_rebuilt_by_the_estimate_that_it_was_fitted_with(
    tmp_path: Path, fitted: Callable[[str], int], version: tuple[tuple[str, str], ...], proof: Proof
) -> None:
    """Earlier estimates found fewer tokens, and the first kept no version: their prompts are fuller than today's."""
    seen: list[LlmRequest] = []
    key = "".join(random.Random(7).choices("bcdfghjklmnpqrstvwxz", k=120))
    async with memory(tmp_path, grounded(seen), told=(*KILN, f"The kiln has the key {key}.")) as services:
        turn = await ask(services)
        tight = fitted(seen[0].system) + fitted(seen[0].prompt) + _EDGES
        one = await recorded_as(services, turn, rendering=(("budget", str(tight)), *version, ("stance", "synthesize")))
    assert one.proof == proof


async def calls_of_a_replay(root: Path, total: int) -> int:
    """Return how many functions are called to replay a session of so many turns."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    settings = given(llm=LlmSettings(max_prompt_tokens=1440))
    async with memory(root, grounded(), settings=settings, told=KILN) as services:
        turn = await ask(services)
        await keep_copies(services, turn, total, summed=True)
        await services.replays(turn.session.id)  # loads what is loaded once
        sys.setprofile(count)
        try:
            assert len(await services.replays(turn.session.id)) == total
        finally:
            sys.setprofile(None)
    return calls


async def test_the_work_of_a_replay_grows_with_the_turns_and_not_with_their_square(tmp_path: Path) -> None:
    few, some, many = [await calls_of_a_replay(tmp_path / str(total), total) for total in (20, 40, 80)]
    assert many - some < 3 * (some - few)


def test_a_rebuilt_prompt_is_in_no_repr() -> None:
    one = Replay(
        exchange_id="x:1", session_id="s:1", index=0, timestamp=NOW, is_private=False, proof="proven", prompt="SECRET"
    )
    assert "SECRET" not in repr(one)
    assert "proven" in repr(one)
