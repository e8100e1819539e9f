"""Stores that earlier versions wrote, with their backups, in the hands of this one.

Each archive in tests/fixtures/stores is a data directory as the last version before a schema step wrote it; the next
one is made with tools/old_store.py.
"""

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from cli_runner import SETTINGS, Ran, Voice
from voice.adapters.surreal.schema import shipped

STORES = Path(__file__).resolve().parents[2] / "fixtures" / "stores"
ARCHIVES = sorted(path.name.removesuffix(".tar.xz") for path in STORES.glob("*.tar.xz"))
Turns = list[dict[str, object]]
pytestmark = [pytest.mark.requirement("sessions:earlier-schemas")]


@pytest.fixture(params=ARCHIVES)
def old(request: pytest.FixtureRequest, tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]) -> Voice:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with tarfile.open(STORES / f"{request.param}.tar.xz") as packed:
        packed.extractall(home, filter="data")
    (home / "key").chmod(0o600)
    return Voice(home, run_voice)


def turns_of(voice: Voice) -> Turns:
    shown = voice.ok("sessions", "show", "the kiln", "--private", "--json").json
    return cast("Turns", cast("dict[str, object]", shown)["exchanges"])


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


def test_a_store_of_an_earlier_version_is_opened_read_audited_and_continued(old: Voice) -> None:
    before = turns_of(old)
    check_turns(before)
    assert old.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"
    old.ok("sessions", "audit", "--all")
    old.ok("ask", "Where did I move the kiln?", "-s", str(before[0]["session_id"]))
    after = turns_of(old)
    assert after[:4] == before
    assert after[4]["answer"] == before[0]["answer"]
    assert old.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"


def test_a_conversation_of_an_earlier_version_leaves_and_comes_in_elsewhere(
    old: Voice, tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]
) -> None:
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    (other / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    there, path = Voice(other, run_voice), str(tmp_path / "kiln.json")
    old.ok("sessions", "export", "the kiln", "--private", "--out", path)
    there.ok("sessions", "import", path)
    check_turns(turns_of(there))


def test_a_backup_of_an_earlier_version_is_restored(
    old: Voice, tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]
) -> None:
    new = tmp_path / "new"
    new.mkdir(mode=0o700)
    (new / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    (new / "key").write_bytes((old.home / "key").read_bytes())
    (new / "key").chmod(0o600)
    restored = Voice(new, run_voice)
    restored.ok("maintain", "restore-backup", str(old.home / "store.backup"))
    check_turns(turns_of(restored))
    assert restored.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"


@pytest.mark.requirement("sessions:earlier-judge")
def test_a_backup_with_answers_of_an_earlier_judge_is_restored(
    tmp_path: Path, run_voice: Callable[[list[str], bytes], Ran]
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    with tarfile.open(STORES.parent / "judged" / "lexical-1.tar.xz") as packed:
        packed.extractall(old, filter="data")
    new.mkdir(mode=0o700)
    (new / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    (new / "key").write_bytes((old / "key").read_bytes())
    (new / "key").chmod(0o600)
    restored = Voice(new, run_voice)
    restored.ok("maintain", "restore-backup", str(old / "store.backup"))
    assert restored.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"
    restored.ok("sessions", "audit", "--all")
