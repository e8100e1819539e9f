"""What a caller of `retrieve` is told when a part of it fails: S0's codes, from where each failure really happens."""

from pathlib import Path

import pytest

from cli_runner import SETTINGS
from played_turns import KILN, MOVED, memory
from voice.adapters.index.index import FoldedIndex
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.stores.rows import SurrealMemoryStore
from voice.bootstrap import Services
from voice.core.errors import StoreError
from voice.core.retrieval.params import RetrieveRequest
from voice.entrypoints.cli.main import exit_code

SECRET = "canary7291"
ASKED = RetrieveRequest(query=f"{MOVED} {SECRET}", floor=0.0)


def connection_of(services: Services) -> Connection:
    assert isinstance(services.store, SurrealMemoryStore)
    return services.store._connection


@pytest.mark.requirement("s0:error:db_error", "s0:error:no-leak")
async def test_a_statement_that_the_store_refuses_is_db_error(tmp_path: Path) -> None:
    async with memory(tmp_path, told=KILN) as services:
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
