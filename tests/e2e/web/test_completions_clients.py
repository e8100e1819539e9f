"""The clients that people have, `openai` and `llm`, against a server that runs."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from urllib.parse import unquote

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionUserMessageParam

from cli_runner import clean_environment, data_directory, run_command
from served import Served, serving

pytestmark = [pytest.mark.slow, pytest.mark.requirement("http:completions:clients")]
MOVED = "The kiln moved to the shed behind the house in March."
WHERE = "Where did the kiln move?"
_MODEL = "voice/synthesize"
_USER: ChatCompletionUserMessageParam = {"role": "user", "content": WHERE}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    home = data_directory(tmp_path_factory.mktemp("completions") / "home")
    run_command("remember", MOVED, home=home)
    with serving(home) as running:
        yield running


def _client(server: Served, key: str | None = None) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.origin}/v1", api_key=key or server.token, max_retries=0)


def test_the_client_of_openai_reads_an_answer_with_its_sources(server: Served) -> None:
    with _client(server) as client:
        assert [each.id for each in client.models.list()] == [
            f"voice/{n}" for n in ("synthesize", "challenge", "question")
        ]
        assert client.models.retrieve(_MODEL).owned_by == "voice"
        told = client.chat.completions.create(model=_MODEL, messages=[_USER], user="ann")
    (choice,) = told.choices
    assert (choice.message.content, choice.finish_reason, choice.message.refusal) == (MOVED, "stop", None)
    assert told.usage is not None
    assert told.usage.total_tokens == 0
    assert choice.message.annotations is not None
    (cited,) = [each.url_citation for each in choice.message.annotations]
    assert MOVED[cited.start_index : cited.end_index] == MOVED
    assert cited.title == MOVED
    assert cited.url.startswith(f"{server.origin}/sources/o%3A")
    assert cited.model_extra == {"source_id": unquote(cited.url.partition("/sources/")[2].partition("?")[0])}
    assert f">{MOVED}</mark>" in httpx.get(cited.url, headers=server.bearer, timeout=60).text


def test_the_client_of_openai_knows_our_errors_and_our_refusals(server: Served) -> None:
    with _client(server, "sk-none") as stranger, pytest.raises(openai.AuthenticationError):
        stranger.models.list()
    with _client(server) as client:
        with pytest.raises(openai.NotFoundError) as missing:
            client.chat.completions.create(model="gpt-4o", messages=[_USER])
        with pytest.raises(openai.BadRequestError) as several:
            client.chat.completions.create(model=_MODEL, messages=[_USER], n=2)
        asked: ChatCompletionUserMessageParam = {"role": "user", "content": "Who is the king of Norway?"}
        refused = client.chat.completions.create(model=_MODEL, messages=[asked])
    assert (missing.value.code, missing.value.param) == ("model_not_found", "model")
    assert (several.value.code, several.value.param, several.value.type) == (
        "invalid_params",
        "n",
        "invalid_request_error",
    )
    assert "one answer" in several.value.message
    (choice,) = refused.choices
    assert choice.finish_reason == "stop"
    assert (choice.message.content or "").startswith("I cannot provide a well-grounded answer")


def test_the_program_llm_prints_an_answer_and_goes_on(server: Served, tmp_path: Path) -> None:
    (tmp_path / "extra-openai-models.yaml").write_text(
        f"- model_id: notes\n  model_name: {_MODEL}\n  api_base: {server.origin}/v1\n  api_key_name: voice\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "llm", "-m", "notes", "--key", server.token]
    environment = {**clean_environment(), "LLM_USER_PATH": str(tmp_path), "PATH": os.environ["PATH"]}
    for asked in ([WHERE], ["--no-stream", "-c", WHERE]):
        ran = subprocess.run([*command, *asked], capture_output=True, timeout=120, check=False, env=environment)
        assert (ran.returncode, ran.stdout.decode().strip()) == (0, MOVED), ran.stderr.decode()
