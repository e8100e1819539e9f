"""Keeping a memory safe and in order: `maintain`."""

import json
import shutil
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import anyio
import pytest

from cli_runner import SOUND, Documented, Voice, findings
from voice.adapters.surreal.backup import SurrealMaintenance
from voice.adapters.surreal.embedded_engine import Engine, EngineFailed
from voice.adapters.surreal.opening import open_store


@pytest.mark.requirement("ruling:H.2a")
def test_a_backup_fills_an_empty_memory_and_both_export_the_same(
    told: Voice, other: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    file = tmp_path / "memory.backup"
    made = told.ok("maintain", "backup", str(file), "--json")
    is_as_documented("cli/maintain-backup", made)
    assert str(told.home / "key") in made.only_line
    shutil.copy2(told.home / "key", other.home / "key")
    is_as_documented("cli/maintain-restore-backup", other.ok("maintain", "restore-backup", str(file), "--json"))
    assert other.ok("export", "-").out == told.ok("export", "-").out
    assert other("maintain", "restore-backup", str(file)).code == 2
    other.verify()


def test_a_backup_replaces_nothing_unless_asked_for(told: Voice, tmp_path: Path) -> None:
    file = tmp_path / "memory.backup"
    assert "rows" in told.ok("maintain", "backup", str(file)).out
    before = file.read_bytes()
    assert "--force" in told("maintain", "backup", str(file)).only_line
    assert file.read_bytes() == before
    told.ok("remember", "Anna came by.")
    told.ok("maintain", "backup", str(file), "--force")
    assert file.read_bytes() != before


@pytest.mark.parametrize(
    ("name", "said"), [("", "is a directory"), ("missing/memory.backup", "is not a directory; create it first")]
)
def test_a_backup_needs_a_place(told: Voice, tmp_path: Path, name: str, said: str) -> None:
    assert said in told.refused("maintain", "backup", str(tmp_path / name))


def test_a_damaged_backup_is_refused_as_a_whole(told: Voice, tmp_path: Path) -> None:
    file = tmp_path / "memory.backup"
    told.ok("maintain", "backup", str(file))
    file.write_bytes(file.read_bytes().replace(b"kiln", b"kilt"))
    shutil.rmtree(told.home / "memory")
    assert "[data_file_error]" in told.refused("maintain", "restore-backup", str(file))
    assert told.ok("export", "-").only_line.startswith("voice: 0 rows")


def test_faults_of_the_store_are_listed_and_end_with_a_failure(
    told: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    is_as_documented("cli/maintain-verify", told.ok("maintain", "verify", "--json"))

    async def find(self: SurrealMaintenance, progress: object = None) -> list[str]:
        return ["t:1: its text is not the one that was stored"]

    monkeypatch.setattr(SurrealMaintenance, "verify", find)
    ran = told("maintain", "verify")
    assert (ran.code, ran.out) == (1, "t:1: its text is not the one that was stored\n")
    assert "1 fault; restore a backup" in ran.only_line


def test_a_store_that_reads_and_does_not_open_again_is_called_damaged(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, start = list[str](), Engine.start

    def once(self: Engine, url: str) -> "Future[None]":
        opened.append(url)
        if len(opened) == 1:
            return start(self, url)
        done = Future[None]()
        done.set_exception(EngineFailed("There was a problem with a datastore: Failed to load manifest"))
        return done

    monkeypatch.setattr(Engine, "start", once)
    ran = told("maintain", "verify")
    assert (ran.code, ran.out) == (1, "")
    assert ran.only_line.endswith("[store_damaged]")


def progress_of(monkeypatch: pytest.MonkeyPatch, place: str) -> list[tuple[str, int, int]]:
    """Return a list that notes each step of which the bars of this place are told."""
    shown: list[tuple[str, int, int]] = []

    @contextmanager
    def bars() -> Generator[Callable[[str, int, int], None]]:
        yield lambda title, done, total: shown.append((title, done, total))

    monkeypatch.setattr(import_module(f"voice.entrypoints.cli.{place}"), "progress", bars)
    return shown


def test_a_long_look_at_the_store_shows_how_far_it_is(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    told.ok("ask", "Where is the kiln?")
    shown = progress_of(monkeypatch, "maintain")
    told.ok("maintain", "verify")
    assert shown == [("Checking sessions", 1, 1), ("Adding up the costs", 1, 1)]


def test_a_long_report_shows_how_many_of_its_seconds_it_has_read(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    told.ok("ask", "Where is the kiln?")
    shown = progress_of(monkeypatch, "terminal.runtime")
    told.ok("report")
    ((title, done, seconds),) = shown
    assert (title, done, 0 <= seconds < 10**6) == ("Adding up", 0, True)


@pytest.mark.requirement("spending:recounted")
def test_a_sum_that_spending_caps_go_by_is_put_right_where_that_is_asked_for(told: Voice) -> None:
    async def damage() -> None:
        async with await open_store(told.home / "memory", home=told.home) as stores:
            wrong = "CREATE spending:`d20000` SET known = 4dec, at_worst = 0dec, unknown = 0 RETURN NONE"
            await stores.connection.run("damage", wrong)

    anyio.run(damage)
    ran = told("maintain", "verify")
    assert (ran.code, ran.out) == (1, "spending: 1 sum does not match the turns (1 of a day)\n")
    assert "voice maintain verify --mend" in ran.only_line
    mended = told.ok("maintain", "verify", "--mend")
    assert (mended.out, mended.only_line.endswith("(1 of a day); repaired")) == (SOUND, True)
    sound = told.ok("maintain", "verify")
    assert (sound.out, sound.err) == (SOUND, "")


@pytest.mark.requirement("ruling:D20", "ruling:H.7")
def test_a_restoration_says_what_cannot_be_proven_without_the_old_key(
    told: Voice, nowhere: Voice, other: Voice, tmp_path: Path
) -> None:
    file = str(tmp_path / "memory.backup")
    told.ok("maintain", "backup", file)
    said = nowhere.ok("maintain", "restore-backup", file).err
    assert f"{nowhere.home / 'key'} was missing" in said
    assert "cannot prove old prompts" in said
    shutil.copy2(told.home / "key", other.home / "key")
    assert other.ok("maintain", "restore-backup", file).err == ""


def test_the_index_is_made_anew(told: Voice, is_as_documented: Documented) -> None:
    is_as_documented("cli/maintain-reindex", told.ok("maintain", "rebuild", "--json"))
    assert told.ok("maintain", "rebuild").out == "3 rows, 3 vectors in the index\n"


@pytest.mark.requirement("ruling:H.2b")
def test_a_store_set_back_and_written_on_stays_an_alarm_until_the_index_is_made_anew(told: Voice) -> None:
    rows = (json.dumps({"type": "thought", "content": f"Row {n}."}) for n in range(600))
    told.ok("import", "-", stdin="\n".join(rows).encode())
    shutil.copytree(told.home / "memory", told.home / "kept")
    told.ok("remember", "Zebra one crossed the road. Zebra two stood still.")
    told.ok("maintain", "rebuild")
    shutil.rmtree(told.home / "memory")
    (told.home / "kept").rename(told.home / "memory")
    for number in range(4):
        told.ok("remember", f"Pelican crane number {number}.")
    assert "set back" in told("retrieve", "pelican crane").only_line
    assert "set back" in findings(told("doctor", "--json"))["index"]["detail"]
    told.ok("maintain", "rebuild")
    assert all(f"number {number}." in told.ok("retrieve", "pelican crane").out for number in range(4))
