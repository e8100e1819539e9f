"""The program that the README shows runs as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

from cli_runner import SETTINGS

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_program_of_the_readme_runs_and_is_answered(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "VOICE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("answered ")
    assert "Moved the kiln to the shed." in ran.stdout
