"""Whatever comes in: one line that says what to do, a non-zero exit, and nothing lost."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, NoReturn

import pytest

from cli_runner import Ran, Voice, run_command
from tables import tables

TABLES = tables(__file__)

KEPT = "Moved the kiln to the shed."


@pytest.fixture
def told(voice: Voice) -> Voice:
    voice.ok("remember", KEPT)
    return voice


def assert_refused(ran: Ran, *, code: int, said: str = "") -> None:
    assert (ran.code, ran.out) == (code, ""), ran
    assert said in ran.only_line
    assert ran.only_line.startswith("voice: ")
    assert ran.only_line.isprintable()
    assert "Traceback" not in ran.err


def assert_nothing_lost(voice: Voice) -> None:
    assert KEPT in voice.ok("export", "-").out
    assert voice.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"


@pytest.mark.parametrize("text", ["", "   \n\t ", "\x00", "\x00 \u200b\u200d \x07", "\ufeff"])
@pytest.mark.parametrize("command", [["remember"], ["ask"], ["retrieve"]])
def test_nothing_said_is_said_to_be_nothing(told: Voice, command: list[str], text: str) -> None:
    assert_refused(told(*command, text), code=2, said="[invalid_params]")
    assert_refused(told(*command, stdin=text.encode()), code=2, said="[invalid_params]")


@pytest.mark.parametrize("command", [["remember"], ["ask"], ["retrieve"], ["kg", "add", "observation"]])
def test_a_pipe_that_is_not_utf8_is_refused_with_its_place(told: Voice, command: list[str]) -> None:
    assert_refused(told(*command, stdin=b"Moved \xff\xfe the kiln"), code=2, said="not UTF-8 text (byte 6)")
    assert_nothing_lost(told)


def test_lines_of_an_import_that_are_not_utf8_are_left_out_and_the_rest_comes_in(told: Voice) -> None:
    ran = told.ok("import", "-", stdin=b'{"type":"thought","content":"Anna came by."}\n{"type":\xff}\n')
    assert "left out line 2" in ran.only_line
    assert "Anna came by." in told.ok("export", "-").out


@pytest.mark.parametrize(
    "text",
    [
        "הכבשן עבר למחסן. \u202eמוסתר\u202c",
        "انتقل الفرن إلى السقيفة.",
        "Kiln 🔥👨‍👩‍👧‍👦 moved to the shed 🏚️.",
        "窯を小屋に移しました。",
        "bell \x07 escape \x1b[31m vertical \x0b tab",
        "x" * 5_000,
        "combining " + "e\u0301" * 300 + ".",
    ],
)
def test_any_words_are_kept_as_they_are_and_found_again(voice: Voice, text: str) -> None:
    voice.ok("remember", text, "--tag", "Été 🔥", "--thread", "שרשור")
    kept = [json.loads(line) for line in voice.ok("export", "-").out.splitlines()]
    assert text in [row.get("content") for row in kept]
    ran = voice("ask", text)
    assert ran.code in (0, 3)
    assert not any(ord(char) < 32 and char not in "\n\t" for char in ran.out)
    assert not set(ran.out) & set("\x9b\u202e\u2066")


def test_a_nul_inside_a_text_is_dropped_and_the_words_stay(voice: Voice) -> None:
    voice.ok("remember", stdin=b"Moved the\x00 kiln to the shed.")
    assert KEPT in voice.ok("export", "-").out


def test_a_megabyte_is_kept_or_refused_in_one_line(told: Voice) -> None:
    too_long = told("ask", stdin=b"kiln " * 200_000)
    assert_refused(too_long, code=2, said="at most 20,000")
    assert_refused(told("remember", stdin=b"kiln " * 600_000), code=2, said="split it first")
    told.ok("remember", stdin=b"x" * 900_000)
    assert_nothing_lost(told)


@pytest.mark.parametrize("when", ["0000-01-01", "0001-01-01", "9999-12-31", "9999-12-31T23:59:59-12:00", "2025-02-30"])
@pytest.mark.parametrize("command", [["remember", "Hello there."], ["kg", "add", "entity", "Anna"]])
def test_a_date_that_cannot_be_is_refused(told: Voice, command: list[str], when: str) -> None:
    assert_refused(told(*command, "--at", when), code=2, said="--at is not a date or time")


@pytest.mark.parametrize("when", ["0000-01-01", "in the year 0", "9999-99-99", "", "gibberish", "before 0001-01-01"])
def test_a_time_that_cannot_be_is_refused_or_finds_nothing(told: Voice, when: str) -> None:
    for command in (["ask", "Where is the kiln?"], ["retrieve", "kiln"]):
        ran = told(*command, "--when", when)
        assert ran.code in (0, 2, 3)
        assert len(ran.err.splitlines()) <= 1
    assert told("report", "--since", when).code in (0, 2)


@pytest.mark.parametrize(
    ("command", "said"),
    TABLES["what_is_not_there_is_said_in_one_line"],
)
def test_what_is_not_there_is_said_in_one_line(told: Voice, command: list[str], said: str) -> None:
    assert_refused(told(*command), code=2, said=said)


def test_a_prompt_that_there_is_none_of_is_unknown_like_any_other_name(told: Voice) -> None:
    ran = told("prompts", "show", "nosuch")
    assert_refused(ran, code=2, said="unknown prompt 'nosuch'; choose one of: answer.v1, answer.v2")
    assert ran.only_line.endswith("[unknown_id]")


def test_a_folder_where_a_file_belongs_is_said(told: Voice, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert_refused(told("export", str(tmp_path / "folder")), code=2, said="already there")
    assert_refused(told("export", str(tmp_path / "folder"), "--force"), code=2, said="cannot write")
    assert_refused(told("import", str(tmp_path), "--format", "inner-voice-memory/1"), code=2, said="cannot read")
    (told.home / "voice.toml").unlink()
    (told.home / "voice.toml").mkdir()
    assert_refused(told("config"), code=4, said="voice.toml cannot be read")


def test_an_export_below_a_file_or_nowhere_is_said(told: Voice, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert_refused(told("export", str(tmp_path / "file" / "x.jsonl")), code=2, said="cannot write")
    assert_refused(told("export", str(tmp_path / "missing" / "x.jsonl")), code=2, said="No such file or directory")


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/no-place-for-data"])
def test_a_data_directory_that_cannot_be_is_said(
    run_voice: Callable[[list[str], bytes], Ran], tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_text("")
    home = str(tmp_path / place)
    for command in (["remember", KEPT], ["init"], ["sessions", "list"]):
        ran = run_voice(["--home", home, *command], b"")
        assert ran.code in (1, 4)
        assert_refused(ran, code=ran.code, said=home)
    doctor = run_voice(["--home", home, "doctor"], b"")
    assert (doctor.code, doctor.err) == (1, "")


def test_a_data_directory_that_cannot_be_written_is_said(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.access

    def read_only(path: str, mode: int) -> bool:
        return real(path, mode) and not mode & os.W_OK

    with monkeypatch.context() as rights:
        rights.setattr(os, "access", read_only)
        assert_refused(told("remember", "Hello there."), code=4, said="cannot be written")
        assert told("doctor").code == 1
    assert_nothing_lost(told)


@pytest.mark.requirement("ruling:C16")
@pytest.mark.parametrize(("toml", "said"), TABLES["settings_that_cannot_be_meant_stop_every_command"])
def test_settings_that_cannot_be_meant_stop_every_command(told: Voice, toml: str, said: str) -> None:
    before = (told.home / "voice.toml").read_bytes()
    (told.home / "voice.toml").write_text(toml, encoding="utf-8")
    for command in (["remember", "Hello there."], ["config"], ["ask", "Where?"]):
        assert_refused(told(*command), code=4, said=said)
    (told.home / "voice.toml").write_bytes(before)
    assert_nothing_lost(told)


def test_settings_that_nobody_knows_are_remarked_and_ignored(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_TOPK", "5")
    assert "unknown variable SURR_TOPK" in told.ok("sessions", "list").err.splitlines()[0]


@pytest.mark.parametrize("url", ["postgres://x", "surrealkv://", "ws://", "mem://extra"])
def test_an_address_that_is_no_store_is_said(told: Voice, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SURR_DB_URL", url)
    assert_refused(told("remember", "Hello there."), code=4, said="SURR_DB_URL")


def test_a_server_that_is_not_there_is_said(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_DB_URL", "ws://127.0.0.1:9")
    ran = told("remember", "Hello there.")
    assert_refused(ran, code=1, said="[store_unavailable]")


def test_a_missing_key_of_a_store_is_said_and_never_made_anew(told: Voice) -> None:
    (told.home / "key").rename(told.home / "elsewhere")
    assert_refused(told("remember", "Hello there."), code=4, said="put it back from your own copy")
    (told.home / "elsewhere").rename(told.home / "key")
    assert_nothing_lost(told)


@pytest.mark.requirement("holder:one", "holder:doctor")
def test_a_store_that_another_process_holds_is_used_through_it_and_the_doctor_names_it(told: Voice) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-m", "voice", "--home", str(told.home), "chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        _wait_for_prompt(holder.stderr)
        assert told("remember", "The safe opens with 4711.").code == 0
        doctor = told("doctor")
        assert (doctor.code, f"process {holder.pid}" in doctor.out) == (0, True)
        real = run_command("retrieve", "safe", home=told.home)
        assert (real.code, "4711" in real.out) == (0, True)
    finally:
        holder.communicate(b"\n", timeout=60)
    assert holder.returncode == 0
    assert_nothing_lost(told)


def _wait_for_prompt(stream: IO[bytes] | None) -> None:
    assert stream is not None
    said = b""
    while not said.endswith(b"> "):
        char = stream.read(1)
        assert char, said
        said += char


@pytest.mark.requirement("promise:6")
def test_an_export_that_is_piped_in_as_a_thought_is_refused_unless_it_is_meant_as_a_text(voice: Voice) -> None:
    voice.ok("remember", "The safe opens with 30-11-7.", "--private")
    exported = voice.ok("export", "-").out.encode()
    for arguments in (["remember"], ["remember", "-"]):
        assert_refused(voice(*arguments, stdin=exported), code=2, said="import it with `voice import -`")
    talk = b'{\n  "format": "voice-session/1",\n  "session": {}\n}'
    assert_refused(voice("remember", stdin=talk), code=2, said="import it with `voice sessions import -`")
    assert (
        "1 already known"
        in voice.ok("import", "-", stdin=b'{"format":"inner-voice-memory/1"}\n' + exported.split(b"\n")[1]).out
    )
    assert "stored" in voice.ok("remember", "--as-text", stdin=talk).out
    assert "stored" in voice.ok("remember", stdin=b'The settings say {"format": "voice-session/1"} now.').out


@pytest.mark.parametrize(
    ("command", "said"),
    TABLES["what_can_be_seen_to_be_wrong_is_refused_before_the_memory_is_opened"],
)
def test_what_can_be_seen_to_be_wrong_is_refused_before_the_memory_is_opened(
    voice: Voice, monkeypatch: pytest.MonkeyPatch, command: list[str], said: str
) -> None:
    def opened(*_: object) -> NoReturn:
        raise AssertionError("the memory was opened")

    monkeypatch.setattr("voice.bootstrap.open_services", opened)
    assert_refused(voice(*command), code=2, said=said)


def test_a_correction_without_a_word_is_told_as_one(told: Voice) -> None:
    thought = next(
        found[0] for line in told.ok("export", "-").out.splitlines() if (found := re.findall(r"t:\w+", line))
    )
    assert_refused(told("correct", thought, ""), code=2, said="there are no new words")


def test_a_folder_without_notes_is_told_in_one_line(voice: Voice, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin.md").write_bytes("Der Ofen glüht.".encode("latin-1"))
    ran = voice("import", str(tmp_path / "empty"))
    assert (ran.code, ran.out) == (2, "")
    assert "found nothing to import in" in ran.only_line
    for name in ("latin.md", "empty"):
        ran = voice("import", str(tmp_path / name), "--dry-run")
        assert (ran.code, ran.err.endswith("[data_file_error]\n")) == (2, True)


@pytest.mark.parametrize("model", ["nonsense", "gemini-2.5-pro", "gemini/", "/gemini-2.5-pro", ""])
def test_a_model_without_its_provider_is_told_how_to_be_written(told: Voice, model: str) -> None:
    assert_refused(told("ask", "Where is the kiln?", "-m", model), code=2, said="-m takes PROVIDER/MODEL")


def test_the_provider_that_has_one_model_may_stand_alone(told: Voice) -> None:
    assert told("ask", "Where is the kiln?", "-m", "extractive").code == 0


def test_an_export_that_cannot_be_written_ends_alike_for_a_memory_and_a_conversation(told: Voice) -> None:
    told.ok("ask", "Where is the kiln?", "--new", "kiln")
    for command in (["export", "/proc/kiln.json"], ["sessions", "export", "kiln", "--out", "/proc/kiln.json"]):
        ran = told(*command)
        assert_refused(ran, code=2, said="/proc/kiln.json")
        assert ran.only_line.endswith("[data_file_error]")
