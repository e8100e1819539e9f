"""`voice serve` and `voice mcp`: the memory as a server, over HTTP and over the standard streams.

Law: here the doors are put together that must not know one another: pages, the interface for programs, MCP. Over HTTP
it listens on this machine alone unless that is said twice, and what that means is told first. A link is printed, on
stderr, and works once; when it was used, the next one is. No program is started with a secret among its arguments,
which every user of the machine can list. Nothing that is asked is ever in a log. Over the standard streams, stdout
carries protocol only; whatever a person should read goes to stderr, where hosts keep it, and nothing heavy is loaded,
and no memory opened, before a host uses a tool: so no server is imported but inside a function.

Source: DESIGN 8 Web, MCP; docs/mcp.md; rulings A8, H.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.terminal.interrupts import cancelled_by_sigterm, interrupted_by_sigterm
from voice.entrypoints.cli.terminal.printing import note
from voice.entrypoints.cli.terminal.runtime import (
    flag,
    home_of,
    load_settings,
    option,
    read_settings,
    require_home,
    root_context,
    run,
)

if TYPE_CHECKING:
    import signal
    import socket
    from collections.abc import Generator

    from starlette.applications import Starlette

    from voice.adapters.system.access_token import OpeningPage
    from voice.bootstrap import Services
    from voice.core.settings.parse import SettingsResult
    from voice.entrypoints.library import Voice
    from voice.entrypoints.mcp.discovery import ToolNames
    from voice.entrypoints.mcp.handshake import Handover
    from voice.entrypoints.mcp.json_rpc import StdioStreams
    from voice.entrypoints.web.access import Guard
    from voice.entrypoints.web.pages.import_jobs import ImportJobs

_PORT = 8423  # if no port is named; the link is printed with the one that is used
MCP_PATH = "/mcp"


@click.command()
@option("--host", "The address to listen on.", default="127.0.0.1")
@option("--port", "The port to listen on; 0: any free port.", type=click.IntRange(0, 65535), default=_PORT)
@flag("--expose", "Allow an address that other machines can reach, without encryption.")
@option("--name names", "With --expose: a host name that clients use.", "HOST", multiple=True)
@flag("--open opens", "Open the page in your browser.")
@option("--page/--no-page pages", "Serve the pages, or only programs.", default=True, show_default=False)
@option("--mcp/--no-mcp mcp", "Serve the Model Context Protocol at /mcp, or not.", default=True, show_default=False)
@option("--token-file", "Keep the token for programs in this file.", type=click.Path(path_type=Path, dir_okay=False))
def serve(
    host: str,
    port: int,
    expose: bool,
    names: tuple[str, ...],
    opens: bool,
    pages: bool,
    mcp: bool,
    token_file: Path | None,
) -> int:
    """Serve the memory to a browser and programs on this machine.

    The printed link opens the page in one browser; when you use it, voice prints a new link for another browser. The
    token is for programs and valid for this run, unless --token-file keeps it. Ctrl-C stops the server, and cancels
    open questions after a moment.

    \b
    Examples:
      voice serve --open
      voice serve --port 9000 --token-file ~/.voice-token
    """
    from voice.adapters.extras import require_installed
    from voice.adapters.system.access_token import load_token, new_token
    from voice.entrypoints.web.server import listen

    if mcp:
        require_installed("mcp", "the Model Context Protocol", otherwise="leave it out: voice serve --no-mcp")
    if opens and not pages:
        raise click.UsageError("--open opens the page, which --no-page leaves out; choose one of them")
    _require_consent_to_expose(host, expose=expose, names=names)
    token = load_token(token_file) if token_file else new_token()
    settings = load_settings()
    plan = _Plan(
        host=host, names=names, opens=opens, token=token, token_file=token_file, pages=pages, mcp=mcp, settings=settings
    )

    async def work(services: "Services") -> "signal.Signals | None":
        from voice.entrypoints.library import Voice

        listening = listen(host, port)
        try:
            memory = Voice(services, settings.settings)
            return await _serve(memory, plan, listening, debug=root_context().obj["debug"])
        finally:
            listening.close()

    stopped_by = run(work)
    note("stopped")
    return 0 if stopped_by is None else 128 + stopped_by  # as shells report a signal


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Where and for whom."""

    host: str
    names: tuple[str, ...]
    opens: bool
    token: str
    token_file: Path | None
    pages: bool
    mcp: bool
    settings: "SettingsResult"


async def _serve(memory: "Voice", plan: _Plan, listening: "socket.socket", *, debug: bool) -> "signal.Signals | None":
    from voice.adapters.system.access_token import OpeningPage, new_token
    from voice.entrypoints.web.access import Guard
    from voice.entrypoints.web.pages.import_jobs import ImportJobs
    from voice.entrypoints.web.server import address_of, authorities_of, make_server
    from voice.services.imports.capture import kept_taking_in

    port: int = listening.getsockname()[1]  # with --port 0, the system chose it
    # Names that a request's Host and Origin may have.
    authorities = frozenset(one for name in (plan.host, *plan.names) for one in authorities_of(name, port))
    link = _Link(address_of(plan.names[0] if plan.names else plan.host, port), new_token())
    if plan.opens:
        link.opening = _Opening(OpeningPage(memory.services.home / f"open-{port}.html"), new_token())
    opening = link.opening
    # Without pages no link opens anything.
    codes = frozenset({link.code, opening.code} if opening else {link.code} if plan.pages else ())
    guard = Guard(token=plan.token, cookie=new_token(), authorities=authorities, codes=codes)

    def ready() -> None:
        where = f" is in {plan.token_file}" if plan.token_file else f": {plan.token}"
        click.echo(f"token for programs{where}", err=True)
        if plan.pages:
            link.tell()
            note("the link opens the page once. Anyone with the link or the token can read this memory. Ctrl-C ends it")
        else:
            at_mcp = f", {link.address}{MCP_PATH}" if plan.mcp else ""
            click.echo(f"{link.address}/api/v1, {link.address}/v1 (OpenAI){at_mcp}", err=True)
            note(
                'programs send the header "Authorization: Bearer TOKEN"; anyone who has the token can read this memory'
            )
        if opening:
            opening.start()

    jobs = ImportJobs(memory)
    app = _app(memory, plan, guard, link, jobs, debug=debug)
    server = make_server(app, guard.limits, ready=ready)
    # The file is there before the browser starts, and gone after the run.
    with opening.kept(link.with_code(opening.code)) if opening else nullcontext():
        async with kept_taking_in(memory.services.capturing), jobs.kept():  # both stop before the memory closes
            await server.serve([listening])
    return server.stopped_by  # None: it ended by itself


@dataclass(frozen=True, slots=True)
class _Opening:
    """What --open opens the page with: a code of its own, which stands in a file and in no list of processes."""

    page: "OpeningPage"
    code: str

    @contextmanager
    def kept(self, link: str) -> "Generator[None]":
        """Have the page that leads to the link stand there for as long as the block runs, or until it was used."""
        self.page.write(link)
        try:
            yield
        finally:
            self._take_away()

    def start(self) -> None:
        """Start a browser on the page."""
        if click.launch(str(self.page.path)):
            note("could not start a browser; open the link above yourself")
        else:
            note(
                f"voice gave your browser {self.page.path}; if it cannot read that (snap, flatpak), open the link above"
            )

    def used(self) -> None:
        """Take the page away, and say that a browser came in by it."""
        self._take_away()
        note("a browser opened the page of --open; if yours does not show it, somebody else's does: press Ctrl-C")

    def _take_away(self) -> None:
        """Remove the page; where that cannot be done it is said, and nothing else fails for it: its code is spent."""
        try:  # the page may be on a full or read-only disk
            self.page.remove()
        except OSError as error:
            why = error.strerror or type(error).__name__
            note(f"voice could not delete {self.page.path} ({why}); delete it yourself. Its link no longer works")


@dataclass(slots=True)
class _Link:
    """The link that is printed, and the next one when it was used: another browser may want to come in, too."""

    address: str
    code: str
    opening: "_Opening | None" = None

    def with_code(self, code: str) -> str:
        """Return a link that holds a code."""
        return f"{self.address}/?code={code}"

    def tell(self) -> None:
        """Print the link."""
        click.echo(self.with_code(self.code), err=True)

    def renewed(self, used: str) -> str | None:
        """Return what opens the page next, where it was the printed link that was used; print it."""
        from voice.adapters.system.access_token import new_token

        if self.opening and used == self.opening.code:
            self.opening.used()
        if used != self.code:  # not the printed link: that one still works
            return None
        self.code = new_token()
        note("a browser used the link; for another browser, use this:")
        self.tell()
        return self.code


def _app(memory: "Voice", plan: _Plan, guard: "Guard", link: _Link, jobs: "ImportJobs", *, debug: bool) -> "Starlette":
    from starlette.routing import Route

    from voice.entrypoints.web.middleware import RequireBearer
    from voice.entrypoints.web.pages import fault_page, page_routes
    from voice.entrypoints.web.server import AppHooks, make_app

    pages, faults = (page_routes(memory, plan.settings, jobs), fault_page(memory)) if plan.pages else ([], None)
    hooks = AppHooks(renewed=link.renewed, fault_page=faults)
    made = partial(make_app, memory, guard=guard, hooks=hooks, debug=debug)
    if not plan.mcp:
        return made(extra=pages)
    talks = _mcp(memory, guard)  # its lifespan runs the sessions of the protocol
    route = Route(MCP_PATH, RequireBearer(talks))  # behind the token itself: a browser's cookie does not open it
    return made(extra=[*pages, route], lifespan=talks.router.lifespan_context)


def _mcp(memory: "Voice", guard: "Guard") -> "Starlette":
    """Return the MCP endpoint; the library checks Host and Origin once more by itself."""
    from mcp.server.transport_security import TransportSecuritySettings

    from voice.entrypoints.mcp.server import make_server as make_mcp_server

    own = sorted(guard.authorities)
    security = TransportSecuritySettings(allowed_hosts=own, allowed_origins=[f"http://{each}" for each in own])
    return make_mcp_server(memory).streamable_http_app(
        streamable_http_path=MCP_PATH, transport_security=security, max_request_body_size=guard.limits.body_bytes
    )


def _require_consent_to_expose(host: str, *, expose: bool, names: tuple[str, ...]) -> None:
    from voice.entrypoints.web.server import is_loopback_host, is_wildcard, require_own

    if names and not expose:
        raise click.UsageError(
            "--name is the host name that other machines use; without them, it only lets in pages whose own name "
            "resolves to this machine. If you want that, add --expose"
        )
    if is_loopback_host(host):  # only this machine reaches it
        return
    require_own(host)
    if not expose:
        raise click.UsageError(
            f"other machines can reach {host}: the token and every answer would cross the network unencrypted, and "
            "anyone who reads them there has this memory. Use a tunnel (ssh -L); to listen there anyway, add --expose"
        )
    if is_wildcard(host) and not names:  # a browser's Host header cannot be held against a wildcard
        raise click.UsageError(
            f"{host} is every address of this machine; add the host name that clients use: --name HOST"
        )


@click.command()
@option(
    "--tool-names",
    "How to list the tools: inner_voice_retrieve or inner_voice.retrieve; calls work with both.",
    type=click.Choice(["plain", "dotted"]),
    default="plain",
)
def mcp(tool_names: "ToolNames") -> None:
    """Serve the memory over MCP. A host starts this.

    It talks to the host on standard input and output. docs/mcp.md shows the settings for Claude, Cursor, VS Code,
    Gemini CLI, Codex and opencode.

    \b
    Example: claude mcp add inner-voice -- voice mcp
    """
    from voice.adapters.extras import require_installed
    from voice.entrypoints.mcp.handshake import HandshakeServer
    from voice.entrypoints.mcp.json_rpc import StdioStreams

    require_installed("mcp", "voice mcp")
    wire = StdioStreams.taken()  # before anything can print
    with interrupted_by_sigterm():  # nothing runs yet that could be cancelled
        handover = HandshakeServer(tool_names).receive(wire.lines(), wire.write)
    if handover is not None:  # None: the host left without using a tool
        _serve_streams(wire, handover, tool_names)


def _serve_streams(wire: "StdioStreams", handover: "Handover", tool_names: "ToolNames") -> None:
    import anyio

    from voice.entrypoints.cli.terminal.request_options import repository_of
    from voice.entrypoints.mcp.stdio_server import ServeOptions, serve

    here = repository_of(Path.cwd())
    how = ServeOptions(opens=_open_memory, tool_names=tool_names, stands_in=here)

    async def whole() -> None:
        with cancelled_by_sigterm():
            await serve(wire, handover, how)

    anyio.run(whole)


@asynccontextmanager
async def _open_memory() -> "AsyncGenerator[Voice]":
    from voice.entrypoints.library import Voice
    from voice.services.imports.capture import kept_taking_in

    settings = read_settings().settings
    require_home()  # a mistyped directory is not made
    async with Voice.open(settings, home_of()) as memory, kept_taking_in(memory.services.capturing):
        yield memory
