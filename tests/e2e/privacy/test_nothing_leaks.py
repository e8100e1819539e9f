"""Prompts and drafts are nowhere, keys are nowhere, and private rows are in the store and its index alone.

One play is recorded (`played_secrets.py`), then every byte it left is searched. Each search is shown to see: what may
be found is found with it.
"""

import json
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cli_runner import clean_environment
from voice.adapters.surreal.stores.session_codec import PRIMER, pack

pytestmark = pytest.mark.xdist_group("leaks")  # what all of it is asked of is made once

PLAYER = Path(__file__).with_name("played_secrets.py")
PRIVATE = b"PRIVCANARY"
PUBLIC = b"PUBCANARY"
LOGGED = b"LOGCANARY"
QUESTION = b"askcanary"
PROMPTS = (
    b"You are the inner voice of one person",
    b"## Knowledge (the only sources)",
    b"<source id=",
    b"Answer from the knowledge section alone",
)
DRAFTS = (b"DRAFTCANARY", b'span": "half a', b'span\\": \\"half a')
KEY = b"KEYCANARY"
ASKED_FOR = {"private.out", "asked_for.out"}
"""What a person sees who asked for private rows."""


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play once and return the directory with everything that was left."""
    directory = tmp_path_factory.mktemp("play")
    environment = clean_environment() | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    played = subprocess.run(
        [sys.executable, str(PLAYER), str(directory)], env=environment, capture_output=True, timeout=300, check=False
    )
    assert played.returncode == 0, played.stderr.decode()[-3000:]
    (directory / "rest").write_bytes(played.stdout + played.stderr)
    return directory


def holding(directory: Path, *words: bytes) -> set[str]:
    """Return the files below `directory` that hold any of the words, relative to it."""
    return {name for name, content in contents(directory) if any(word in content for word in words)}


def contents(directory: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file below `directory` with its bytes, and with what bodies that are packed in it say."""
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            yield path.relative_to(directory).as_posix(), b"\n".join((content, *unpacked(content)))


def unpacked(content: bytes) -> Iterator[bytes]:
    """Yield the text of every packed body in a file: each begins with the same mark, the primer's checksum in it."""
    mark = pack("")[:6]
    at = content.find(mark)
    while at >= 0:
        opened = zlib.decompressobj(zdict=PRIMER)
        with suppress(zlib.error):
            yield opened.decompress(content[at:])
        at = content.find(mark, at + 1)


@pytest.mark.requirement("promise:6", "s2:test:privacy-audit")
def test_the_search_sees_what_is_there(left: Path) -> None:
    for words in (PUBLIC, PRIVATE, QUESTION):
        assert any(name.startswith("home/memory/") for name in holding(left, words)), words
    assert {"log", "control.out", "control.err"} <= holding(left, LOGGED)
    assert "drafts.out" in holding(left, PUBLIC, b"The kiln moved to the shed")
    assert holding(left, PRIVATE) >= ASKED_FOR
    raised = (left / "exceptions").read_text(encoding="utf-8")
    assert ("RuntimeError" in raised, "ZeroDivisionError" in raised) == (False, True)
    assert len((left / "log").read_bytes().splitlines()) > 10


@pytest.mark.requirement("promise:6", "ruling:A7", "ruling:D20", "s2:guarantee:4", "s2:test:privacy-audit")
def test_no_part_of_a_prompt_is_anywhere(left: Path) -> None:
    assert holding(left, *PROMPTS) == set()
    assert holding(left, *PROMPTS, QUESTION) != set()


@pytest.mark.requirement("promise:6", "ruling:A7", "ruling:D9", "s2:test:privacy-audit")
@pytest.mark.requirement("ruling:D24")
def test_no_rejected_or_misshapen_draft_and_no_key_is_anywhere(left: Path) -> None:
    assert holding(left, *DRAFTS, KEY) == set()
    assert holding(left, *DRAFTS, KEY, PUBLIC) != set()


@pytest.mark.requirement("promise:6", "s0:constraint:privacy")
def test_a_private_row_is_in_the_store_and_its_index_alone_unless_it_was_asked_for(left: Path) -> None:
    assert {name for name in holding(left, PRIVATE) if not name.startswith("home/")} == ASKED_FOR


@pytest.mark.requirement("promise:6", "s0:error:no-leak", "s2:privacy:aggregates-only", "ruling:D19")
def test_logs_errors_and_stderr_hold_no_word_of_a_memory_or_a_question(left: Path) -> None:
    quiet = {name for name, _ in contents(left) if name in {"log", "exceptions", "rest"} or name.endswith(".err")}
    assert len(quiet) > 20
    assert holding(left, PUBLIC, b"The kiln moved", QUESTION, b"hushcanary") & quiet == set()
    assert holding(left, LOGGED) & quiet != set()


@pytest.mark.requirement("promise:6", "s0:logging:info", "s0:logging:debug", "s0:logging:no-log")
def test_the_most_talkative_log_is_figures_and_ids_and_under_no_log_there_is_none(left: Path) -> None:
    lines = [json.loads(line) for line in (left / "logged.err").read_text(encoding="utf-8").splitlines()]
    assert {(line["event"], line["level"]) for line in lines} == {
        *((event, level) for event in ("retrieve", "evidence", "turn") for level in ("info", "debug")),
        ("window", "debug"),
    }
    told = [value for line in lines for name, value in line.items() if name not in {"ids", "tables"}]
    assert not [value for value in told if isinstance(value, str) and " " in value]
    assert all(re.fullmatch(r"[teor]:[0-9a-z]{26}", each) for line in lines for each in line.get("ids", ()))
    assert (left / "hushed.err").read_bytes() == b""


@pytest.mark.requirement("promise:6", "s0:error:no-leak")
def test_every_command_told_its_outcome_by_its_code_and_no_traceback(left: Path) -> None:
    codes = [path.read_text(encoding="ascii") for path in sorted(left.glob("command-*.code"))]
    assert codes[:7] == ["0", "0", "3", "5", "5", "2", "2"]
    assert set(codes[7:]) <= {"0", "1"}
    assert not {name for name in holding(left, b"Traceback") if name.startswith("command")}
    told = [path.read_text(encoding="utf-8").splitlines() for path in sorted(left.glob("command-0[2-6].err"))]
    said = [[line for line in lines if " is ignored: " not in line] for lines in told]
    assert said[:3] == [[], [], []]
    assert [line.rpartition(" ")[2] for lines in said[3:] for line in lines] == ["[invalid_params]", "[unknown_id]"]
