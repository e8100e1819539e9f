"""Whatever comes in: one line that says what to do, a non-zero exit, and nothing lost."""

import json
import os
from pathlib import Path

import pytest

from cli_runner import SETTINGS, Run, Voice, failing, run_command
from tables import tables

TABLES = tables(__file__)

KEPT = "Moved the kiln to the shed."


def assert_nothing_lost(voice: Voice) -> None:
    assert KEPT in voice.ok("export", "-").out
    voice.verify()


def test_nothing_said_and_what_is_no_text_are_refused_and_nothing_is_lost(told: Voice) -> None:
    for command in (["remember"], ["ask"], ["retrieve"]):
        assert "[invalid_params]" in told.refused(*command, "\x00 \u200b\u200d \x07")
        assert "[invalid_params]" in told.refused(*command, stdin="\ufeff  \n\t ".encode())
    for command in (["remember"], ["ask"], ["retrieve"], ["kg", "add", "observation"]):
        assert "not UTF-8 text (byte 6)" in told.refused(*command, stdin=b"Moved \xff\xfe the kiln")
    assert_nothing_lost(told)
    ran = told.ok("import", "-", stdin=b'{"type":"thought","content":"Anna came by."}\n{"type":\xff}\n')
    assert "left out line 2" in ran.only_line
    assert "Anna came by." in told.ok("export", "-").out


def test_any_words_are_kept_as_they_are_and_found_again(voice: Voice) -> None:
    texts = (
        "הכבשן עבר למחסן. \u202eמוסתר\u202c",
        "Kiln 🔥👨‍👩‍👧‍👦 moved to the shed 🏚️.",
        "bell \x07 escape \x1b[31m vertical \x0b tab and combining " + "e\u0301" * 300 + ".",
    )
    voice.ok("remember", stdin=b"Moved the\x00 kiln to the shed.")
    for text in texts:
        voice.ok("remember", text, "--tag", "Été 🔥", "--thread", "שרשור")
        ran = voice("ask", text)
        assert ran.code in (0, 3)
        assert not any(ord(char) < 32 and char not in "\n\t" for char in ran.out)
        assert not set(ran.out) & set("\x9b\u202e\u2066")
    kept = [json.loads(line).get("content") for line in voice.ok("export", "-").out.splitlines()]
    assert [text for text in (KEPT, *texts) if text not in kept] == []


def test_a_megabyte_is_kept_or_refused_in_one_line(told: Voice) -> None:
    assert "at most 20,000" in told.refused("ask", stdin=b"kiln " * 200_000)
    assert "split it first" in told.refused("remember", stdin=b"kiln " * 600_000)
    told.ok("remember", stdin=b"x" * 300_000)
    assert_nothing_lost(told)


def test_a_time_that_cannot_be_is_refused_or_finds_nothing(told: Voice) -> None:
    assert "--at is not a date or time" in told.refused("remember", "Hi.", "--at", "9999-12-31T23:59:59-12:00")
    assert "--at is not a date or time" in told.refused("kg", "add", "entity", "Anna", "--at", "2025-02-30")
    for when in ("0000-01-01", "9999-99-99", ""):
        for command in (["ask", "Where is the kiln?", "--when"], ["retrieve", "kiln", "--when"], ["report", "--since"]):
            ran = told(*command, when)
            assert ran.code in (0, 2, 3)
            assert len(ran.err.splitlines()) <= 1


def test_what_is_not_there_is_said_in_one_line(told: Voice) -> None:
    for command, said, code in TABLES["what_is_not_there_is_said_in_one_line"]:
        line = told.refused(*command)
        assert (said in line, line.endswith(f"[{code}]")) == (True, True), line


def test_a_place_that_cannot_be_written_or_read_is_said(told: Voice, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    told.ok("ask", "Where is the kiln?", "--new", "kiln")
    for command, said in TABLES["a_place_that_cannot_be_written_or_read_is_said"]:
        line = told.refused(*(word.format(tmp_path) for word in command))
        assert (said in line, line.endswith("[data_file_error]")) == (True, True), line


@pytest.mark.parametrize("place", ["file/below", "/proc/no-place-for-data"])
def test_a_data_directory_that_cannot_be_is_said(run_voice: Run, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    there = Voice(tmp_path / place, run_voice)
    for command in (["remember", KEPT], ["init"], ["sessions", "list"]):
        ran = there(*command)
        assert (ran.code in (1, 4), ran.out, ran.only_line.startswith(f"voice: {there.home}")) == (True, "", True)
    doctor = there("doctor")
    assert (doctor.code, doctor.err) == (1, "")


def test_a_data_directory_that_cannot_be_written_is_said(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.access

    def read_only(path: str, mode: int) -> bool:
        return real(path, mode) and not mode & os.W_OK

    with monkeypatch.context() as rights:
        rights.setattr(os, "access", read_only)
        assert "cannot be written" in told.refused("remember", "Hello there.", code=4)
        assert told("doctor").code == 1
    assert_nothing_lost(told)


@pytest.mark.requirement("ruling:C16")
def test_settings_that_cannot_be_meant_stop_every_command(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    for toml, said in TABLES["settings_that_cannot_be_meant_stop_every_command"]:
        told.settings(toml)
        for command in (["remember", "Hello there."], ["config"], ["ask", "Where?"]):
            assert said in told.refused(*command, code=4)
    told.settings(SETTINGS)
    for url in ("postgres://x", "surrealkv://", "ws://", "mem://extra"):
        monkeypatch.setenv("SURR_DB_URL", url)
        assert "SURR_DB_URL" in told.refused("remember", "Hello there.", code=4)
    monkeypatch.delenv("SURR_DB_URL")
    monkeypatch.setenv("SURR_TOPK", "5")
    assert "unknown variable SURR_TOPK" in told.ok("sessions", "list").err.splitlines()[0]
    assert_nothing_lost(told)
    (told.home / "voice.toml").unlink()
    (told.home / "voice.toml").mkdir()
    assert "voice.toml cannot be read" in told.refused("config", code=4)


def test_a_missing_key_of_a_store_is_said_and_never_made_anew(told: Voice) -> None:
    (told.home / "key").rename(told.home / "elsewhere")
    assert "put it back from your own copy" in told.refused("remember", "Hello there.", code=4)
    (told.home / "elsewhere").rename(told.home / "key")
    assert_nothing_lost(told)


@pytest.mark.requirement("holder:one", "holder:doctor")
def test_a_store_that_another_process_holds_is_used_through_it_and_the_doctor_names_it(told: Voice) -> None:
    with told.process("chat") as holder:
        assert holder.stderr is not None
        said = ""
        while not said.endswith("> "):
            said += holder.stderr.read(1) or pytest.fail(f"it ended: {said!r}")
        told.ok("remember", "The safe opens with 4711.")
        assert f"process {holder.pid}" in told.ok("doctor").out
        real = run_command("retrieve", "safe", home=told.home)
        assert (real.code, "4711" in real.out) == (0, True)
        holder.communicate("\n", timeout=60)
    assert holder.returncode == 0
    assert_nothing_lost(told)


@pytest.mark.requirement("promise:6")
def test_an_export_that_is_piped_in_as_a_thought_is_refused_unless_it_is_meant_as_a_text(voice: Voice) -> None:
    voice.ok("remember", "The safe opens with 30-11-7.", "--private")
    exported = voice.ok("export", "-").out.encode()
    for arguments in (["remember"], ["remember", "-"]):
        assert "import it with `voice import -`" in voice.refused(*arguments, stdin=exported)
    talk = b'{\n  "format": "voice-session/1",\n  "session": {}\n}'
    assert "import it with `voice sessions import -`" in voice.refused("remember", stdin=talk)
    row = b'{"format":"inner-voice-memory/1"}\n' + exported.split(b"\n")[1]
    assert "1 already known" in voice.ok("import", "-", stdin=row).out
    assert "stored" in voice.ok("remember", "--as-text", stdin=talk).out


def test_what_can_be_seen_to_be_wrong_is_refused_before_the_memory_is_opened(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as shut:
        shut.setattr("voice.bootstrap.open_services", failing(AssertionError("the memory was opened")))
        for command, said in TABLES["what_can_be_seen_to_be_wrong_is_refused_before_the_memory_is_opened"]:
            assert said in told.refused(*command)
    for model in ("nonsense", "gemini/", "/gemini-2.5-pro", ""):
        assert "-m takes PROVIDER/MODEL" in told.refused("ask", "Where is the kiln?", "-m", model)
    assert told("ask", "Where is the kiln?", "-m", "extractive").code == 0
