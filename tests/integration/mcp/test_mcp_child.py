"""`python -m voice mcp` as a host starts it: a process of its own, spoken to over its standard streams."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

import pytest
from mcp import Client, StdioServerParameters

from cli_runner import SETTINGS, run_command
from commands_here import run_here
from fakes.fake_provider import FakeProvider
from mcp_talk import call, handshake, lines, refused, request, told

TALK_S = 40
Message = Mapping[str, object]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of a memory that holds two notes, to be copied."""
    place = tmp_path_factory.mktemp("kept") / "a memory"
    place.mkdir(mode=0o700)
    (place / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    remembered = run_here("remember", "Moved the kiln to the shed. Anna Lund fired the kiln at cone 6.", home=place)
    assert remembered.code == 0, remembered
    return place


@pytest.fixture
def home(kept: Path, tmp_path: Path) -> Path:
    return shutil.copytree(kept, tmp_path / kept.name)


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "VOICE_HOME": str(home), "PYTHONUTF8": "1", "HOME": str(home.parent)} | {
        name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ
    }


@contextmanager
def child(home: Path, *options: str, **env: str) -> Generator[subprocess.Popen[bytes]]:
    """Start the server, and end it if the test did not."""
    command = [sys.executable, "-m", "voice", "mcp", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={**environment(home), **env}) as process:
        try:
            yield process
        finally:
            process.kill()


def transcript(home: Path, messages: Sequence[Message], *, raw: bytes = b"", **env: str) -> tuple[list[Message], bytes]:
    """Return every line that comes back when all messages come at once and the input ends, and what stderr says."""
    with child(home, **env) as process:
        out, err = process.communicate(lines(messages) + raw, timeout=TALK_S)
    assert process.returncode == 0, err
    return [cast("Message", json.loads(line)) for line in out.splitlines()], err


def _by_id(answers: Sequence[Message]) -> dict[object, Message]:
    return {answer["id"]: answer for answer in answers if "id" in answer}


@pytest.mark.requirement("mcp:stdio", "mcp:exact")
async def test_the_librarys_own_client_talks_to_the_process(home: Path) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "voice", "mcp", "--tool-names", "dotted"], env=environment(home)
    )
    async with Client(parameters) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[0] == "inner_voice.retrieve"
        found = told(await client.call_tool("inner_voice.retrieve", {"query": "kiln"}), "inner_voice_retrieve")
        assert found["snippets"]
        kept = told(await client.call_tool("remember", {"content": "The wheel is by the window."}), "remember")
        error = refused(await client.call_tool("recall", {"query": "kiln", "limit": "few"}))
    assert error["code"] == "invalid_params"
    shown = run_command("retrieve", "wheel", "--json", "--mix", "0", home=home)
    assert str(kept["id"]) in shown.out


@pytest.mark.requirement("mcp:end", "mcp:stdio", "mcp:porch", "mcp:faults")
def test_everything_that_came_in_is_answered_when_the_input_ends_and_half_an_emoji_is_kept_as_what_is_left(
    home: Path,
) -> None:
    asked = [call(at, "remember", {"content": f"Note number {at} about the kiln."}) for at in range(2, 5)]
    half = call(8, "remember", {"content": "A HALF!"})
    cut = lines([half]).replace(b"HALF", b"\\ud83d")
    digits = b'{"jsonrpc":"2.0","id":6,"method":"ping","params":{"n":' + b"9" * 5_000 + b"}}\n"
    nested = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"n":' + b"[" * 3_000 + b"]" * 3_000 + b"}}\n"
    broken = b'\nnonsense\n{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n'
    listed = [request(1, "tools/list"), *asked, request(5, "ping")]
    last = lines([request(9, "tools/list")])
    answers, err = transcript(home, [*handshake(), *listed], raw=cut + digits + nested + broken + last)
    by_id = _by_id(answers)
    faults = {
        id_: cast("Mapping[str, object]", each["error"])["code"] for id_, each in by_id.items() if "error" in each
    }
    assert faults == {6: -32700, 7: -32700, 1.5: -32600, None: -32700}
    assert sorted(id_ for id_ in by_id if isinstance(id_, int)) == [*range(10)]
    assert by_id[1]["result"] == by_id[9]["result"]
    exported = run_here("export", "-", home=home)
    assert all(f"Note number {at} about" in exported.out for at in range(2, 5))
    assert ("A \ufffd!" in exported.out, err) == (True, b"")


@contextmanager
def _talk_with_a_model_that_never_answers(home: Path) -> Generator[tuple[subprocess.Popen[bytes], FakeProvider]]:
    """Start a server whose questions wait for a provider, which is given as well, for ever."""
    with FakeProvider() as provider:
        model = {
            "SURR_INNER_VOICE_PROVIDER": "gemini",
            "SURR_INNER_VOICE_MODEL": "fake-hang",
            "SURR_INNER_VOICE_API_BASE": provider.url,
            "SURR_INNER_VOICE_API_KEY": "a-key-of-nobody",
        }
        with child(home, **model) as process:
            yield process, provider


@pytest.mark.requirement("mcp:end", "mcp:progress", "ruling:D25")
def test_sigterm_withdraws_what_is_under_way_keeps_what_was_acknowledged_and_ends_cleanly(home: Path) -> None:
    with _talk_with_a_model_that_never_answers(home) as (process, provider):
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        kept = call(1, "remember", {"content": "Said before the end."})
        process.stdin.write(lines([*handshake(), kept]))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.write(lines([call(2, "inner_voice_chat", {"query": "Where is the kiln?"})]))
        process.stdin.flush()
        assert provider.asked.wait(TALK_S)
        process.send_signal(signal.SIGTERM)
        with suppress(BrokenPipeError):  # a host that goes on speaking
            for at in range(100, 400):
                os.write(process.stdin.fileno(), lines([request(at, "ping")]))
        rest = process.stdout.read()
        said = process.stderr.read().decode()
        assert process.wait(TALK_S) == 143, said
    assert [answer["id"] for answer in answers] == [0, 1]
    last = [json.loads(line) for line in rest.splitlines()]
    (withdrawn,) = [answer for answer in last if answer.get("result") != {}]
    assert (withdrawn["id"], "error" in withdrawn) == (2, True)
    assert said.splitlines()[-1] == "voice: stopped"
    assert "never awaited" not in said
    sessions = json.loads(run_here("sessions", "list", "--json", home=home).out)
    assert [session["total_exchanges"] for session in sessions] == [1]
    assert "Said before the end." in run_here("export", "-", home=home).out


@pytest.mark.requirement("mcp:withdrawn", "ruling:D25")
def test_a_call_that_is_withdrawn_ends_without_an_answer_and_the_talk_goes_on(home: Path) -> None:
    with _talk_with_a_model_that_never_answers(home) as (process, provider):
        assert process.stdin is not None
        process.stdin.write(lines([*handshake(), call(1, "inner_voice_chat", {"query": "Where is the kiln?"})]))
        process.stdin.flush()
        assert provider.asked.wait(TALK_S)
        withdrawn = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        last = [withdrawn, request(2, "ping"), call(3, "recall", {"query": "kiln"})]
        out, _ = process.communicate(lines(last), timeout=TALK_S)
        assert process.returncode == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == [0, 2, 3]
    (session,) = json.loads(run_here("sessions", "list", "--json", home=home).out)
    shown = json.loads(run_here("sessions", "show", str(session["id"]), "--json", home=home).out)
    (turn,) = shown["exchanges"]
    assert (turn["status"], turn["reason"]) == ("error", "cancelled")


@pytest.mark.requirement("mcp:end")
def test_a_host_that_says_nothing_is_left_without_a_word_and_one_that_reads_no_more_ends_the_server(
    home: Path,
) -> None:
    assert transcript(home, []) == ([], b"")
    with child(home) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines([*handshake(), call(1, "recall", {"query": "kiln"})]))
        process.stdin.flush()
        assert [json.loads(process.stdout.readline())["id"] for _ in range(2)] == [0, 1]
        process.stdout.close()
        process.stdin.write(lines([request(2, "ping")]))
        process.stdin.flush()
        assert process.wait(TALK_S) == 0
