"""S4's three times are printed by a command of the repository."""

import json
from pathlib import Path
from typing import cast

import pytest
from bench.recall import TARGETS_MS, main

FIGURES = ("full_text", "pin_lookup", "pins_shown", "end_to_end", "end_to_end_local_fts")


@pytest.mark.requirement("s4:performance:latency")
def test_every_time_that_s4_names_is_measured_and_stands_beside_what_s4_allows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--home", str(tmp_path / "home"), "--rows", "200", "--dim", "8", "--pins", "3", "--repeats", "1"]
    assert main([*asked, "--json"]) == 0
    found = cast("dict[str, object]", json.loads(capsys.readouterr().out))
    assert (found["rows"], found["pins"]) == (200, 3)
    assert all(found[name] for name in FIGURES)
    worst = cast("dict[str, float]", found["worst_cpu_ms_p50"])
    assert worst.keys() == TARGETS_MS.keys()
    assert all(value > 0 for value in worst.values())
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "200 rows, 3 pins"
    told = [(line.split()[0], line.split()[-1]) for line in lines[1:4]]
    assert told == [("full_text", "50"), ("pin_lookup", "10"), ("end_to_end", "100")]
