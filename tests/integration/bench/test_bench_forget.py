"""A few trials of `bench.forget`: the whole of it in short, as a process of its own, since it forks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.forget import search

from voice.adapters.surreal.stores.session_codec import pack


@pytest.mark.requirement("forget:compact", "ruling:G.2e")
def test_nothing_that_was_forgotten_is_found_on_the_disk_and_nothing_else_is_lost() -> None:
    command = [sys.executable, "-m", "bench.forget", "--trials", "1", "--seed", "3", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    report = json.loads(done.stdout)
    assert (report["sound"], report["trials"], report["canaries_searched"]) == (True, 1, 3), report
    assert done.returncode == 0


def test_the_search_finds_a_canary_in_texts_in_names_and_in_packed_records(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"\x00\x01CANARYa\x02")
    (tmp_path / "packed").write_bytes(b"\xff\xfe" + pack('{"answer":"it is canaryb"}') + b"\x00tail")
    (tmp_path / "cut").write_bytes(pack('{"answer":"it is canaryc, and more, and more"}')[:-3] + b"\xff" * 9)
    (tmp_path / "canaryd").write_bytes(b"")
    found, size = search(tmp_path, ["canarya", "canaryb", "canaryc", "canaryd", "canarye"])
    assert found == {"canarya", "canaryb", "canaryc", "canaryd"}
    assert size > 40
