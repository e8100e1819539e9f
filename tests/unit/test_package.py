"""What `import voice` gives, and what it costs."""

import runpy
import subprocess
import sys

import pytest

import voice
from voice.entrypoints.library import Voice


@pytest.mark.requirement("promise:10")
def test_importing_the_package_loads_none_of_its_parts() -> None:
    said = "import sys, voice; print([name for name in sys.modules if name.startswith('voice.')])"
    ran = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


def test_the_class_is_there_when_it_is_asked_for_and_nothing_else_is() -> None:
    assert voice.Voice is Voice
    with pytest.raises(AttributeError, match="no attribute 'Memory'"):
        _ = voice.Memory  # pyright: ignore[reportAttributeAccessIssue,reportUnknownVariableType,reportUnknownMemberType]


def test_the_package_run_as_a_module_is_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["voice", "--version"])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("voice", run_name="__main__")
    assert left.value.code == 0
    assert voice.__version__ in capsys.readouterr().out
