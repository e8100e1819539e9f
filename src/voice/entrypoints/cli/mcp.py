"""`voice mcp`: the memory as a server of the Model Context Protocol, over the standard streams.

Law: stdout carries protocol only; whatever a person should read goes to stderr, where hosts keep it. Nothing heavy is
loaded, and no memory opened, before a host uses a tool.

Source: DESIGN 8 MCP; docs/mcp.md.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.terminal.interrupts import cancelled_by_sigterm, interrupted_by_sigterm
from voice.entrypoints.cli.terminal.runtime import home_of, read_settings, require_home

if TYPE_CHECKING:
    from voice.entrypoints.library import Voice
    from voice.entrypoints.mcp.discovery import ToolNames
    from voice.entrypoints.mcp.handshake import Handover
    from voice.entrypoints.mcp.json_rpc import StdioStreams


@click.command()
@click.option(
    "--tool-names",
    type=click.Choice(["plain", "dotted"]),
    default="plain",
    show_default=True,
    help="How to list the tools: inner_voice_retrieve or inner_voice.retrieve; calls work with both.",
)
@click.pass_context
def mcp(ctx: click.Context, tool_names: "ToolNames") -> None:
    """Serve the memory to other programs' models over MCP, on standard input and output. A host starts this.

    docs/mcp.md shows the settings for Claude, Cursor, VS Code, Gemini CLI, Codex and opencode.

    \b
    Example: claude mcp add inner-voice -- voice mcp
    """
    from voice.adapters.extras import require_installed
    from voice.entrypoints.mcp.handshake import HandshakeServer
    from voice.entrypoints.mcp.json_rpc import StdioStreams

    require_installed("mcp", "voice mcp")
    wire = StdioStreams.taken()
    with interrupted_by_sigterm():
        handover = HandshakeServer(tool_names).receive(wire.lines(), wire.write)
    if handover is not None:
        _serve(ctx, wire, handover, tool_names)


def _serve(ctx: click.Context, wire: "StdioStreams", handover: "Handover", tool_names: "ToolNames") -> None:
    import anyio

    from voice.entrypoints.cli.terminal.request_options import current_repository
    from voice.entrypoints.mcp.stdio_server import ServeOptions, serve

    how = ServeOptions(opens=lambda: _open_memory(ctx), tool_names=tool_names, stands_in=current_repository().repo_id)

    async def whole() -> None:
        with cancelled_by_sigterm():
            await serve(wire, handover, how)

    anyio.run(whole)


@asynccontextmanager
async def _open_memory(ctx: click.Context) -> "AsyncGenerator[Voice]":
    from voice.entrypoints.library import Voice
    from voice.services.imports.capture import kept_taking_in

    settings = read_settings(ctx).settings
    require_home(ctx)
    async with Voice.open(settings, home_of(ctx)) as memory, kept_taking_in(memory.services.capturing):
        yield memory
