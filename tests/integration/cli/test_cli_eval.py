"""`voice eval` examines a memory with questions of its own rows, and leaves nothing in it."""

from pathlib import Path

import pytest

from cli_runner import SETTINGS, Documented, Playing, Run, Voice, data_directory
from played_turns import USAGE, sentences
from voice.adapters.files.packaged_data import example_memory
from voice.adapters.system.state_files import EXAM_NAME, ExamFile
from voice.bootstrap import Services
from voice.ports.llm import LlmRequest

TWO_SOURCES = SETTINGS.replace('single_source = "green"', "min_sources = 5")
ASKED = {"straight": 4, "dated": 2, "near_miss": 2, "swapped": 2}


@pytest.fixture
def example(tmp_path: Path, run_voice: Run) -> Voice:
    """Import the example memory."""
    example = Voice(data_directory(tmp_path / "example"), run_voice)
    example.ok("import", str(example_memory()))
    return example


async def stored(services: Services) -> tuple[object, ...]:
    """Return what the store holds: its last number, conversations, figures of turns, and what was spent."""
    status = await services.store.status()
    return (
        (status.last_seq, dict(status.rows), status.sessions, status.exchanges),
        await services.sessions.exchanges(),
        await services.stores.metrics.count("turn"),
    )


@pytest.mark.requirement("cli:eval:report", "cli:eval:unkept", "cli:eval:exit")
def test_an_exam_is_reported_leaves_nothing_in_the_memory_and_says_when_it_went_worse(
    example: Voice, is_as_documented: Documented
) -> None:
    (example.home / EXAM_NAME).write_text("{", encoding="utf-8")
    assert ExamFile(example.home).last() is None, "what cannot be read of the last run counts as none"
    before = example.within(stored)
    ran = example.ok("eval", "--n", "10", "--at-least", "0", "--json")
    is_as_documented("cli/eval", ran)
    told = ran.json
    assert {kind: one["asked"] for kind, one in told["by_kind"].items()} == ASKED
    assert (told["by_kind"]["straight"]["found"] > 0, told["last"], told["cost_usd"]) == (True, None, "0")
    assert example.within(stored) == before
    assert (example.home / EXAM_NAME).stat().st_mode & 0o777 == 0o600
    kept = (example.home / EXAM_NAME).read_text("utf-8")
    assert told["questions"][0]["id"] in kept
    assert [one for one in told["questions"] if one["question"] in kept or one["row_id"] in kept] == []
    again = example("eval", "--n", "10", "--list", "--at-least", "100")
    assert (again.code, "--at-least requires 100 %" in again.only_line) == (10, True)
    for said in ("What it does not show", "How voice made it", "0 came out better and 0 worse"):
        assert said in again.out
    assert [one["question"] for one in told["questions"] if one["question"] not in again.out] == []
    example.settings(TWO_SOURCES)
    worse = example("eval", "--n", "10", "--json")
    is_as_documented("cli/eval", worse)
    last = worse.json["last"]
    assert (worse.code, last["is_worse"], last["shared"]) == (10, True, 10)
    assert last["settings"]["grounding.min_sources"] == {"before": "2", "after": "5"}
    assert "came out worse" in worse.only_line
    example.settings(SETTINGS)
    assert "came out better" in example.ok("eval", "--n", "10").out


def test_a_memory_of_few_statements_or_none_is_told_as_that(voice: Voice) -> None:
    voice.ok("remember", "Hm.")
    assert "import notes or chats" in voice.refused("eval")
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
