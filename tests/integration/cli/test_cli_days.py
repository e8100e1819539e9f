"""A day is a day where the person lives, everywhere it is shown (ruling E)."""

from pathlib import Path

import pytest

from cli_runner import Voice
from voice.entrypoints.cli.main import exit_code


@pytest.mark.requirement("ruling:E.3")
def test_a_note_of_a_local_evening_keeps_its_day_wherever_it_is_shown(
    voice: Voice, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Los Angeles 21:30 on the fourth is the fifth in UTC."""
    monkeypatch.setenv("SURR_TIMEZONE", "America/Los_Angeles")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    voice.ok("remember", "Kissed Robin on the pier.", "--at", "2025-07-04T21:30")
    shown = (
        voice.ok("ask", "What happened on 4 July 2025?", "--new", "robin").out,
        voice.ok("retrieve", "Robin on the pier").out,
    )
    for text in shown:
        assert "2025-07-04" in text
        assert "2025-07-05" not in text


def test_a_bare_command_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code([]) == 0
    assert "voice demo" in capsys.readouterr().out
    assert exit_code(["maintain"]) == 0
    assert "backup" in capsys.readouterr().out


def test_an_export_that_is_there_names_the_option_that_replaces_it(voice: Voice, tmp_path: Path) -> None:
    voice.ok("remember", "Moved the kiln.")
    voice.ok("export", str(tmp_path / "m.jsonl"))
    assert "--force" in voice("export", str(tmp_path / "m.jsonl")).only_line
