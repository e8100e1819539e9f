"""The door for programs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import voice
from tables import tables
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import FixedClock
from voice.adapters.verifiers import make_verifier
from voice.bootstrap import Parts
from voice.core.errors import CapsuleClosed, FeatureDisabled, InvalidParams, UnknownId
from voice.core.grounding.check import Fact
from voice.core.recall.capsules import NewSummary
from voice.core.records import Scope
from voice.core.settings.parse import parse_settings
from voice.core.settings.values import Settings
from voice.entrypoints.library import Voice, settings_from_environment
from voice.testing.verifiers import context

TABLES = tables(__file__)

PARTS = Parts(embedder=HashedEmbedder(64))
ON = {"gate.enabled": True, "llm.provider": "extractive", "grounding.single_source": "green"}
WHERE = "Where did I move the kiln?"
REPO = Scope(repo_id="/home/ann/kiln")
NOW = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
ADA = "Ada Lund works at Kiln Co in Porto."


def settings(**env: str) -> Settings:
    return parse_settings(ON, env, {}).settings


@pytest.mark.requirement("sessions:idempotency")
async def test_remembers_asks_retrieves_and_reports(tmp_path: Path) -> None:
    async with Voice.open(settings(), tmp_path, parts=PARTS) as memory:
        report = await memory.remember(
            "Moved the kiln to the shed.", tags=["kiln"], at=datetime(2026, 3, 1, tzinfo=UTC)
        )
        turn = await memory.ask(WHERE, idempotency_key="call 1")
        repeated = await memory.ask(WHERE, idempotency_key="call 1")
        again = await memory.ask(WHERE, session=turn.session.id, stance="challenge")
        found = await memory.retrieve("kiln", top_k=3, include_tags=["kiln"])
        explained = await memory.explain("kiln", exclude_tags=("kiln",))
        recalled = await memory.recall("kiln", scope=Scope.ALL, token_budget=100)
        spent = await memory.report(by="day")
        audit = await memory.sessions.audit(turn.session.id)
        (replayed, _) = await memory.sessions.replay(turn.session.id)
    assert (audit.is_grounded, replayed.proof, len(report.stored)) == (True, "proven", 1)
    assert (turn.exchange.status, turn.replayed) == ("answered", False)
    assert (repeated.exchange.id, repeated.replayed, again.session.id) == (turn.exchange.id, True, turn.session.id)
    assert [snippet["text"] for snippet in found["snippets"]] == ["Moved the kiln to the shed."]
    assert explained["snippets"] == []
    assert [one["entity"]["content"] for one in recalled["candidates"]] == ["Moved the kiln to the shed."]
    assert spent.total.turns == 2


@pytest.mark.requirement("ruling:A8")
async def test_is_off_until_it_is_switched_on(tmp_path: Path) -> None:
    async with Voice.open(Settings(), tmp_path, parts=PARTS) as memory:
        await memory.remember("Moved the kiln.", logged=True)
        for call in (memory.ask("Where?"), memory.retrieve("kiln"), memory.recall("kiln"), memory.organise("kiln")):
            with pytest.raises(FeatureDisabled):
                await call


async def test_a_parameter_of_another_kind_is_told_by_its_name(tmp_path: Path) -> None:
    needed: dict[str, dict[str, object]] = {
        "ask": {"question": "kiln"},
        "pin": {"target": "t:1", "reason": "read first"},
        "remember": {"content": "kiln"},
        "organise": {"content": "kiln"},
    }
    async with Voice.open(settings(), tmp_path, parts=PARTS) as memory:
        for method, said, fault in TABLES["a_parameter_of_another_kind_is_told_by_its_name"]:
            with pytest.raises(InvalidParams, match=fault):
                await getattr(memory, method)(**{**needed.get(method, {"query": "kiln"}), **said})


async def test_reads_the_settings_file_of_the_home_it_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "voice.toml").write_text('enabled = true\n[llm]\nprovider = "extractive"\n')
    monkeypatch.setenv("VOICE_HOME", str(tmp_path / "elsewhere"))
    async with Voice.open(home=tmp_path, parts=PARTS) as memory:
        assert memory.settings.gate.enabled
        assert memory.settings.llm.provider == "extractive"
    assert not settings_from_environment().gate.enabled


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


@pytest.mark.requirement("sessions:lifecycle", "sessions:fork")
async def test_a_conversation_lives_and_goes(tmp_path: Path) -> None:
    async with Voice.open(settings(), tmp_path, parts=PARTS) as memory:
        await memory.remember("Moved the kiln to the shed.")
        first = await memory.ask(WHERE, new_topic="kiln")
        await memory.ask(WHERE, session="kiln")
        sessions = memory.sessions
        forked = await sessions.fork("kiln", at=1, topic="fork")
        await memory.ask(WHERE, session=forked.id)
        difference = await sessions.diff("kiln", "fork")
        assert (difference.shared, len(difference.pairs)) == (1, 1)
        session, turns = await sessions.show("fork")
        assert (session.own_from, [turn.session_id for turn in turns]) == (1, [first.session.id, forked.id])
        assert (await sessions.rename("fork", "branch")).thread_topic == "branch"
        assert (await sessions.close("branch")).status == "closed"
        assert (await sessions.reopen("branch")).status == "open"
        assert (await sessions.set_topic("branch", "resolved")).topic_status == "resolved"
        assert [each.thread_topic for each in await sessions.list(topic_status="resolved")] == ["branch"]
        with pytest.raises(InvalidParams, match=r"you can only delete them together$"):
            await sessions.delete("kiln")
        assert (await sessions.delete("kiln", with_forks=True, dry_run=True)).turns == 3
        assert (await sessions.delete("kiln", with_forks=True)).turns == 3
        assert await sessions.list() == []
        with pytest.raises(UnknownId, match="was deleted"):
            await sessions.show(first.session.id)


async def test_a_program_pins_and_works_in_a_capsule(tmp_path: Path) -> None:
    async with Voice.open(Settings(), tmp_path, parts=PARTS) as memory:
        (row,) = (await memory.remember("Moved the kiln to the shed.", scope=REPO)).stored
        pin = await memory.pin(row, "read first", lifetime=timedelta(days=7))
        assert (pin.scope, pin.expires_at) == (REPO, pin.created_at + timedelta(days=7))
        assert [view.pin for view in await memory.pins()] == [pin]
        assert await memory.pins(scope=Scope(repo_id="other")) == ()
        assert [await memory.unpin(row), await memory.unpin(row)] == [[pin.id], []]
        capsule = await memory.open_capsule("mend the kiln", scope=REPO)
        report = await memory.remember("kiln --test", kind="tool_call", logged=True, capsule=capsule.id)
        closed = await memory.close_capsule(capsule.id, NewSummary(content="It fires again.", confidence=0.9))
        assert closed.summary is not None
        assert (closed.status, closed.summary.evidence_refs) == ("closed", report.stored)
        with pytest.raises(CapsuleClosed):
            await memory.remember("Too late.", capsule=capsule.id)
        with pytest.raises(InvalidParams):
            await memory.remember("Where?", capsule=capsule.id, scope=REPO)


@pytest.mark.requirement("ruling:F.9", "s1:config:SURR_ARCHIVE_DIR", "s1:config:SURR_RETENTION_DAYS")
async def test_a_program_marks_archives_takes_away_and_brings_back(tmp_path: Path) -> None:
    given = settings(SURR_RETENTION_DAYS="7", SURR_ARCHIVE_DIR=str(tmp_path / "kept apart"))

    def parts(**later: float) -> Parts:
        return Parts(embedder=HashedEmbedder(64), clock=FixedClock(NOW + timedelta(**later)))

    async with Voice.open(given, tmp_path / "home", parts=parts()) as memory:
        (kiln,) = (await memory.remember("Moved the kiln to the shed.")).stored
        assert (await memory.removals.mark([kiln])).changed == (kiln,)
        assert (await memory.removals.unmark([kiln])).changed == (kiln,)
        await memory.removals.mark([kiln])
        (report,) = (await memory.removals.export(form="jsonl")).reports
        assert Path(report.path).parent == tmp_path / "kept apart"
        assert (await memory.removals.finalise(apply=True)).gone == ()
    async with Voice.open(given, tmp_path / "home", parts=parts(days=7)) as memory:
        assert [each.thought.id for each in (await memory.removals.list()).ready] == [kiln]
        assert not (await memory.removals.finalise()).applied
        assert (await memory.removals.finalise(apply=True)).gone == (kiln,)
        assert (await memory.removals.fate([kiln]))[kiln].reason == "finalised"
        assert (await memory.removals.restore(report.path)).thoughts == (kiln,)


@pytest.mark.requirement("s1:outcome:answer", "s1:param:content", "ruling:A21")
async def test_a_program_organises_by_the_tools_own_parameters(tmp_path: Path) -> None:
    async with Voice.open(settings(), tmp_path, parts=Parts(embedder=HashedEmbedder(128))) as memory:
        await memory.remember(ADA)
        assert await memory.services.review.moderation.candidates.count() == 4
        found = await memory.organise("Who works at Kiln Co?", sim_thresh=0.1, stage_kg=True, save=False)
        assert (found.synthesized_answer, found.saved_thought_id, found.pending_entities) == (ADA, None, 3)


@pytest.mark.requirement("grounding:check:alone")
async def test_an_answer_is_checked_with_no_memory_open_and_by_a_verifier_that_is_handed_in() -> None:
    facts = ["The kiln is in the shed.", {"text": "It cost 41 euros."}, Fact(text="Ida moved.", id="c")]
    checked = await Voice.check("The kiln is in the shed [1]. Ida moved [c]. It cost 42 euros [2].", facts)
    assert [claim.rung for claim in checked.report.claims] == ["quoted", "quoted", "unsupported"]
    cold = ["The kiln is in the shed and it is cold."]
    verifier = make_verifier("llm", context())
    checked = await Voice.check("The kiln is in the shed", cold, question="Where?", verifier=verifier)
    assert (checked.report.is_proven, checked.verification is not None) == (True, True)
    with pytest.raises(InvalidParams):
        await Voice.check("a", "a")


def test_the_package_offers_it_by_name() -> None:
    assert voice.Voice is Voice
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = voice.nothing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
