"""The server of the Model Context Protocol over one memory.

Law: parse, call one service, answer; nothing else. The library's low-level server gives the wire exactly as it is
written here; it runs over stdio and over streamable HTTP. A memory may be given open, or as what opens it at the first
call that needs one: what goes wrong then is the answer to that call. What only a call needs is loaded with the first.

    server = make_server(memory)
    app = server.streamable_http_app()

The library's log holds what it makes of messages, words of a memory among them, so none of it is written.

Source: DESIGN 8 MCP; ECOSYSTEM 2.1, 2.2; rulings A8, D19, D22, H; docs/observability.md.
"""

import logging
import os
import traceback
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from voice import __version__
from voice.core.errors import VoiceError
from voice.entrypoints.mcp import discovery
from voice.entrypoints.mcp.arguments import read_arguments
from voice.entrypoints.mcp.client_replies import (
    Connections,
    codes_of,
    failure,
    in_tool_terms,
    tool_result,
    unexpected_error,
)
from voice.entrypoints.mcp.discovery import ToolNames, find_tool

if TYPE_CHECKING:
    from voice.entrypoints.library import Voice

Opener = Callable[[], Awaitable["Voice"]]
"""Opens the memory at the first call, and returns the same one at each further call."""
_Result = TypeVar("_Result", bound=types.Result)  # of a list that `_listing` returns
Context = Any
"""The library's context of a request; what it holds of the wire is its own matter."""


def make_server(
    memory: "Voice | Opener", *, tool_names: ToolNames = "plain", stands_in: str | None = None
) -> Server[Any]:
    """Return the server, to be run over any transport. Tools are listed under `tool_names`, and every spelling is
    answered; `stands_in` is the repository of the program, which a scope names as "here"."""
    silence()  # before the library's first message
    opens: Opener = memory if callable(memory) else partial(_return_memory, memory)
    lists, connections = discovery.list_responses(tool_names), Connections()
    server: Server[Any] = Server(
        discovery.NAME,
        version=__version__,
        title=discovery.TITLE,
        instructions=discovery.INSTRUCTIONS,
        on_list_tools=_listing(types.ListToolsResult, lists["tools/list"]),
        on_call_tool=partial(_call_tool, opens, stands_in, connections),
        on_list_resources=_listing(types.ListResourcesResult, lists["resources/list"]),
        on_list_resource_templates=_listing(types.ListResourceTemplatesResult, lists["resources/templates/list"]),
        on_read_resource=partial(_read_resource, opens),
        on_list_prompts=_listing(types.ListPromptsResult, lists["prompts/list"]),
        on_get_prompt=_get_prompt,
    )
    # Turns are told to whoever watches by the services, and under MCP_NO_LOG to nobody (ruling D19); the library's own
    # spans know nothing of that.
    server.middleware.clear()
    return server


async def _return_memory(memory: "Voice") -> "Voice":
    return memory


def _listing(kind: type[_Result], listed: Mapping[str, object]) -> Callable[..., Awaitable[_Result]]:
    result = kind.model_validate(listed)  # validated once, at the start

    async def listing(_context: Context, _params: object) -> _Result:
        return result

    return listing


async def _call_tool(
    opens: Opener,
    stands_in: str | None,
    connections: Connections,
    context: Context,
    params: types.CallToolRequestParams,
) -> types.CallToolResult:
    tool = find_tool(params.name)
    if tool is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name}")
    try:
        arguments = read_arguments(tool, params.arguments)
        from voice.entrypoints.mcp.dispatch import done  # brings the services, which no list needs

        connection, tell = connections.of(context), partial(_report_progress, context)
        told, warnings = await done(tool, arguments, opens, connection=connection, tell=tell, stands_in=stands_in)
        return tool_result(told, ignored=arguments.ignored, warnings=warnings)
    except VoiceError as error:
        return failure(error, tool.name)
    except Exception as error:  # noqa: BLE001 - an entry point: whatever is left is told as an error, and goes no further
        if os.environ.get("VOICE_DEBUG"):  # on stderr alone: the client learns nothing of the inside
            traceback.print_exception(error)
        return failure(unexpected_error(error), tool.name)


async def _report_progress(context: Context, done: float, what: str) -> None:
    await context.session.report_progress(done, None, what)


async def _read_resource(
    opens: Opener, _context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    from voice.entrypoints.mcp.dispatch import read_resource

    try:
        return await read_resource(await opens(), str(params.uri))
    except VoiceError as error:
        message = in_tool_terms(error.message)  # the protocol has no `isError` for resources
        raise MCPError(code=types.INTERNAL_ERROR, message=message, data=codes_of(error)) from error


async def _get_prompt(_context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    from voice.entrypoints.mcp.dispatch import prompt

    return prompt(params.name, params.arguments or {})


def silence() -> None:
    """Let the library's log reach no handler of this process."""
    log = logging.getLogger("mcp")
    if not log.handlers:
        log.addHandler(logging.NullHandler())  # without a handler, `logging` prints warnings to stderr
    log.propagate = False
