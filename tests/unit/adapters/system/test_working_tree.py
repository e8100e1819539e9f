"""Working directories, and what git knows of them."""

import os
import subprocess
from pathlib import Path

import pytest

from voice.adapters.system.spool import LocalWorkingTree

pytestmark = pytest.mark.requirement("capture:checked")
TREE = LocalWorkingTree()


def git(place: Path, *arguments: str) -> str:
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    done = subprocess.run(
        ["git", "-C", str(place), *arguments], capture_output=True, env={**os.environ, **names}, check=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    place = tmp_path / "repository"
    (place / "src" / "kiln").mkdir(parents=True)
    (place / "src" / "kiln" / "fire.py").write_text("hot\n", encoding="utf-8")
    git(tmp_path, "init", "-q", "-b", "main", str(place))
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "Fire")
    return place


async def test_paths_are_found_from_the_directory_the_root_and_by_their_ends(repository: Path) -> None:
    names = (
        "src/kiln/fire.py", "fire.py", "kiln/fire.py", "ire.py", "src/", "./src", "gone.py", "/etc", "/gone/x", "~/",
    )  # fmt: skip
    found = await TREE.found(str(repository / "src"), names)
    assert found == {"src/kiln/fire.py", "fire.py", "kiln/fire.py", "src/", "./src", "/etc", "~/"}


async def test_commits_are_found_by_whole_and_short_names_and_branches_too(repository: Path) -> None:
    whole = git(repository, "rev-parse", "HEAD")
    names = (whole, whole[:9], "0123456789abcdef0123456789abcdef01234567", "abcdef1", "heads/main")
    assert await TREE.found(str(repository), names) == {whole, whole[:9], "heads/main"}


async def test_nothing_is_found_where_there_is_no_directory_and_no_commit_where_there_is_no_git(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = git(repository, "rev-parse", "HEAD")
    assert await TREE.found("", ("/etc",)) == frozenset()
    assert await TREE.found(str(tmp_path / "gone"), ("/etc",)) == frozenset()
    assert await TREE.found(str(repository), ()) == frozenset()
    assert await TREE.found(str(tmp_path), (whole, "repository")) == {"repository"}
    (repository / ".git" / "HEAD").unlink()
    assert await TREE.found(str(repository), (whole, "src/")) == {"src/"}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await TREE.found(str(repository), (whole, "src/")) == {"src/"}


async def test_a_name_that_no_file_can_have_is_not_found(repository: Path) -> None:
    assert await TREE.found(str(repository), ("~nobody-there/x", "a" * 5_000, "a\0b")) == frozenset()


async def test_no_program_that_a_repository_names_is_run(repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n", encoding="utf-8")
    program.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(program))
    await TREE.found(str(repository), ("gone.py", "abcdef1"))
    assert not ran.exists()


@pytest.mark.requirement("capture:ignored")
async def test_the_nearest_ignore_file_counts_up_to_the_root_of_the_repository(repository: Path) -> None:
    inside = repository / "src" / "kiln"
    (repository.parent / ".voiceignore").write_text("above\n", encoding="utf-8")
    assert await TREE.ignore_file(str(inside)) is None
    (repository / ".voiceignore").write_text("root\n", encoding="utf-8")
    assert await TREE.ignore_file(str(inside)) == "root\n"
    (repository / "src" / ".voiceignore").write_text("", encoding="utf-8")
    assert await TREE.ignore_file(str(inside)) == ""
    assert await TREE.ignore_file(str(repository.parent)) == "above\n"
    assert await TREE.ignore_file("") is None


@pytest.mark.requirement("capture:ignored")
async def test_an_ignore_file_that_cannot_be_read_keeps_everything_out(tmp_path: Path) -> None:
    file = tmp_path / ".voiceignore"
    file.mkdir()
    assert await TREE.ignore_file(str(tmp_path)) == ""
    file.rmdir()
    file.write_text("a\n", encoding="utf-8")
    assert await TREE.ignore_file(str(tmp_path)) == "a\n"
