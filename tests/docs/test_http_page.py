"""Every request of docs/http.md is answered by a live server as it is written there."""

from dataclasses import replace
from pathlib import Path

import pytest

from docs_pages import Block, blocks
from docs_shell import Shell, commands, is_shown
from served import serving

_PAGE = "docs/http.md"
_PORT = "8423"


@pytest.mark.slow
@pytest.mark.requirement("http:docs")
def test_every_request_of_the_page_is_answered_as_it_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(tmp_path / "reader")
    shell.work.mkdir(parents=True)
    with serving(shell.memory) as server:
        monkeypatch.setenv("TOKEN", server.token)
        shell.run(_remembering(server.port))
        asked = [each for block in blocks(_PAGE) if block.kind == "console" for each in _requests(block, server.port)]
        for command, shown in asked:
            ran = shell.run(command)
            assert ran.code == 0, f"{command}\n{ran.err}"
            assert shown is not None
            assert is_shown(shown, ran.out), f"{command}\n--- printed\n{ran.out}\n--- the page shows\n{shown}"
    assert len(asked) >= 4


@pytest.mark.requirement("http:docs")
def test_every_command_that_serves_is_one_that_there_is() -> None:
    served = [command for block in blocks(_PAGE) if block.kind == "sh" for command, _ in commands(block)]
    assert served
    assert all(command.startswith("voice serve") for command in served)


def _requests(block: Block, port: int) -> list[tuple[str, str | None]]:
    """Return the requests of a block, sent to the server that runs; a line that goes on is one line."""
    joined = block.text.replace("\\\n", " ")
    return list(commands(replace(block, text=joined.replace(f":{_PORT}", f":{port}"))))


def _post(port: int, path: str, body: str) -> str:
    where = f"http://127.0.0.1:{port}/api/v1{path}"
    return f'curl -s {where} -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d \'{body}\''


def _remembering(port: int) -> str:
    return _post(port, "/thoughts", '{"content": "Moved the kiln to the shed."}')
