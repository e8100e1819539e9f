"""What the start of the MCP server costs is printed by a command of the repository, and is within its bound."""

import json
from pathlib import Path

import pytest
from bench import mcp_start
from bench.mcp_openings import OPENINGS, STRANGE, Opening
from bench.mcp_start import MOST_S, Start, main


@pytest.mark.requirement("mcp:start", "mcp:bench", "mcp:porch-shapes")
def test_the_first_list_of_tools_costs_no_more_cpu_than_it_may(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["runs"] == 1
    assert 0 < found["first_list_of_tools"]["cpu_s_median"] <= MOST_S
    assert found["openings"].keys() == OPENINGS.keys()
    assert all(told["cpu_s_median"] <= MOST_S for told in found["openings"].values())
    assert found["opening_not_known"]["cpu_s_median"] > found["first_list_of_tools"]["cpu_s_median"]
    assert found["first_call"]["cpu_s_median"] > found["first_list_of_tools"]["cpu_s_median"]


@pytest.mark.requirement("mcp:bench")
def test_more_than_it_may_is_told_by_the_exit_code_and_printed_for_people(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_home: Path, messages: Opening) -> Start:
        calls = any(message["method"] == "tools/call" for message in messages)
        return Start(cpu_s=2.0 if calls else 1.0 if messages == STRANGE else 0.7, wall_s=3.0)

    monkeypatch.setattr(mcp_start, "started", slow)
    assert main(["--runs", "2"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[:4] == [
        f"2 runs of each of {len(OPENINGS)} openings; the first list of tools may take 0.6 s of CPU",
        "first_list_of_tools   cpu_s_median 0.7, cpu_s_max 0.7, wall_s_median 3.0",
        "opening_not_known     cpu_s_median 1.0, cpu_s_max 1.0, wall_s_median 3.0",
        "first_call            cpu_s_median 2.0, cpu_s_max 2.0, wall_s_median 3.0",
    ]
    assert len(told) == 4 + len(OPENINGS)
