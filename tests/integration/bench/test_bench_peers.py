"""`python -m bench.peers` with the peers that need no network: this program and SQLite's full text."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

Document = dict[str, Any]

_ROOT = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.xdist_group("peers")]  # what all of it is asked of is made once

DATA: dict[str, object] = {
    "format": "memory-bench/1",
    "name": "two talks",
    "licence": "CC0",
    "corpora": [
        {
            "id": name,
            "items": [
                {"id": f"{name}{number}", "text": text, "created_at": "2024-01-05T10:00:00Z", "speaker": speaker,
                 "thread": "s1", "kind": "message"}
                for number, (text, speaker) in enumerate(rows)
            ],
            "questions": [{"question": question, "category": 1, "evidence": [f"{name}0"], "unanswerable": False}],
        }
        for name, question, rows in (
            ("dogs", "Which dog did Ann adopt?", [("I adopted a greyhound called Pim.", "Ann"), ("Soup.", None)]),
            ("music", "What does the violin need?", [("The violin needs new strings.", "Bob"), ("Rain.", None)]),
        )
    ],
}  # fmt: skip


def run(*arguments: str, cache: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.peers", *arguments, "--env", str(cache)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=_ROOT, check=False, env={**os.environ, **(env or {})}
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of the strings that are asked in every run are made once."""
    return tmp_path_factory.mktemp("peers")


@pytest.fixture(scope="module")
def document(place: Path) -> Document:
    (place / "talks.json").write_text(json.dumps(DATA), encoding="utf-8")
    peers = ("--peers", "voice,sqlite-fts5,mem0", "--repeats", "1", "--offline")
    done = run("--data", str(place / "talks.json"), *peers, "--json", cache=place / "cache")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_document_says_what_was_measured_against_whom_and_what_each_found(document: Document) -> None:
    assert document["format"] == "peers-bench/1"
    assert (document["what"], document["rows"], document["dim"], document["repeats"]) == ("talks.json", 4, 384, 1)
    assert document["base"] == {"peer": "voice", "mode": "local-hybrid"}
    assert set(document["peers"]) == {"voice", "sqlite-fts5"}
    assert document["machine"]["processors"] >= 1
    assert list(document["missing"]) == ["mem0"]
    assert document["missing"]["mem0"].endswith("run once without --offline")
    for name, mode in (("voice", "local-hybrid"), ("sqlite-fts5", "or")):
        assert document["peers"][name]["modes"][mode]["quality"]["recall@5"] == 1.0


def test_this_program_takes_every_hostile_string_and_fts5_takes_them_only_quoted(document: Document) -> None:
    hostile = {
        (name, mode): figures["hostile"]
        for name, peer in document["peers"].items()
        for mode, figures in peer["modes"].items()
    }
    for mode in ("local-hybrid", "local-vector", "local-fts"):
        assert [query for query, outcome in hostile[("voice", mode)].items() if outcome.startswith("error")] == []
    assert {hostile[("voice", "local-hybrid")][query] for query in ("auth-bug", "C++", "login.py")} == {"found at 1"}
    assert hostile[("sqlite-fts5", "plain")]["auth-bug"] == "error: OperationalError: no such column: bug"
    assert hostile[("sqlite-fts5", "or")]["auth-bug"] == "found at 1"
