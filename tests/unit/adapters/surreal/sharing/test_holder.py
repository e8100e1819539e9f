"""Whoever holds a store is named by program and process, and never by what was typed."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tables import tables
from voice.adapters.surreal.sharing import holder
from voice.adapters.surreal.sharing.holder import held_message, refuse_if_held
from voice.core.errors import StoreHeld
from voice.entrypoints.cli.main import COMMANDS

TABLES = tables(__file__)


def _proc(place: Path, pid: int, *arguments: str) -> Path:
    (place / str(pid)).mkdir(parents=True)
    (place / str(pid) / "cmdline").write_bytes(b"".join(argument.encode() + b"\x00" for argument in arguments))
    return place


def _lock(directory: Path, content: str) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "LOCK").write_text(content)
    return directory


@pytest.mark.parametrize(("arguments", "named"), TABLES["the_holder_is_named_without_its_words"])
def test_the_holder_is_named_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], named: str
) -> None:
    monkeypatch.setattr(holder, "_PROC", _proc(tmp_path / "proc", 77, *arguments))
    message = held_message(_lock(tmp_path / "store", "77\n"))
    assert message.startswith(f"{named} holds the store {tmp_path}")
    assert "secret" not in message


def test_every_subcommand_is_told_by_its_name() -> None:
    assert COMMANDS.keys() == holder.COMMANDS


def test_a_holder_without_a_process_table_is_still_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holder, "_PROC", tmp_path / "none")
    assert held_message(_lock(tmp_path / "store", "77")).startswith("process 77 holds")
    assert held_message(_lock(tmp_path / "store", "")).startswith("another process holds")
    assert held_message(tmp_path / "nowhere").startswith("another process holds")


def test_an_emptied_lock_file_is_looked_up_in_the_kernels_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = _lock(tmp_path / "store", "")
    inode = (directory / "LOCK").stat().st_ino
    proc = _proc(tmp_path / "proc", 77, "voice", "serve")
    (proc / "locks").write_text(
        f"1: POSIX  ADVISORY  READ 5 fe:00:{inode} 0 EOF\n2: FLOCK  ADVISORY  WRITE 77 fe:00:{inode} 0 EOF\n"
    )
    monkeypatch.setattr(holder, "_PROC", proc)
    assert held_message(directory).startswith("voice serve (process 77) holds")
    (proc / "locks").write_text("")
    assert held_message(directory).startswith("another process holds")


def test_a_free_or_missing_store_is_not_refused(tmp_path: Path) -> None:
    refuse_if_held(tmp_path / "nowhere")
    refuse_if_held(_lock(tmp_path / "store", str(os.getpid())))


def test_a_lock_of_another_process_is_refused(tmp_path: Path) -> None:
    directory = _lock(tmp_path / "store", "")
    script = (
        f"import fcntl,sys; f=open({str(directory / 'LOCK')!r}); fcntl.flock(f, 2); print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(StoreHeld, match=f"process {process.pid}"):
            refuse_if_held(directory)
        process.communicate("\n")
    refuse_if_held(directory)


def test_a_lock_of_this_process_is_told_apart(tmp_path: Path) -> None:
    directory = _lock(tmp_path / "store", str(os.getpid()))
    with (directory / "LOCK").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(StoreHeld, match="this process already has the store"):
            refuse_if_held(directory)
