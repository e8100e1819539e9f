"""What runs the models reports nothing to its maker, and notes nothing that it would report."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ENCODE = """
import asyncio
from voice.adapters.embedding.minilm import MiniLmEmbedder
print(len(asyncio.run(MiniLmEmbedder().embed(["The kiln moved to the shed."]))))
"""
ONCE = "import onnxruntime"


def _left_behind(home: Path, code: str, **environment: str) -> list[str]:
    """Return the files that a program leaves in a home of its own."""
    home.mkdir()
    known = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    environment = {**known, "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
    return sorted(str(each.relative_to(home)) for each in home.rglob("*") if each.is_file())


@pytest.mark.requirement("promise:6", "observe:untold")
@pytest.mark.parametrize("said", [{}, {"ORT_DISABLE_TELEMETRY": "0"}])
def test_encoding_leaves_no_mark_of_this_machine_to_be_reported(tmp_path: Path, said: dict[str, str]) -> None:
    assert _left_behind(tmp_path / "home", ENCODE, **said) == []
    marked = "import os, pathlib; pathlib.Path(os.environ['HOME'], 'mark').touch()"
    assert _left_behind(tmp_path / "other", marked, **said) == ["mark"]


@pytest.mark.requirement("observe:untold")
def test_a_runtime_that_was_imported_before_is_told_to_report_no_more(tmp_path: Path) -> None:
    watched = f"""
{ONCE}
calls = []
onnxruntime.disable_telemetry_events = lambda: calls.append(1)
{ENCODE}
assert calls == [1], calls
"""
    _left_behind(tmp_path / "home", watched, ORT_DISABLE_TELEMETRY="1")
