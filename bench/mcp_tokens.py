"""What each tool's answer takes of a model's context: `python -m bench.mcp_tokens [--json] [--home DIR]`.

The protocol's own client calls `voice mcp` over its standard streams, on the example memory or on one that is named.
Counted is every text that the tool returns, with the program's own counter (an upper estimate, about 1.5 times the true
number for English). Beside it stands what may be taken: the budget that was sent, 2.5 times the answer with its quotes,
or the bound of a list. The descriptions and schemas of the tools, which a host puts into prompts, are counted, too.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

from voice.core.token_estimates import estimate_tokens

_QUESTION: Final = "What does the restoration of the Bechstein cost and why did the price change?"
_CHAT: Final = {"query": _QUESTION, "scope": "all", "mode": "new_thread"}
CALLS: Final[Sequence[tuple[str, Mapping[str, object]]]] = (
    ("recall", {"query": "the Bechstein", "token_budget": 800}),
    ("recall", {"query": "the Bechstein"}),
    ("inner_voice_chat", _CHAT),
    ("inner_voice_chat", {**_CHAT, "query": "What is my blood type?"}),
    ("inner_voice_retrieve", {"query": _QUESTION}),
    ("inner_voice_retrieve", {"query": _QUESTION, "detail": "full"}),
    ("inner_voice", {"content": _QUESTION, "dry_run": True}),
    ("remember", {"content": "The tuner of the museum is Inês Prates. She comes on Fridays."}),
    ("knowledgegraph_moderate", {}),
    ("maintenance_ops", {"subcommand": "list_removal_candidates"}),
    ("detailed_help", {}),
    ("detailed_help", {"tool": "inner_voice_chat"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One call and what its answer takes."""

    tool: str
    arguments: Mapping[str, object]
    tokens: int
    at_most: int | None
    is_error: bool


async def measured(home: Path) -> tuple[Mapping[str, int], list[Called]]:
    """Return the tokens of what a host lists, and of each call's answer."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "voice", "mcp"], env={"VOICE_HOME": str(home), "PYTHONUTF8": "1"}
    )
    async with Client(server) as client:
        listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await client.list_tools()).tools]
        parts = {
            name: sum(estimate_tokens(json.dumps(tool[name], ensure_ascii=False)) for tool in listed)
            for name in ("description", "inputSchema", "outputSchema")
        }
        return parts, [await _called(client, *call) for call in CALLS]


async def _called(client: Client, tool: str, arguments: Mapping[str, object]) -> Called:
    result = await client.call_tool(tool, dict(arguments))
    texts = [each.text for each in result.content if isinstance(each, TextContent)]
    tokens = sum(map(estimate_tokens, texts))
    told: Mapping[str, Any] = json.loads(texts[0])
    return Called(
        tool=tool,
        arguments=arguments,
        tokens=tokens,
        at_most=_at_most(tool, arguments, told),
        is_error=bool(result.is_error),
    )


def _at_most(tool: str, arguments: Mapping[str, object], told: Mapping[str, Any]) -> int | None:
    """Return what the answer may take; None where nothing bounds it."""
    match tool:
        case "recall":
            return cast("int", arguments.get("token_budget", 2000))
        case "inner_voice_chat" if told.get("answer"):
            quotes = [source["span"] for source in (*told.get("sources", ()), *told.get("evidence_found", ()))]
            return int(2.5 * (estimate_tokens(told["answer"]) + sum(map(estimate_tokens, dict.fromkeys(quotes)))))
        case "knowledgegraph_moderate":
            return 800
        case _:
            return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where an answer takes more than it may."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("--home", type=Path, help="the memory to ask; left out: the example")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        home = cast("Path | None", chosen.home) or _example(Path(folder))
        parts, calls = anyio.run(measured, home)
    sys.stdout.write(_json(parts, calls) if chosen.json else _table(parts, calls))
    return int(any(call.is_error or (call.at_most is not None and call.tokens > call.at_most) for call in calls))


def _example(folder: Path) -> Path:
    home = folder / "example"
    command = [sys.executable, "-m", "voice", "demo", "--keep", str(home)]
    subprocess.run(command, check=True, capture_output=True)
    return home


def _json(parts: Mapping[str, int], calls: Sequence[Called]) -> str:
    told = [
        {"tool": call.tool, "arguments": call.arguments, "tokens": call.tokens, "at_most": call.at_most}
        for call in calls
    ]
    return json.dumps({"listed": parts, "calls": told}, indent=2, ensure_ascii=False) + "\n"


def _table(parts: Mapping[str, int], calls: Sequence[Called]) -> str:
    lines = ["| call | tokens | at most |", "|---|---|---|"]
    for call in calls:
        said = json.dumps(call.arguments, ensure_ascii=False)
        lines.append(f"| `{call.tool}` `{said}` | {call.tokens:,} | {'' if call.at_most is None else call.at_most} |")
    listed = ", ".join(f"{name} {tokens:,}" for name, tokens in parts.items())
    return "\n".join([*lines, "", f"The list of tools: {listed} tokens."]) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
