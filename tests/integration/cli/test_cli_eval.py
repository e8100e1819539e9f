"""`voice eval` examines a memory with questions of its own rows, and leaves nothing in it."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

import voice.bootstrap
from cli_runner import SETTINGS, Ran, Voice, always
from played_turns import PAID, USAGE, reply
from voice.adapters.files.packaged_data import example_memory
from voice.adapters.llm.scripted import ScriptedClient
from voice.adapters.system.state_files import EXAM_NAME, ExamFile
from voice.bootstrap import open_services
from voice.core.settings.parse import parse_settings
from voice.entrypoints.cli.main import exit_code
from voice.ports.llm import LlmReply, LlmRequest

Documented = Callable[[str, Ran], None]
TWO_SOURCES = SETTINGS.replace('single_source = "green"', "min_sources = 5")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("exam") / "home"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    assert exit_code(["--home", str(home), "import", str(example_memory())]) == 0
    return home


@pytest.fixture
def example(made: Path, voice: Voice) -> Voice:
    shutil.rmtree(voice.home)
    shutil.copytree(made, voice.home)
    return voice


def stored(home: Path) -> tuple[object, ...]:
    """Return what the store holds: its last number, conversations, figures of turns, and what was spent."""

    async def read() -> tuple[object, ...]:
        settings = parse_settings(
            {"gate.enabled": True, "llm.provider": "extractive", "embed.provider": "hash"}, {}, {}
        )
        async with open_services(settings.settings, home) as services:
            status = await services.store.status()
            return (
                (status.last_seq, dict(status.rows), status.sessions, status.exchanges),
                await services.sessions.exchanges(),
                await services.metrics.count("turn"),
            )

    return asyncio.run(read())


@pytest.mark.requirement("cli:eval:report")
def test_the_report_tells_each_kind_and_how_it_was_made(example: Voice, is_as_documented: Documented) -> None:
    ran = example.ok("eval", "--n", "20", "--json")
    is_as_documented("cli/eval", ran)
    told = cast("dict[str, object]", ran.json)
    kinds = cast("dict[str, dict[str, int]]", told["by_kind"])
    assert {kind: one["asked"] for kind, one in kinds.items()} == {
        "straight": 8,
        "dated": 4,
        "near_miss": 4,
        "swapped": 4,
    }
    assert kinds["straight"]["found"] > 0
    assert kinds["near_miss"]["rightly_refused"] > 0
    assert (told["last"], told["cost_usd"]) == (None, "0")
    shown = example.ok("eval", "--n", "20", "--list").out
    assert "What it does not show" in shown
    assert "How voice made it" in shown
    assert "0 came out better and 0 worse" in shown
    listed = [one["question"] for one in cast("list[dict[str, str]]", told["questions"])]
    assert len(listed) == 20
    assert [question for question in listed if question not in shown] == []


@pytest.mark.requirement("cli:eval:unkept")
def test_nothing_is_written_into_the_memory_and_no_word_of_it_is_kept(example: Voice) -> None:
    before = stored(example.home)
    told = cast("dict[str, list[dict[str, str]]]", example.ok("eval", "--n", "10", "--json").json)
    assert stored(example.home) == before
    kept = example.home / EXAM_NAME
    assert kept.stat().st_mode & 0o777 == 0o600
    text = kept.read_text("utf-8")
    assert told["questions"][0]["id"] in text
    for question in told["questions"]:
        assert question["question"] not in text
        assert question["row_id"] not in text


@pytest.mark.requirement("cli:eval:exit")
def test_a_setting_that_makes_it_worse_ends_with_ten_and_the_diff_names_it(
    example: Voice, is_as_documented: Documented
) -> None:
    example.ok("eval", "--n", "20")
    (example.home / "voice.toml").write_text(TWO_SOURCES, encoding="utf-8")
    ran = example("eval", "--n", "20", "--json")
    is_as_documented("cli/eval", ran)
    last = cast("dict[str, dict[str, object]]", ran.json)["last"]
    assert (ran.code, last["is_worse"], last["shared"]) == (10, True, 20)
    assert cast("dict[str, object]", last["settings"])["grounding.min_sources"] == {"before": "2", "after": "5"}
    assert "came out worse" in ran.only_line
    (example.home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    assert "came out better" in example.ok("eval", "--n", "20").out


@pytest.mark.requirement("cli:eval:exit")
def test_with_at_least_the_share_decides(example: Voice) -> None:
    assert example("eval", "--n", "10", "--at-least", "0").code == 0
    ran = example("eval", "--n", "10", "--at-least", "100")
    assert ran.code == 10
    assert "--at-least requires 100 %" in ran.only_line
    (example.home / "voice.toml").write_text(TWO_SOURCES, encoding="utf-8")
    assert example("eval", "--n", "10", "--at-least", "0").code == 0


@pytest.mark.requirement("cli:eval:unkept")
def test_what_cannot_be_read_of_the_last_run_counts_as_none(example: Voice) -> None:
    (example.home / EXAM_NAME).write_text("{", encoding="utf-8")
    assert ExamFile(example.home).last() is None
    assert "first run" in example.ok("eval", "--n", "5").out
    assert ExamFile(example.home).last() is not None


def test_a_memory_without_statements_says_what_to_do(voice: Voice) -> None:
    voice.ok("remember", "Hm.")
    ran = voice("eval")
    assert ran.code == 2
    assert "import notes or chats" in ran.only_line


def test_fewer_questions_than_asked_for_are_said(voice: Voice) -> None:
    voice.ok("remember", "The violin needs a luthier.")
    ran = voice.ok("eval")
    assert "your notes give only 2 questions of the 50 you asked for" in ran.err


def playing(monkeypatch: pytest.MonkeyPatch, script: Callable[[LlmRequest], LlmReply]) -> ScriptedClient:
    """Put a model that costs money in the place of the one that is set."""
    client = ScriptedClient(script, profile=PAID)
    monkeypatch.setattr(voice.bootstrap, "make_llm", always(lambda: client))
    return client


def refusing(_request: LlmRequest) -> LlmReply:
    return reply(json.dumps({"sentences": [], "refused": True, "notes": "not there"}), USAGE)


@pytest.mark.requirement("cli:eval:consent", "cli:eval:unkept")
def test_a_paid_model_is_asked_with_consent_and_what_it_cost_is_kept_as_figures(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice.ok("remember", "The violin needs a luthier.")
    client = playing(monkeypatch, refusing)
    asked = voice("eval")
    assert (asked.code, client.calls) == (2, 0)
    assert "expected, $" in asked.err
    assert "--yes" in asked.err
    done = cast("dict[str, object]", voice.ok("eval", "--yes", "--json").json)
    assert client.calls > 0
    assert float(cast("str", done["cost_usd"])) > 0
    report = cast("dict[str, object]", voice.ok("report", "--json").json)
    assert str(done["cost_usd"]) in json.dumps(report)
    assert voice.ok("sessions", "list", "--json").json == []


@pytest.mark.requirement("cli:eval:marks")
def test_a_spending_cap_ends_the_exam_and_the_last_run_stays(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    voice.ok("remember", "The violin needs a luthier.")
    voice.ok("eval", "--n", "5")
    kept = (voice.home / EXAM_NAME).read_bytes()
    playing(monkeypatch, refusing)
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_DAY_COST", "0.000001")
    ran = voice("eval", "--yes")
    assert ran.code == 6
    assert "the last run stays" in ran.err
    assert (voice.home / EXAM_NAME).read_bytes() == kept
