"""A day is a day where the person lives, everywhere it is shown (ruling E)."""

import pytest

from cli_runner import Run, Voice


@pytest.mark.requirement("ruling:E.3")
def test_a_note_of_a_local_evening_keeps_its_day_wherever_it_is_shown(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Los Angeles 21:30 on the fourth is the fifth in UTC."""
    monkeypatch.setenv("SURR_TIMEZONE", "America/Los_Angeles")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    voice.ok("remember", "Kissed Robin on the pier.", "--at", "2025-07-04T21:30")
    for command in (("ask", "What happened on 4 July 2025?", "--new", "robin"), ("retrieve", "Robin on the pier")):
        shown = voice.ok(*command).out
        assert ("2025-07-04" in shown, "2025-07-05" in shown) == (True, False), command


@pytest.mark.parametrize(("command", "named"), [([], "voice demo"), (["maintain"], "backup")])
def test_a_bare_command_shows_its_help(run_voice: Run, command: list[str], named: str) -> None:
    ran = run_voice(command)
    assert (ran.code, named in ran.out) == (0, True)
