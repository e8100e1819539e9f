"""What a retrieval leaves on stderr: ten figures, ids for who asks for them, nothing at all under MCP_NO_LOG."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from cli_runner import SETTINGS, run_command
from played_turns import KILN, NOW, given, memory
from voice.adapters.system.clock_and_ids import FixedClock
from voice.adapters.system.event_log import StderrLog, event_log
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.passages import EvidenceRequest
from voice.core.retrieval.values import Selection
from voice.core.settings.values import LogLevel, PrivacySettings
from voice.core.text.instants import render_instant
from voice.ports.system import SILENT_LOG

Line = dict[str, object]
FRAME = {"event", "level", "at"}
FIGURES = {
    "provider", "model", "dim", "k_req", "floor", "floor_used", "kg_candidates", "thought_candidates", "k_ret",
    "latency_ms",
}  # fmt: skip


async def retrieved(home: Path, privacy: PrivacySettings) -> Selection:
    async with memory(home, settings=given(privacy=privacy), told=KILN) as services:
        return await services.find(RetrieveRequest(query=f"{KILN[0]} zanzibar", floor=0.2, top_k=3))


def lines(err: str) -> list[Line]:
    return [cast("Line", json.loads(line)) for line in err.splitlines()]


@pytest.mark.requirement("s0:logging:info", "ruling:D19")
async def test_at_info_a_retrieval_is_one_line_with_the_ten_figures_of_its_diagnostics(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    selection = await retrieved(tmp_path, PrivacySettings(log_level="info"))
    said = capfd.readouterr()
    (line,) = lines(said.err)
    facts = selection.diagnostics
    assert line.keys() == FRAME | FIGURES
    assert (line["event"], line["level"], line["at"], line["floor"]) == ("retrieve", "info", render_instant(NOW), 0.2)
    assert {name: line[name] for name in FIGURES - {"floor"}} == {
        name: getattr(facts, name) for name in FIGURES - {"floor"}
    }
    assert (facts.k_ret > 0, said.out) == (True, "")


@pytest.mark.requirement("s0:logging:debug", "promise:6")
async def test_at_debug_its_ids_and_tables_follow_and_no_text(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    selection = await retrieved(tmp_path, PrivacySettings(log_level="debug"))
    err = capfd.readouterr().err
    info, debug = lines(err)
    assert info.keys() == FRAME | FIGURES
    assert debug.keys() == FRAME | {"ids", "tables"}
    assert debug["ids"] == [snippet.id for snippet in selection.snippets]
    assert debug["tables"] == [snippet.table.value for snippet in selection.snippets]
    assert not [word for text in (*KILN, "zanzibar") for word in text.split() if len(word) > 4 and word in err]


@pytest.mark.requirement("s3:logging:debug", "promise:6")
async def test_at_debug_a_question_in_time_leaves_its_window_and_its_counts_and_no_word_of_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with memory(tmp_path, settings=given(privacy=PrivacySettings(log_level="debug")), told=KILN) as services:
        await services.find(RetrieveRequest(query="kiln", floor=0.0, when="today", limit=2))
        await services.find.retrieve.fetch_evidence(EvidenceRequest(query="kiln", phrases=("zanzibar",)))
    err = capfd.readouterr().err
    in_time, quoted = [line for line in lines(err) if line["event"] == "window"]
    counts = {"limit", "keywords_count", "candidates_scanned", "regex_filtered", "sim_evaluated", "returned"}
    assert in_time.keys() == quoted.keys() == FRAME | {"window_from", "window_to"} | counts
    assert (in_time["limit"], in_time["keywords_count"], in_time["returned"]) == (2, 0, 2)
    assert str(in_time["window_from"]) < render_instant(NOW) < str(in_time["window_to"])
    assert (quoted["window_from"], quoted["window_to"]) == ("open", "open")
    assert (quoted["keywords_count"], quoted["returned"]) == (1, 0)
    assert quoted["regex_filtered"] == quoted["sim_evaluated"] != 0
    assert "zanzibar" not in err


@pytest.mark.requirement("s0:logging:info", "s0:logging:no-log", "s0:constraint:logging", "ruling:D19")
def test_the_command_keeps_its_document_on_stdout_and_its_terminal_clean(tmp_path: Path) -> None:
    (tmp_path / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    run_command("remember", "The kiln stands in the shed.", home=tmp_path)

    def err(**env: str) -> str:
        ran = run_command("retrieve", "kiln", "--floor", "0", "--json", home=tmp_path, env=env)
        assert cast("dict[str, list[object]]", ran.json)["snippets"]
        return ran.err

    assert err() == err(SURR_LOG_LEVEL="debug", MCP_NO_LOG="1") == ""
    assert [line["event"] for line in lines(err(SURR_LOG_LEVEL="info"))] == ["retrieve"]
    assert [line["level"] for line in lines(err(SURR_LOG_LEVEL="debug"))] == ["info", "debug"]


class Closed:
    """A stderr that nothing can be written to."""

    def write(self, text: str) -> int:
        raise OSError(f"no space left for {len(text)} characters")

    def flush(self) -> None:
        raise OSError("no space left")

    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize("write", [StderrLog.warning, StderrLog.info, StderrLog.debug])
def test_a_stderr_that_takes_nothing_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, write: Callable[[StderrLog, str, dict[str, int]], None]
) -> None:
    monkeypatch.setattr("sys.stderr", Closed())
    write(StderrLog("debug", FixedClock(NOW)), "retrieve", {"k_ret": 1})


@pytest.mark.parametrize("level", ["warning", "info", "debug"])
def test_a_process_without_a_stderr_logs_nowhere_rather_than_on_stdout(
    monkeypatch: pytest.MonkeyPatch, level: LogLevel
) -> None:
    assert event_log(PrivacySettings(log_level=level), FixedClock(NOW)) is not SILENT_LOG
    monkeypatch.setattr("sys.stderr", None)
    assert event_log(PrivacySettings(log_level=level), FixedClock(NOW)) is SILENT_LOG
