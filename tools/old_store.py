"""Writes a small store as a past revision of voice wrote it, for the tests that open it with today's voice.

    .venv/bin/python tools/old_store.py REVISION [STEP]

Run it with the last revision before a new schema step is committed, and commit what it writes: one archive in
tests/fixtures/stores, named after the last step, with the data directory, its key and a backup. It is never written
again: a store that was written stays as it is. STEP, the name of the revision's last step, is left out: so a schema is
written that came into the tree together with the next one.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORES = ROOT / "tests" / "fixtures" / "stores"
SETTINGS = """\
enabled = true
[embed]
provider = "hash"
[llm]
provider = "extractive"
[grounding]
single_source = "green"
[time]
timezone = "Europe/Lisbon"
"""
THOUGHTS = (
    ("Moved the kiln to the shed behind the house.",),
    ("The blue glaze needs cobalt and two firings.",),
    ("The safe opens with 4711, said Anna.", "--private"),
)
REFUSED = 3
TURNS = (
    (0, "Where did I move the kiln?", "--new", "the kiln"),
    (REFUSED, "Who is the emperor of China?"),
    (0, "What does the blue glaze need?"),
    (0, "What opens the safe?", "--private"),
)


def main(revision: str, without: str | None = None) -> None:
    """Write the archive of one revision, its last schema step left out where it is named."""
    with tempfile.TemporaryDirectory() as folder:
        source, home = Path(folder) / "source", Path(folder) / "home"
        source.mkdir()
        home.mkdir(mode=0o700)
        archive = subprocess.run(
            ["git", "archive", revision, "src", "prompts"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", str(source)], input=archive.stdout, check=True)
        steps = source / "src/voice/adapters/surreal/migrations"
        if without is not None:
            (steps / f"{without}.surql").unlink()
        (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
        for thought in THOUGHTS:
            _voice(source, home, "remember", *thought)
        for code, *turn in TURNS:
            _voice(source, home, "ask", *turn, code=code)
        _voice(source, home, "maintain", "backup", str(home / "store.backup"))
        name = max(steps.glob("*.surql")).stem
        STORES.mkdir(parents=True, exist_ok=True)
        with tarfile.open(STORES / f"{name}.tar.xz", "x:xz") as packed:
            for member in ("key", "memory", "voice.toml", "store.backup"):
                packed.add(home / member, member, filter=_anonymous)
    print(f"wrote tests/fixtures/stores/{name}.tar.xz")  # noqa: T201  (its output)


def _voice(source: Path, home: Path, *arguments: str, code: int = 0) -> None:
    """Run a command of that revision in the data directory."""
    told = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(source / "src"), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "voice", "--home", str(home), *arguments]
    done = subprocess.run(command, env=told, cwd=home, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"{' '.join(arguments)}: ended with {done.returncode}\n{done.stderr}")


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    main(*sys.argv[1:])
