"""What a client is told when something cannot be done: codes of the one error tree, and nothing of the inside."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from mcp_talk import ERAS, PARTS, Era, refused, remembering, talking
from played_turns import given
from tables import tables
from voice.adapters.llm.scripted import ScriptedClient
from voice.bootstrap import Parts
from voice.core.errors import (
    ConfigurationError,
    DeadlineExceeded,
    EmbedderUnavailable,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    SchemaDrift,
    StoreDamaged,
    StoreError,
    StoreHeld,
    StoreUnavailable,
)
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.server import make_server
from voice.entrypoints.mcp.tools import TOOLS
from voice.ports.search_index import Embedder

TABLES = tables(__file__)

GATED = [tool for tool in TOOLS if tool.is_gated]


class FailingEmbedder:
    """An encoder that was there when the notes came in, and is not now."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.fault: Exception | None = None
        self.model, self.dim = inner.model, inner.dim

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    async def embed(self, texts: list[str]) -> object:
        if self.fault is not None:
            raise self.fault
        return await self._inner.embed(texts)


@pytest.mark.requirement("mcp:errors", "s0:error:feature_disabled", "ruling:A8")
async def test_what_asks_the_memory_is_refused_while_the_inner_voice_is_off(tmp_path: Path) -> None:
    async with talking(tmp_path, settings=given()) as client:
        for tool in GATED:
            error = refused(await client.call_tool(tool.name, dict(tool.example)))
            assert error["code"] == "feature_disabled"
            assert "SURR_ENABLE_INNER_VOICE=1" in str(error["message"])
        for tool in (tool for tool in TOOLS if not tool.is_gated):
            answered = await client.call_tool(tool.name, dict(tool.example))
            is_of_a_row = tool.name in ("correct", "pin")
            assert not answered.is_error or (is_of_a_row and refused(answered)["code"] == "unknown_id"), tool.name
    assert {tool.name for tool in GATED} == {
        "inner_voice_retrieve", "inner_voice", "inner_voice_chat", "recall", "get_row",
    }  # fmt: skip


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.requirement("mcp:errors", "mcp:never-guessed", "s0:error:invalid_params", "mcp:eras")
async def test_a_call_that_cannot_be_meant_says_what_to_send(tmp_path: Path, era: Era) -> None:
    async with talking(tmp_path, era) as client:
        for tool, sent, told in TABLES["a_call_that_cannot_be_meant_says_what_to_send"]:
            error = refused(await client.call_tool(tool, sent))
            assert (error["code"], told in str(error["message"])) == ("invalid_params", True), (tool, sent)
        for tool, sent, name, code in TABLES["what_was_sent_is_not_said_again_at_any_length"]:
            result = await client.call_tool(tool, {**sent, name: "x" * 100_000})
            assert (refused(result)["code"], len(result.model_dump_json()) < 5_000) == (code, True), (tool, name)
        with pytest.raises(MCPError, match="Unknown tool: inner_voice_sing") as raised:
            await client.call_tool("inner_voice_sing", {})
    assert raised.value.code == -32602


@pytest.mark.requirement("mcp:errors")
@pytest.mark.parametrize("fault", [ProviderUnavailable("it is busy"), ProviderRejected("no"), DeadlineExceeded("late")])
async def test_a_provider_that_fails_is_an_error_that_names_the_turn_which_is_kept(
    tmp_path: Path, fault: ProviderError
) -> None:
    failing = ScriptedClient([fault])
    parts: Parts = replace(PARTS, llm=failing)
    async with remembering(tmp_path, parts=parts) as memory, Client(make_server(memory)) as client:
        result = await client.call_tool("inner_voice_chat", {"query": "Where is the kiln?"})
        error = refused(result)
        (session,) = await memory.services.sessions.sessions(limit=5)
        _, turns = await memory.sessions.show(session.id)
    assert result.meta is not None
    assert (error["code"], result.meta["voice/error"]["retryable"]) == (fault.code, fault.retryable)
    assert result.meta["voice/error"]["exchange_id"] == turns[0].id


@pytest.mark.requirement("mcp:errors", "observe:no-content", "s0:error:embedder_unavailable")
async def test_an_encoder_that_fails_is_told_by_its_code_and_an_unforeseen_failure_tells_nothing_of_its_inside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = FailingEmbedder(cast("Embedder", PARTS.embedder))
    parts = replace(PARTS, embedder=cast("Embedder", embedder))
    async with remembering(tmp_path, parts=parts) as memory, Client(make_server(memory)) as client:
        embedder.fault = EmbedderUnavailable("the encoder does not answer; try again")
        known = refused(await client.call_tool("inner_voice_retrieve", {"query": "kiln"}))
        embedder.fault = KeyError("the secret words of a note")
        quiet = refused(await client.call_tool("inner_voice_retrieve", {"query": "kiln"}))
        assert capsys.readouterr().err == ""
        monkeypatch.setenv("VOICE_DEBUG", "1")
        await client.call_tool("inner_voice_retrieve", {"query": "kiln"})
    assert (known["code"], quiet["code"]) == ("embedder_unavailable", "internal_error")
    assert "secret" not in str(quiet)
    assert "KeyError" in capsys.readouterr().err


@pytest.mark.requirement("mcp:opening", "mcp:errors")
async def test_a_memory_that_cannot_be_opened_is_told_to_the_call_and_tried_again(tmp_path: Path) -> None:
    tries: list[str] = []

    async def opens() -> Voice:
        tries.append("again")
        raise ConfigurationError("there is no memory here; run: voice init")

    async with Client(make_server(opens)) as client:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        assert not (await client.call_tool("detailed_help", {})).is_error
        assert tries == []
        error = refused(await client.call_tool("recall", {"query": "kiln"}))
        with pytest.raises(MCPError, match="there is no memory here; only the person who runs this memory") as raised:
            await client.read_resource("voice://sessions")
    assert (error["code"], raised.value.data) == ("configuration_error", {"code": "configuration_error"})
    assert len(tries) == 2


@pytest.mark.requirement("s0:error:db_error", "mcp:errors")
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (StoreUnavailable("the server does not answer; try again"), "store_unavailable"),
        (StoreHeld("process 7 holds the store; end it"), "store_held"),
        (SchemaDrift("the store is of a newer version; update voice"), "schema_drift"),
        (StoreDamaged("rows are missing; run: voice maintain restore-backup"), "store_damaged"),
    ],
)
async def test_a_store_that_cannot_be_reached_is_db_error_with_the_reason_beside_it(
    fault: StoreError, reason: str
) -> None:
    async def opens() -> Voice:
        raise fault

    async with Client(make_server(opens)) as client:
        error = refused(await client.call_tool("inner_voice_retrieve", {"query": "kiln"}))
        with pytest.raises(MCPError) as raised:
            await client.read_resource("voice://sessions")
    assert (error["code"], error["reason"]) == ("db_error", reason)
    assert fault.message.partition("; run: ")[0] in str(error["message"])
    assert "voice maintain" not in str(error["message"])
    assert raised.value.data == {"code": "db_error", "reason": reason}
