"""The server is a process with a key, a log and an end."""

import sys
from pathlib import Path

import pytest
from bench.peers.environments import PeerMissing
from bench.real_model.server import Server

LISTENS = """
import json, sys
key = sys.stdin.readline().strip()
print("loading …", flush=True)
print(json.dumps({"address": "http://127.0.0.1:1", "arguments": sys.argv[1:], "key": key}), flush=True)
for line in sys.stdin:
    print(json.dumps(["not", "ours"]), flush=True)
    print(json.dumps({"cpu_s": 1.5}), flush=True)
print("ended with its parent", file=sys.stderr)
"""


def server(place: Path, worker: str) -> Server:
    script = place / "worker.py"
    script.write_text(worker, encoding="utf-8")
    log = place / "logs" / "server.log"
    return Server(python=Path(sys.executable), model=place / "a.gguf", alias="tiny", log=log, worker=script)


def test_it_is_asked_where_it_listens_and_ends_when_it_is_no_longer_needed(tmp_path: Path) -> None:
    with server(tmp_path, LISTENS) as running:
        assert running.api_base == "http://127.0.0.1:1/v1"
        assert [running.cpu_s(), running.cpu_s()] == [1.5, 1.5]
    assert (tmp_path / "logs" / "server.log").read_text("utf-8") == "ended with its parent\n"


def test_its_key_is_its_own_and_no_argument_of_the_command(tmp_path: Path) -> None:
    told = "import json, sys; k = sys.stdin.readline().strip(); print(json.dumps({'address': str(k in sys.argv)}))"
    with server(tmp_path, told) as running:
        assert running.api_base == "False/v1"
        assert len(running.key) >= 32
        assert running.key not in repr(running)
    assert server(tmp_path, told).key != server(tmp_path, told).key


@pytest.mark.parametrize("worker", ["raise SystemExit(1)", "print('nonsense')", "import sys; sys.stdin.close()"])
def test_one_that_does_not_come_up_is_said_with_where_its_words_are(tmp_path: Path, worker: str) -> None:
    with pytest.raises(PeerMissing, match=r"server ended; what it said is in .*server\.log"), server(tmp_path, worker):
        pytest.fail("it did not come up")


def test_it_sees_no_key_and_no_setting_of_whoever_starts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("SURR_INNER_VOICE_MODEL", "mine")
    told = "import json, os, sys; sys.stdin.readline(); print(json.dumps({'address': ' '.join(sorted(os.environ))}))"
    with server(tmp_path, told) as running:
        assert "KEY" not in running.api_base
        assert "SURR" not in running.api_base
        assert "OMP_NUM_THREADS" in running.api_base
