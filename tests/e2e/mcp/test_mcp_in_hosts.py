"""Claude Code, Codex, Gemini CLI and opencode use the memory, with the settings of docs/mcp.md as they stand there.

The hosts are the real ones; without them these tests are skipped. Their model is one of ours, which calls a tool of the
server and says its result word for word.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from hosts import ASKED, NEEDED, NOTED, Computer, computer_with, in_claude_code, in_codex, in_gemini_cli, in_opencode
from model_of_hosts import model_of_hosts

pytestmark = [pytest.mark.requirement("mcp:in-hosts"), *NEEDED]


@pytest.mark.parametrize("in_host", [in_claude_code, in_codex, in_gemini_cli, in_opencode])
@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("recall", {"query": ASKED}, NOTED),
        ("correct", {"id": "t:none", "content": "The kiln is gone."}, "correct: there is no 't:none' in this memory"),
    ],
)
def test_a_host_is_told_what_is_noted_and_of_an_error_in_its_own_terms(
    tmp_path: Path, in_host: Callable[[Computer], str], tool: str, arguments: dict[str, str], told: str
) -> None:
    with model_of_hosts(tool, arguments) as model:
        said = in_host(computer_with(tmp_path, model))
    assert model.offered
    assert told in said, said
