"""Marking, archiving, taking away and bringing back, on the command line."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from cli_runner import SETTINGS, Documented, Voice
from voice.adapters.surreal.stores.removals import SurrealRemovedRows
from voice.core.errors import StoreUnavailable
from voice.core.records import Tombstone
from voice.services.removal import removals

KILN = "Moved the kiln to the shed."
ONE = "1 thought and 1 dependent row"


@pytest.fixture
def told(voice: Voice) -> Voice:
    voice.settings(f'{SETTINGS}\n[archive]\nretention_days = 0\nformat = "jsonl"\n')
    voice.ok("remember", KILN)
    return voice


def kiln(voice: Voice) -> str:
    found = voice.ok("retrieve", "kiln", "--mix", "0", "--json").json["snippets"]
    return next(each["id"] for each in found if each["id"].startswith("t:"))


@pytest.mark.requirement("cli:places", "s1:config:SURR_ARCHIVE_DIR")
def test_an_archive_is_shown_where_it_is(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    (told.home.parent / "far away").mkdir()
    (told.home.parent / "linked").symlink_to(told.home.parent / "far away")
    monkeypatch.setenv("SURR_ARCHIVE_DIR", "../kept/../linked")
    where = told.home.parent.resolve() / "far away"
    told.ok("removals", "mark", kiln(told))
    (exported,) = told.ok("removals", "export", "--json").json["archives"]
    (listed,) = told.ok("removals", "list", "--json").json["candidates"]
    settings = told.ok("config", "--json").json["settings"]
    path = Path(exported["path"])
    assert (path.parent, path.is_file(), listed["archive"]) == (where, True, str(path))
    assert [each["value"] for each in settings if each["name"] == "archive.directory"] == [str(where)]


@pytest.mark.requirement("s1:maintenance:list_removal_candidates", "s1:maintenance:finalize_removal", "ruling:F.9")
def test_a_thought_is_marked_archived_taken_away_and_brought_back(told: Voice, is_as_documented: Documented) -> None:
    row_id = kiln(told)
    is_as_documented("cli/maintain-mark", told.ok("removals", "mark", row_id, "--dry-run", "--json"))
    assert told.ok("removals", "mark", row_id).out.startswith("marked 1 thought and 1 dependent row; due on 20")
    assert told.ok("retrieve", "kiln", "--mix", "0", "--json").json["snippets"] == []
    listed = told.ok("removals", "list", "--json")
    is_as_documented("cli/maintain-removals", listed)
    assert "no verified archive holds it" in told.ok("removals", "list").out
    is_as_documented("cli/maintain-export-removals", told.ok("removals", "export", "--dry-run", "--json"))
    assert not (told.home / "archive").exists()
    exported = told.ok("removals", "export", "--json")
    is_as_documented("cli/maintain-export-removals", exported)
    (archive,) = (told.home / "archive").iterdir()
    assert archive.stat().st_mode & 0o777 == 0o600
    assert "ready to delete" in told.ok("removals", "list").out
    dry = told.ok("removals", "finalise", "--json")
    is_as_documented("cli/maintain-finalise-removals", dry)
    assert told.ok("removals", "finalise").out == f"would delete {ONE}; to delete, add --apply\n"
    assert told.ok("removals", "finalise", "--apply").out == f"deleted {ONE}\n"
    assert "is gone: it was finalised on" in told("removals", "mark", row_id).only_line
    told.verify()
    planned = told.ok("removals", "restore", str(archive), "--dry-run", "--json")
    is_as_documented("cli/maintain-restore-removed", planned)
    back = told.ok("removals", "restore", str(archive), row_id)
    assert back.out == "restored 1 thought and 1 dependent row\n"
    assert kiln(told) == row_id
    assert "2 rows already there" in told.ok("removals", "restore", str(archive)).only_line


@pytest.mark.requirement("ruling:F.9")
def test_a_damaged_archive_is_named_and_nothing_goes(told: Voice, is_as_documented: Documented) -> None:
    row_id = kiln(told)
    told.ok("removals", "mark", row_id)
    told.ok("removals", "export")
    (archive,) = (told.home / "archive").iterdir()
    archive.write_bytes(archive.read_bytes().replace(b"shed", b"shop"))
    ran = told.ok("removals", "finalise", "--apply", "--json")
    is_as_documented("cli/maintain-finalise-removals", ran)
    assert (ran.json["gone"], len(ran.json["kept"]), len(ran.json["faults"])) == ([], 1, 1)
    assert archive.name in ran.only_line
    assert row_id in told.ok("removals", "finalise", "--apply").out
    assert told("removals", "restore", str(archive)).code == 2


@pytest.mark.requirement("ruling:F.9")
def test_what_stops_between_two_transactions_says_what_is_gone_and_what_is_left(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.ok("removals", "mark", kiln(told), told.remember("Took the ferry to the island."))
    told.ok("removals", "export")
    whole, taken = SurrealRemovedRows.finalise, list[str]()

    async def once(self: SurrealRemovedRows, stones: Sequence[Tombstone], revisions: Mapping[str, int]) -> None:
        if taken:
            raise StoreUnavailable("the disk is full")
        taken.extend(stone.row_id for stone in stones)
        await whole(self, stones, revisions)

    monkeypatch.setattr(removals, "_AT_ONCE", 1)
    monkeypatch.setattr(SurrealRemovedRows, "finalise", once)
    ran = told("removals", "finalise", "--apply")
    assert (ran.code, ran.out) == (StoreUnavailable.exit_code, "")
    assert "deleted at least 1 of 2 thoughts" in ran.err
