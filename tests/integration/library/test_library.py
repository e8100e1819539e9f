"""The door for programs."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import voice
from tables import tables
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts
from voice.core.errors import FeatureDisabled, InvalidParams
from voice.core.records import Scope
from voice.core.settings.parse import parse_settings
from voice.core.settings.values import Settings
from voice.entrypoints.library import Voice, settings_from_environment

TABLES = tables(__file__)

PARTS = Parts(embedder=HashedEmbedder(64))
ON = {"gate.enabled": True, "llm.provider": "extractive", "grounding.single_source": "green"}


def settings(**flags: object) -> Settings:
    return parse_settings({**ON, **flags}, {}, {}).settings


@pytest.mark.requirement("sessions:idempotency")
async def test_a_call_that_is_repeated_under_its_key_returns_the_first_turn(tmp_path: Path) -> None:
    async with Voice.open(settings(), tmp_path, parts=PARTS) as memory:
        await memory.remember("Moved the kiln to the shed.")
        first = await memory.ask("Where did I move the kiln?", idempotency_key="call 1")
        again = await memory.ask("Where did I move the kiln?", idempotency_key="call 1")
    assert (again.exchange.id, again.replayed, first.replayed) == (first.exchange.id, True, False)


async def test_remembers_asks_retrieves_and_reports(tmp_path: Path) -> None:
    async with Voice.open(settings(), tmp_path, parts=PARTS) as memory:
        report = await memory.remember(
            "Moved the kiln to the shed.", tags=["kiln"], at=datetime(2026, 3, 1, tzinfo=UTC)
        )
        turn = await memory.ask("Where did I move the kiln?")
        again = await memory.ask("Where did I move the kiln?", session=turn.session.id, stance="challenge")
        found = await memory.retrieve("kiln", top_k=3, include_tags=["kiln"])
        explained = await memory.explain("kiln", exclude_tags=("kiln",))
        spent = await memory.report(by="day")
        audit = await memory.sessions.audit(turn.session.id)
        (replayed,) = await memory.sessions.replay(turn.exchange.id)
    assert audit.is_grounded
    assert replayed.proof == "proven"
    assert len(report.stored) == 1
    assert turn.exchange.status == "answered"
    assert again.session.id == turn.session.id
    assert [snippet["text"] for snippet in found["snippets"]] == ["Moved the kiln to the shed."]
    assert explained["snippets"] == []
    assert spent.total.turns == 2


async def test_is_off_until_it_is_switched_on(tmp_path: Path) -> None:
    async with Voice.open(Settings(), tmp_path, parts=PARTS) as memory:
        await memory.remember("Moved the kiln.", logged=True)
        for call in (memory.ask("Where?"), memory.retrieve("kiln"), memory.explain("kiln"), memory.recall("kiln")):
            with pytest.raises(FeatureDisabled):
                await call


@pytest.mark.parametrize(("method", "said", "fault"), TABLES["a_parameter_of_another_kind_is_told_by_its_name"])
async def test_a_parameter_of_another_kind_is_told_by_its_name(
    tmp_path: Path, method: str, said: dict[str, object], fault: str
) -> None:
    needed: dict[str, dict[str, object]] = {
        "ask": {"question": "kiln"},
        "pin": {"target": "t:1", "reason": "read first"},
        "remember": {"content": "kiln"},
        "organise": {"content": "kiln"},
    }
    async with Voice.open(settings(), tmp_path, parts=PARTS) as memory:
        with pytest.raises(InvalidParams, match=fault):
            await getattr(memory, method)(**{**needed.get(method, {"query": "kiln"}), **said})


async def test_reads_the_settings_file_of_the_home_it_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "voice.toml").write_text('enabled = true\n[llm]\nprovider = "extractive"\n')
    monkeypatch.setenv("VOICE_HOME", str(tmp_path / "elsewhere"))
    async with Voice.open(home=tmp_path, parts=PARTS) as memory:
        assert memory.settings.gate.enabled
        assert memory.settings.llm.provider == "extractive"
    assert not settings_from_environment().gate.enabled


async def test_recalls_in_the_words_of_the_contract(tmp_path: Path) -> None:
    async with Voice.open(settings(), tmp_path, parts=PARTS) as memory:
        await memory.remember("Moved the kiln to the shed.")
        found = await memory.recall("kiln", scope=Scope.ALL, token_budget=100, now=datetime(2026, 4, 1, tzinfo=UTC))
    assert [one["entity"]["content"] for one in found["candidates"]] == ["Moved the kiln to the shed."]
    assert (found["provenance"]["tokenBudget"], found["provenance"]["now"]) == (100, "2026-04-01T00:00:00Z")


@pytest.mark.requirement("ruling:F.6")
async def test_a_thought_is_corrected_and_what_was_known_before_is_asked_for(tmp_path: Path) -> None:
    async with Voice.open(settings(), tmp_path, parts=PARTS) as memory:
        (row_id,) = (await memory.remember("Marta lives in Porto now.")).stored
        between = memory.services.clock.now()
        told = await memory.correct(row_id, "Marta lives in Lisbon now.", dry_run=True)
        done = await memory.correct(row_id, "Marta lives in Lisbon now.", reason="she moved")
        now = await memory.retrieve("Where does Marta live?", floor=0.0)
        then = await memory.retrieve("Where does Marta live?", floor=0.0, as_of=between)
        with pytest.raises(InvalidParams, match="row_id is not of the kind that correct takes"):
            await memory.correct(5)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InvalidParams, match="no time zone"):
            await memory.correct(done.row_id, since=datetime(2026, 1, 1))  # noqa: DTZ001 - what is refused
    assert (told.replaced, told.superseded) == (row_id, done.superseded)
    assert {snippet["text"] for snippet in now["snippets"]} == {"Marta lives in Lisbon now."}
    assert {snippet["text"] for snippet in then["snippets"]} == {"Marta lives in Porto now."}


def test_the_package_offers_it_by_name() -> None:
    assert voice.Voice is Voice
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = voice.nothing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
