"""`voice chat`: question after question.

Law: nothing that is typed here goes astray. A command that there is none of is named, with those there are; a change is
confirmed. Ctrl-C while an answer is made withdraws that question alone, and at the prompt it ends the conversation.

Source: rulings D21, D25; docs/sessions.md, "When things go wrong".
"""

import os
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import click

from voice.entrypoints.cli.ask import (
    Form,
    TurnOptions,
    asked,
    locations_of,
    model_flags,
    plain_option,
    print_turn,
    request_of,
    turn_options,
)
from voice.entrypoints.cli.printing import note, printable
from voice.entrypoints.cli.runtime import run
from voice.entrypoints.cli.stopping import withdrawn_by_ctrl_c

if TYPE_CHECKING:
    from datetime import datetime

    from voice.bootstrap import Services
    from voice.services.turn import AskRequest, Turn

_LINE_BYTES = 65_536
_COMMANDS = "/stance synthesize|challenge|question   /new TOPIC   /quit   (an empty line ends it, too)"
_LEAVING = frozenset({"/quit", "/exit"})
_WITHDRAWN = "question cancelled; press Ctrl-C at the prompt to end the conversation"


@click.command()
@turn_options
@plain_option
@click.pass_context
def chat(ctx: click.Context, plain: bool, **options: Unpack[TurnOptions]) -> None:
    """Ask one question after another in one session. An empty line, /quit or Ctrl-D ends it.

    Ctrl-C cancels the question that voice is answering; at the prompt it ends the conversation. The stance you choose
    also applies after /new.

    \b
    Inside:  /stance challenge   /new TOPIC   /help   /quit

    \b
    Example: voice chat --new "the kiln"
    """
    if options["session_id"] is not None and options["new_topic"] is not None:
        raise click.UsageError("choose one of -s ID and --new TOPIC")
    request = request_of(ctx, "", options, create=True)
    run(
        ctx,
        lambda services: converse(services, request, "plain" if plain else None),
        flags=model_flags(options["model"]),
        gated=True,
    )


async def converse(services: "Services", request: "AskRequest", form: Form | None = None) -> None:
    """Read questions from the terminal and answer them until there are no more."""
    from voice.core.errors import VoiceError
    from voice.entrypoints.forms.advice import AT_THE_COMMAND_LINE, advised

    click.echo("Ask a question. An empty line ends the conversation; /help lists the commands.", err=True)
    while (line := await _read_line()) and line.casefold() not in _LEAVING:
        if line.startswith("/"):
            request = _command(line, request)
            continue
        since = services.clock.now()
        try:
            turn = await _answered(services, replace(request, question=line))
        except VoiceError as error:
            note(f"{advised(error, AT_THE_COMMAND_LINE)} [{error.code}]")
            continue
        if turn is None:
            click.echo("", err=True)  # what was typed stands on the terminal's line
            note(_WITHDRAWN)
            request = await _begun(services, request, since)
            continue
        print_turn(turn, form, await locations_of(services, turn))
        request = replace(request, session_id=turn.session.id, new_topic=None)


async def _answered(services: "Services", request: "AskRequest") -> "Turn | None":
    """Return the turn, or None where Ctrl-C withdrew the question. What is piped in has no prompt to go back to."""
    if not sys.stdin.isatty():
        return await asked(services, request)
    with withdrawn_by_ctrl_c():
        return await asked(services, request)
    return None


async def _begun(services: "Services", request: "AskRequest", since: "datetime") -> "AskRequest":
    """Return a request that goes on in the thread that a withdrawn question began, where it did begin one."""
    newest = await services.sessions.sessions(limit=1)
    if request.new_topic is None or not newest or newest[0].created_at < since:
        return request
    return replace(request, session_id=newest[0].id, new_topic=None)


async def _read_line() -> str:
    from anyio import to_thread

    click.echo("> ", nl=False, err=True)
    typed = await (_typed_line() if sys.stdin.isatty() else to_thread.run_sync(sys.stdin.readline))
    if not typed:
        click.echo("", err=True)  # the input ended behind the prompt
    return typed.strip()


async def _typed_line() -> str:
    """Return the next line that is typed.

    It is read by a thread that nobody waits for, past Python's own buffer and its lock: Ctrl-C ends the conversation at
    once, not after the next line.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def deliver(line: bytes) -> None:
        if not typed.done():
            typed.set_result(line)

    def read() -> None:
        line = os.read(sys.stdin.fileno(), _LINE_BYTES)
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, line)

    threading.Thread(target=read, daemon=True).start()
    return (await typed).decode(errors="replace")


def _command(line: str, request: "AskRequest") -> "AskRequest":
    """Return the request as a command changes it, and say what it did; an unknown one is named and changes nothing."""
    name, _, rest = line[1:].partition(" ")
    name, rest = name.casefold(), printable(rest)
    match name:
        case "stance":
            return _stance(rest, request)
        case "new" if rest:
            _say(f"your next question starts a new thread: {rest}{_still(request)}")
            return replace(request, session_id=None, new_topic=rest)
        case "new":
            _say("name a topic for the new thread: /new TOPIC")
        case "help" if not rest:
            _say(_COMMANDS)
        case _:
            _say(f"unknown command {printable(line)}; the commands are: {_COMMANDS}")
    return request


def _still(request: "AskRequest") -> str:
    """Return that the stance goes on, where it is not the one that a conversation begins with by itself."""
    from voice.core.grounding.values import Stance

    usual = Stance.SYNTHESIZE
    if request.stance is usual:
        return ""
    return f"; the stance stays {request.stance.value} (for answers, type /stance {usual.value})"


def _stance(wanted: str, request: "AskRequest") -> "AskRequest":
    from voice.core.grounding.values import Stance

    known = {stance.value: stance for stance in Stance}
    choices = "|".join(known)
    if not wanted:
        _say(f"the stance is {request.stance.value}; change it with /stance {choices}")
        return request
    if wanted.casefold() not in known:
        _say(f"unknown stance {wanted!r}; the stance stays {request.stance.value}. Choose one: /stance {choices}")
        return request
    chosen = known[wanted.casefold()]
    _say(f"the stance is {chosen.value} from now on")
    return replace(request, stance=chosen)


def _say(told: str) -> None:
    click.echo(told, err=True)
