"""`voice serve`: the memory in a browser and for other programs, over HTTP.

Law: here the doors are put together that must not know one another: pages, the interface for programs, MCP. It listens
on this machine alone unless that is said twice, and what that means is told first. The link is printed once, on stderr,
and nothing that is asked is ever in a log.

Source: DESIGN 8 Web; rulings A8, H.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.printing import note
from voice.entrypoints.cli.runtime import load_settings, run

if TYPE_CHECKING:
    import socket

    from starlette.applications import Starlette
    from starlette.routing import BaseRoute

    from voice.bootstrap import Services
    from voice.entrypoints.library import Voice
    from voice.entrypoints.web.guard import Guard

_PORT = 8423
MCP_PATH = "/mcp"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=_PORT, show_default=True, help="0: any free one.")
@click.option("--expose", is_flag=True, help="Listen on an address that other machines reach, unencrypted.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="With --expose: a name it is asked by.")
@click.option("--open", "opens", is_flag=True, help="Open the page in your browser.")
@click.option("--page/--no-page", "pages", default=True, help="With the pages, or for programs alone.")
@click.option("--mcp/--no-mcp", "mcp", default=True, help="With the Model Context Protocol at /mcp, or without.")
@click.option(
    "--token-file", type=click.Path(path_type=Path, dir_okay=False), help="Keep the token there, for programs."
)
@click.pass_context
def serve(
    ctx: click.Context,
    host: str,
    port: int,
    expose: bool,
    names: tuple[str, ...],
    opens: bool,
    pages: bool,
    mcp: bool,
    token_file: Path | None,
) -> None:
    """Serve the memory on this machine: pages for a browser, HTTP for programs.

    The link that is printed opens the page; the token in it is good for this run, unless --token-file keeps it. Ctrl-C
    ends it; what is being answered then is withdrawn after a moment.

    \b
    Examples:
      voice serve --open
      voice serve --port 9000 --token-file ~/.config/voice/token
    """
    from voice.adapters.system.token_file import load_token, new_token
    from voice.entrypoints.web.server import listen

    _require_meant(host, expose=expose, names=names)
    token = load_token(token_file) if token_file else new_token()
    plan = _Plan(host=host, names=names, opens=opens, token=token, pages=pages, mcp=mcp)

    async def work(services: "Services") -> None:
        from voice.entrypoints.library import Voice

        listening = listen(host, port)
        try:
            memory = Voice(services, load_settings(ctx).settings)
            await _served(memory, plan, listening, debug=ctx.find_root().obj["debug"])
        finally:
            listening.close()

    run(ctx, work)
    note("stopped")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Where and for whom."""

    host: str
    names: tuple[str, ...]
    opens: bool
    token: str
    pages: bool
    mcp: bool


async def _served(memory: "Voice", plan: _Plan, listening: "socket.socket", *, debug: bool) -> None:
    from voice.adapters.system.token_file import new_token
    from voice.entrypoints.web.guard import Guard
    from voice.entrypoints.web.server import address_of, authorities_of, make_server

    port: int = listening.getsockname()[1]
    authorities = frozenset(one for name in (plan.host, *plan.names) for one in authorities_of(name, port))
    code = new_token()
    guard = Guard(token=plan.token, authorities=authorities, codes=frozenset({code} if plan.opens else ()))
    address = address_of(plan.names[0] if plan.names else plan.host, port)

    def ready() -> None:
        click.echo(f"{address}/?token={plan.token}", err=True)
        note("the link opens the page; whoever has it reads this memory. Ctrl-C ends it")
        if plan.opens:
            # Others of this machine can read the addresses a browser is started with: this one works once.
            click.launch(f"{address}/?token={code}")

    await make_server(_app(memory, plan, guard, debug=debug), guard.limits, ready=ready).serve([listening])


def _app(memory: "Voice", plan: _Plan, guard: "Guard", *, debug: bool) -> "Starlette":
    """Return pages, interface and MCP in one application."""
    from voice.entrypoints.web.app import make_app
    from voice.entrypoints.web.pages import page_routes

    pages = page_routes(memory) if plan.pages else []
    if not plan.mcp:
        return make_app(memory, guard=guard, extra=pages, debug=debug)
    talks = _mcp(memory, guard)
    lifespan = talks.router.lifespan_context
    return make_app(memory, guard=guard, extra=[*pages, *_for_programs(talks)], lifespan=lifespan, debug=debug)


def _mcp(memory: "Voice", guard: "Guard") -> "Starlette":
    """Return the MCP endpoint; the library checks Host and Origin once more by itself."""
    from mcp.server.transport_security import TransportSecuritySettings

    from voice.entrypoints.mcp.server import make_server as make_mcp_server

    own = sorted(guard.authorities)
    security = TransportSecuritySettings(allowed_hosts=own, allowed_origins=[f"http://{each}" for each in own])
    return make_mcp_server(memory).streamable_http_app(
        streamable_http_path=MCP_PATH,
        transport_security=security,
        max_request_body_size=guard.limits.body_bytes,
    )


def _for_programs(talks: "Starlette") -> "list[BaseRoute]":
    """Return the endpoint's routes behind the token itself: a browser's cookie does not open them."""
    from starlette.routing import Route

    from voice.entrypoints.web.edge import ForPrograms

    return [Route(MCP_PATH, ForPrograms(talks))]


def _require_meant(host: str, *, expose: bool, names: tuple[str, ...]) -> None:
    from voice.entrypoints.web.server import is_loopback_host, is_wildcard

    if is_loopback_host(host):
        return
    if not expose:
        raise click.UsageError(
            f"{host} is reached from other machines: the token and every answer would cross the network unencrypted, "
            "and whoever reads them there has this memory. A tunnel keeps it private (ssh -L); if it is meant all the "
            "same, add --expose"
        )
    if is_wildcard(host) and not names:
        raise click.UsageError(f"{host} is every address of this machine; say by which name it is asked: --name HOST")
