"""Stores that earlier versions wrote, with their backups, in the hands of this one.

Each archive in tests/fixtures/stores is a data directory as the last version before a schema step wrote it; the next
one is made with tools/old_store.py.
"""

import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from cli_runner import Run, Voice
from voice.adapters.surreal.schema import shipped

STORES = Path(__file__).resolve().parents[2] / "fixtures" / "stores"
ARCHIVES = sorted(path.name.removesuffix(".tar.xz") for path in STORES.glob("*.tar.xz"))
Turns = list[dict[str, Any]]
pytestmark = [pytest.mark.requirement("sessions:earlier-schemas")]


@pytest.fixture(params=ARCHIVES)
def old(request: pytest.FixtureRequest, tmp_path: Path, run_voice: Run) -> Voice:
    return Voice(unpacked(STORES / f"{request.param}.tar.xz", tmp_path / "home"), run_voice)


def unpacked(archive: Path, home: Path) -> Path:
    """Unpack a data directory; its key is in nobody's sight."""
    home.mkdir(mode=0o700)
    with tarfile.open(archive) as packed:
        packed.extractall(home, filter="data")
    (home / "key").chmod(0o600)
    return home


def restore(voice: Voice, old: Path) -> None:
    """Fill a memory, which gets the old key, with the backup of a data directory."""
    shutil.copy2(old / "key", voice.home / "key")
    voice.ok("maintain", "restore-backup", str(old / "store.backup"))
    voice.verify()


def turns_of(voice: Voice) -> Turns:
    return voice.ok("sessions", "show", "the kiln", "--private", "--json").json["exchanges"]


def check_turns(turns: Turns) -> None:
    assert [(turn["status"], turn["private"], turn["my_query"]) for turn in turns] == [
        ("answered", False, "Where did I move the kiln?"),
        ("refused", False, "Who is the emperor of China?"),
        ("answered", False, "What does the blue glaze need?"),
        ("answered", True, "What opens the safe?"),
    ]
    assert turns[0]["answer"] == "Moved the kiln to the shed behind the house."
    assert all(turn["prompt_hash"] for turn in turns if turn["status"] == "answered")


def test_there_is_a_store_of_every_schema_but_the_newest_and_of_no_other() -> None:
    """What is missing is made with: python tools/old_store.py REVISION, the last one before the next step came."""
    steps = [step.name for step in shipped()]
    assert [step for step in steps[:-1] if step not in ARCHIVES] == []
    assert [name for name in ARCHIVES if name not in steps] == []
    assert len(steps) > 1


def test_a_store_of_an_earlier_version_is_opened_continued_and_audited(old: Voice) -> None:
    check_turns(turns_of(old))
    old.ok("ask", "Where did I move the kiln?", "-s", "the kiln")
    after = turns_of(old)
    check_turns(after[:4])
    assert after[4]["answer"] == after[0]["answer"]
    old.ok("sessions", "audit", "--all")
    old.verify()


@pytest.mark.parametrize("old", ARCHIVES[::6], indirect=True)
def test_what_an_earlier_version_wrote_comes_in_elsewhere_as_a_backup_and_as_a_conversation(
    old: Voice, other: Voice, voice: Voice
) -> None:
    restore(other, old.home)
    check_turns(turns_of(other))
    left = old.ok("sessions", "export", "the kiln", "--private").out
    voice.ok("sessions", "import", "-", stdin=left.encode())
    check_turns(turns_of(voice))


@pytest.mark.requirement("sessions:earlier-judge")
def test_a_backup_with_answers_of_an_earlier_judge_is_restored(other: Voice, tmp_path: Path) -> None:
    restore(other, unpacked(STORES.parent / "judged" / "lexical-1.tar.xz", tmp_path / "old"))
    other.ok("sessions", "audit", "--all")
