"""`voice eval` examines a memory with questions of its own rows, and leaves nothing in it."""

import shutil
from pathlib import Path

import pytest

from cli_runner import SETTINGS, Documented, Playing, Voice, data_directory
from played_turns import USAGE, sentences
from voice.adapters.files.packaged_data import example_memory
from voice.adapters.system.state_files import EXAM_NAME, ExamFile
from voice.bootstrap import Services
from voice.entrypoints.cli.main import exit_code
from voice.ports.llm import LlmRequest

TWO_SOURCES = SETTINGS.replace('single_source = "green"', "min_sources = 5")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = data_directory(tmp_path_factory.mktemp("exam") / "home")
    assert exit_code(["--home", str(home), "import", str(example_memory())]) == 0
    return home


@pytest.fixture
def example(made: Path, voice: Voice) -> Voice:
    shutil.rmtree(voice.home)
    shutil.copytree(made, voice.home)
    return voice


async def stored(services: Services) -> tuple[object, ...]:
    """Return what the store holds: its last number, conversations, figures of turns, and what was spent."""
    status = await services.store.status()
    return (
        (status.last_seq, dict(status.rows), status.sessions, status.exchanges),
        await services.sessions.exchanges(),
        await services.stores.metrics.count("turn"),
    )


@pytest.mark.requirement("cli:eval:report")
def test_the_report_tells_each_kind_and_how_it_was_made(example: Voice, is_as_documented: Documented) -> None:
    ran = example.ok("eval", "--n", "20", "--json")
    is_as_documented("cli/eval", ran)
    told = ran.json
    kinds = told["by_kind"]
    asked = {kind: one["asked"] for kind, one in kinds.items()}
    assert asked == {"straight": 8, "dated": 4, "near_miss": 4, "swapped": 4}
    assert kinds["straight"]["found"] > 0
    assert kinds["near_miss"]["rightly_refused"] > 0
    assert (told["last"], told["cost_usd"]) == (None, "0")
    shown = example.ok("eval", "--n", "20", "--list").out
    assert "What it does not show" in shown
    assert "How voice made it" in shown
    assert "0 came out better and 0 worse" in shown
    listed = [one["question"] for one in told["questions"]]
    assert len(listed) == 20
    assert [question for question in listed if question not in shown] == []


@pytest.mark.requirement("cli:eval:unkept")
def test_nothing_is_written_into_the_memory_and_no_word_of_it_is_kept(example: Voice) -> None:
    before = example.within(stored)
    told = example.ok("eval", "--n", "10", "--json").json
    assert example.within(stored) == before
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
    example.settings(TWO_SOURCES)
    ran = example("eval", "--n", "20", "--json")
    is_as_documented("cli/eval", ran)
    last = ran.json["last"]
    assert (ran.code, last["is_worse"], last["shared"]) == (10, True, 20)
    assert last["settings"]["grounding.min_sources"] == {"before": "2", "after": "5"}
    assert "came out worse" in ran.only_line
    example.settings(SETTINGS)
    assert "came out better" in example.ok("eval", "--n", "20").out


@pytest.mark.requirement("cli:eval:exit")
def test_with_at_least_the_share_decides(example: Voice) -> None:
    example.ok("eval", "--n", "10", "--at-least", "0")
    ran = example("eval", "--n", "10", "--at-least", "100")
    assert (ran.code, "--at-least requires 100 %" in ran.only_line) == (10, True)
    example.settings(TWO_SOURCES)
    example.ok("eval", "--n", "10", "--at-least", "0")


@pytest.mark.requirement("cli:eval:unkept")
def test_what_cannot_be_read_of_the_last_run_counts_as_none(example: Voice) -> None:
    (example.home / EXAM_NAME).write_text("{", encoding="utf-8")
    assert ExamFile(example.home).last() is None
    assert "first run" in example.ok("eval", "--n", "5").out
    assert ExamFile(example.home).last() is not None


def test_a_memory_without_statements_says_what_to_do(voice: Voice) -> None:
    voice.ok("remember", "Hm.")
    assert "import notes or chats" in voice.refused("eval")


def test_fewer_questions_than_asked_for_are_said(voice: Voice) -> None:
    voice.ok("remember", "The violin needs a luthier.")
    assert "your notes give only 2 questions of the 50 you asked for" in voice.ok("eval").err


def refusing(_: LlmRequest) -> str:
    return sentences(refused=True, notes="not there")


@pytest.mark.requirement("cli:eval:consent", "cli:eval:unkept")
def test_a_paid_model_is_asked_with_consent_and_what_it_cost_is_kept_as_figures(voice: Voice, playing: Playing) -> None:
    voice.ok("remember", "The violin needs a luthier.")
    client = playing(refusing, usage=USAGE)
    asked = voice("eval")
    assert (asked.code, client.calls) == (2, 0)
    assert "expected, $" in asked.err
    assert "--yes" in asked.err
    done = voice.ok("eval", "--yes", "--json").json
    assert client.calls > 0
    assert float(done["cost_usd"]) > 0
    assert done["cost_usd"] in voice.ok("report", "--json").out
    assert voice.ok("sessions", "list", "--json").json == []


@pytest.mark.requirement("cli:eval:marks")
def test_a_spending_cap_ends_the_exam_and_the_last_run_stays(
    voice: Voice, playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice.ok("remember", "The violin needs a luthier.")
    voice.ok("eval", "--n", "5")
    kept = (voice.home / EXAM_NAME).read_bytes()
    playing(refusing, usage=USAGE)
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_DAY_COST", "0.000001")
    ran = voice("eval", "--yes")
    assert (ran.code, "the last run stays" in ran.err) == (6, True)
    assert (voice.home / EXAM_NAME).read_bytes() == kept
