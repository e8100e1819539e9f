"""Keeping a memory safe and in order: `maintain`."""

import shutil
from pathlib import Path

import anyio
import pytest

from cli_runner import SOUND, Documented, Voice
from voice.adapters.surreal.backup import SurrealMaintenance
from voice.adapters.surreal.opening import open_store


@pytest.mark.requirement("ruling:H.2a")
def test_a_backup_fills_an_empty_memory_and_both_export_the_same(
    told: Voice, other: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    file = tmp_path / "memory.backup"
    made = told.ok("maintain", "backup", str(file), "--json")
    is_as_documented("cli/maintain-backup", made)
    assert str(told.home / "key") in made.only_line
    before = file.read_bytes()
    assert "--force" in told("maintain", "backup", str(file)).only_line
    assert file.read_bytes() == before
    shutil.copy2(told.home / "key", other.home / "key")
    is_as_documented("cli/maintain-restore-backup", other.ok("maintain", "restore-backup", str(file), "--json"))
    assert other.ok("export", "-").out == told.ok("export", "-").out
    assert other("maintain", "restore-backup", str(file)).code == 2
    other.verify()


def test_a_backup_needs_a_place(told: Voice, tmp_path: Path) -> None:
    for name, said in (("", "is a directory"), ("missing/memory.backup", "is not a directory; create it first")):
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
