"""The wheel alone holds all it needs: prompts, schemas, migrations, vocabulary and the example memory."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the wheel where nothing of the source tree is."""
    place = tmp_path_factory.mktemp("installed") / "site packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    return place


def test_it_runs_from_where_it_was_installed_with_its_prompts(installed: Path, tmp_path: Path) -> None:
    where = "import voice; print(voice.__file__); from voice.entrypoints.cli.main import cli; cli(['prompts', 'list'])"
    done = subprocess.run(
        [sys.executable, "-c", where],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(installed), "VOICE_HOME": str(tmp_path), "HOME": str(tmp_path)},
        cwd=tmp_path,
        check=True,
    )
    place, prompt, *_ = done.stdout.splitlines()
    assert Path(place).is_relative_to(installed)
    assert prompt.split()[0] == "answer.v1"


def test_everything_that_is_data_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        files = {name.removeprefix("voice/") for name in archive.namelist() if name.startswith("voice/")}
    assert {"prompts/answer.v1.md", "data/example/memory.jsonl", "schemas/memory.schema.json", "py.typed"} <= files
    assert "data/verifier/calibration.jsonl" in files
    assert any(name.startswith("adapters/surreal/migrations/") for name in files)
    assert any(name.startswith("adapters/onnx/data/") for name in files)
    assert not any(name.endswith((".pyc", ".pth")) for name in files)


def test_no_verifier_needs_anything_beside_it(installed: Path) -> None:
    (metadata,) = installed.glob("inner_voice-*.dist-info/METADATA")
    said = metadata.read_text("utf-8").splitlines()
    assert "Provides-Extra: verifier" not in said
    assert not any(name in line for line in said for name in ("torch", "tokenizers"))
    assert "Provides-Extra: archive" in said
