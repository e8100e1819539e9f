"""What a caller of `retrieve` is told when a part of it fails: S0's codes, from where each failure really happens."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import httpx
import pytest
import respx

from cli_runner import SETTINGS
from played_turns import KILN, MOVED, memory, tell
from voice.adapters.embedding.litellm_embeddings import LiteLlmEmbedder
from voice.adapters.index.index import FoldedIndex
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.bootstrap import Services
from voice.core.errors import EmbedderUnavailable, StoreError
from voice.core.retrieval.params import RetrieveRequest
from voice.entrypoints.cli.main import exit_code

SECRET = "canary7291"
API = "https://embeddings.test/v1"
ASKED = RetrieveRequest(query=f"{MOVED} {SECRET}", floor=0.0)


def connection_of(services: Services) -> Connection:
    assert isinstance(services.store, SurrealMemoryStore)
    return services.store._connection


@pytest.mark.requirement("s0:error:db_error", "s0:error:no-leak")
async def test_a_statement_that_the_store_refuses_is_db_error(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await tell(services, *KILN)
        assert (await services.find(ASKED)).snippets
        await connection_of(services).run("break it", "REMOVE TABLE stamps")
        with pytest.raises(StoreError) as caught:
            await services.find(ASKED)
    assert caught.value.code == "db_error"
    assert SECRET not in f"{caught.value!r}"


@pytest.mark.requirement("s0:error:internal_error", "s0:error:no-leak")
def test_what_nobody_foresaw_is_internal_error_in_one_line_without_a_word_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "voice.toml").write_text(SETTINGS, encoding="utf-8")

    async def search(_: FoldedIndex, query: object) -> object:
        raise ZeroDivisionError(f"{SECRET} {query!r}")

    monkeypatch.setattr(FoldedIndex, "search", search)
    assert exit_code(["--home", str(tmp_path), "retrieve", SECRET, "--json"]) == 1
    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert ('"code": "internal_error"' in said.out, SECRET in said.out) == (True, False)
    assert (line.endswith("[internal_error]"), "ZeroDivisionError" in line) == (True, True)
    assert SECRET not in said.err


@pytest.fixture
def vendor() -> Iterator[Callable[[str], None]]:
    """Return a function that says which number the vendor sends for everything from then on."""
    numbers = ["1.0"]

    def reply(request: httpx.Request) -> httpx.Response:
        texts = cast("list[str]", json.loads(request.content)["input"])
        entries = [
            f'{{"object": "embedding", "index": {place}, "embedding": [{", ".join(numbers[-1:] * 8)}]}}'
            for place, _ in enumerate(texts)
        ]
        usage = '{"prompt_tokens": 1, "total_tokens": 1}'
        body = f'{{"object": "list", "model": "m", "data": [{", ".join(entries)}], "usage": {usage}}}'
        return httpx.Response(200, content=body.encode(), headers={"content-type": "application/json"})

    with respx.mock:
        respx.post(f"{API}/embeddings").mock(side_effect=reply)
        yield numbers.append


@pytest.mark.requirement("s0:error:embedder_unavailable", "s0:embedder-failure", "s0:constraint:no-fallback")
@pytest.mark.parametrize("number", ["0.0", "NaN", "Infinity", "null", '"much"'])
async def test_an_encoder_that_sends_what_has_no_direction_is_embedder_unavailable(
    tmp_path: Path, vendor: Callable[[str], None], number: str
) -> None:
    encoder = LiteLlmEmbedder(model="openai/some-model", dim=8, api_key="sk-test", api_base=API)
    async with memory(tmp_path, embedder=encoder) as services:
        await tell(services, *KILN)
        assert (await services.find(ASKED)).snippets
        vendor(number)
        with pytest.raises(EmbedderUnavailable) as caught:
            await services.find(replace(ASKED, query="Where is it?"))
    assert caught.value.code == "embedder_unavailable"
    assert SECRET not in f"{caught.value!r}"
