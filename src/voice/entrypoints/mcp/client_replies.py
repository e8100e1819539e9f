"""What goes back over the connection that a call came by: progress, results and errors, in the words of tools.

Law: a connection has a conversation of its own: what one program asks is never part of what another one, or the person,
is answered next. Over the standard streams a process is one connection; over HTTP one is known by the id that the
library gave it, and where the protocol has no connections by what the client calls itself. How far a call is goes out
one word after the other, each with a higher number; services wait for nobody, and a client that hears no more, having
gone, stops no work: it may have been paid for, or half of it be done.

A result is its structured content and the same as JSON text; a failure is `isError` with the JSON text
`{"error": {"code", "message"}}` and the same in `_meta`, and no structured content: clients hold that against the
output schema, and would lose the error over it. Codes are those of the one error tree (S0's among them). A store that
cannot be reached is S0's `db_error`, with the finer code beside it as `reason`; an unexpected failure is
`internal_error` and tells nothing of its inside. An error or a warning names a tool and its argument, never a command
of a shell: a program cannot run it, and would try (ruling J1). What only the owner can do is said to be theirs.

Source: DESIGN 8 MCP; spec inner_voice.retrieve, Error Handling; the Model Context Protocol, progress; ECOSYSTEM 2.2;
STYLE 9, 25; rulings J1, J4.
"""

import json
import math
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp_types import CallToolResult, TextContent

from voice.core.errors import (
    ProviderError,
    SchemaDrift,
    SessionConflict,
    StoreDamaged,
    StoreError,
    StoreHeld,
    StoreUnavailable,
    VoiceError,
)
from voice.core.text.display import escape_json, printable
from voice.entrypoints.shared.advice import OVER_MCP, message_with_advice

MOST: Final = 1_000
"""Connections that are remembered; the one that was silent longest goes first."""
UNNAMED: Final = "a program"
"""What a program is called that does not say its name."""
_SESSION_HEADER: Final = "mcp-session-id"


@dataclass(slots=True, kw_only=True)
class Connection:
    """One program that speaks to this server."""

    agent: str | None = None
    """What it calls itself, such as `codex-mcp-client`."""
    conversation: str | None = None
    """The session that it asks in; None before its first question."""
    beginning: anyio.Lock = field(default_factory=anyio.Lock)
    """Held while its conversation begins, so that questions which come at once are asked in one."""


@dataclass(slots=True)
class Connections:
    """The connections of one server."""

    _known: OrderedDict[str, Connection] = field(default_factory=OrderedDict[str, Connection])

    def of(self, context: Any) -> Connection:  # noqa: ANN401 - the library's context of a request
        """Return the connection that a request came by."""
        client = context.session.client_params
        agent = None if client is None else str(client.client_info.name)
        headers = getattr(context.request, "headers", None)  # None over stdio, where the key is ""
        key = "" if headers is None else headers.get(_SESSION_HEADER) or f"client {agent or ''}"
        found = self._known.setdefault(key, Connection(agent=agent))
        found.agent = agent or found.agent  # a connection may say its name later
        self._known.move_to_end(key)  # so that the silent longest is first
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return found


ReportProgress = Callable[[float, str], Awaitable[None]]
"""Tells the client how far a call is: a rising number, and what is being done."""
Say = Callable[[str], None]
_T = TypeVar("_T")


async def with_progress(tell: ReportProgress, work: Callable[[Say], Awaitable[_T]]) -> _T:
    """Return what the work comes to, and tell whatever it says meanwhile."""
    happening, heard = anyio.create_memory_object_stream[str](math.inf)
    made: list[_T] = []  # a list, because None may be what the work comes to
    fault: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell_all, heard, tell)
        with happening:  # closed with the work, which ends `_tell_all`
            try:
                made.append(await work(happening.send_nowait))
            except Exception as error:  # noqa: BLE001 - raised again outside, where it is not one of a group
                fault = error
    if fault is not None:
        raise fault
    return made[0]


async def _tell_all(heard: MemoryObjectReceiveStream[str], tell: ReportProgress) -> None:
    with heard:
        done = 0.0
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the client has gone
            async for said in heard:
                done += 1
                await tell(done, said)
        async for _ in heard:  # goes on reading: without a reader, `send_nowait` would fail the work
            pass


ERROR_META = "voice/error"
IGNORED_META = "voice/ignored"
WARNINGS_META = "voice/warnings"
_MOST_IGNORED = 5  # parameters that are named: what no tool has may be anything
_NAME = 24  # characters of such a name
_MOST_SAID = 1_500  # characters of an error: it may repeat what was sent
_ENDING = 300  # of them, those kept from its end
OUT_OF_REACH = (StoreHeld, StoreUnavailable, SchemaDrift, StoreDamaged)
"""Ways in which a store cannot be reached: to S0 they are one."""


class TurnFailed(ProviderError):
    """The turn gave no answer, because of `fault`; it is kept and says how."""

    def __init__(self, fault: ProviderError, *, exchange_id: str) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.exchange_id = exchange_id


def tool_result(
    told: Mapping[str, object], *, ignored: Sequence[str] = (), warnings: Sequence[str] = ()
) -> CallToolResult:
    """Return the result of a call that was answered, as the tool's output schema has it. `warnings`: what of the call
    was put right, or is to be known beside the answer (ruling C16)."""
    told, warnings = answer_in_tool_terms(told), all_in_tool_terms(warnings)
    content = [TextContent(text=text) for text in answer_texts(told, ignored=ignored, warnings=warnings)]
    beside = {IGNORED_META: list(ignored), WARNINGS_META: list(warnings)}
    meta: dict[str, object] = {name: said for name, said in beside.items() if said}
    return CallToolResult(content=[*content], structured_content=dict(told), _meta=meta or None)


def answer_texts(told: Mapping[str, object], *, ignored: Sequence[str], warnings: Sequence[str]) -> list[str]:
    """Return the texts of an answer, each as it goes out: the answer itself, and what is to be known beside it."""
    texts = [escape_json(json.dumps(told, ensure_ascii=False))]
    if ignored:
        names = ", ".join(printable(name)[:_NAME] for name in ignored[:_MOST_IGNORED])
        texts.append(f"Unknown and ignored: {names}. See detailed_help.")
    if warnings:
        texts.append("\n".join(map(printable, warnings)))
    return texts


def failure(error: VoiceError, tool: str) -> CallToolResult:
    """Return the result of a call of a tool that could not be answered."""
    cause, more = error.fault if isinstance(error, TurnFailed) else error, dict[str, object]()  # the fault has the code
    named = codes_of(cause)
    if isinstance(error, TurnFailed) or (isinstance(error, SessionConflict) and error.exchange_id is not None):
        more = {"exchange_id": error.exchange_id}
    message = in_tool_terms(message_with_advice(error, OVER_MCP))
    message = message if message.startswith(tool) else f"{tool}: {message}"  # its own message may name only a parameter
    if len(message) > _MOST_SAID:  # cut in the middle: what to do instead stands at its end
        message = f"{message[: _MOST_SAID - _ENDING]}…{message[-_ENDING:]}"
    told = {**named, "message": message}
    meta = {ERROR_META: {**told, "retryable": cause.retryable, **more}}
    text = escape_json(json.dumps({"error": told}, ensure_ascii=False))
    return CallToolResult(content=[TextContent(text=text)], is_error=True, _meta=meta)


def codes_of(error: VoiceError) -> dict[str, str]:
    """Return the `code` of an error as S0 has it, and as `reason` the finer one where S0 has none."""
    return {"code": StoreError.code, "reason": error.code} if isinstance(error, OUT_OF_REACH) else {"code": error.code}


def unexpected_error(error: Exception) -> VoiceError:
    """Return what is said of a failure that nobody foresaw."""
    return VoiceError(f"something went wrong inside voice ({type(error).__name__}); call again, or tell the person")


_LIST: Final = 'knowledgegraph_moderate with action "list"'
TOOL_OF_COMMAND: Final[Mapping[str, str]] = {
    "ask": "inner_voice_chat",
    "conflicts": 'knowledgegraph_moderate with action "conflicts"',
    "correct": "correct",
    "kg alias": 'knowledgegraph_moderate with action "alias"',
    "kg candidates": _LIST,
    "kg edit": 'knowledgegraph_moderate with action "edit"',
    "kg list": "inner_voice_retrieve",
    "kg reject": 'knowledgegraph_moderate with action "reject"',
    "kg show": "get_row",
    "pins list": "recall",
    "recall": "recall",
    "remember": "remember",
    "removals mark": 'maintenance_ops with subcommand "mark_for_removal"',
    "retrieve": "inner_voice_retrieve",
    "review": "vouch_status",
}
"""By the words of a command, the tool that does the same for a program."""
ARGUMENT_OF_OPTION: Final[Mapping[str, str]] = {
    "private": "include_private", "with-ends": "with_ends", "to": "target", "budget": "token_budget",
    "provider": "provider", "since": "since", "until": "until", "scope": "scope", "when": "when",
}  # fmt: skip
"""By its option on the command line, the argument of the tools; others are written with underscores."""
OWNERS: Final = "only the person who runs this memory can change that; tell them"
_COMMAND: Final = re.compile(r"`voice ([^`]{1,300})`")  # "`voice kg list`"
# A command, the place of the memory, or a setting that keeps something out, or back: no argument of a tool is one.
_OWNERS: Final = re.compile(
    rf"{_COMMAND.pattern}|--home\b|SURR_(?:QUARANTINE_INSTRUCTIONS|ALLOW_PRIVATE_REMOTE|\w{{0,60}}(?:COST|PRICE|SOURCES?))\b"
)
# ": voice init" without backticks, up to the end of its clause.
_BARE: Final = re.compile(r": voice ([a-z][^;`]{0,200}?)(?=\Z|[;,.)](?:\s|\Z))")
_OPTION: Final = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+){0,4})(?![\w-])")  # not a hyphen within a name
_TWICE: Final = re.compile(r"\b(\w+) and \1 show\b")  # two commands that one tool does: "pins list and kg list show"
_CLAUSES: Final = re.compile(r"(; |\. |: |, or )")  # kept in the split, to join the rest again
_ELSE: Final = ", or "


def all_in_tool_terms(said: Iterable[str]) -> tuple[str, ...]:
    """Return messages in the words of the tools."""
    return tuple(map(in_tool_terms, said))


def answer_in_tool_terms(told: Mapping[str, object]) -> dict[str, object]:
    """Return an answer with what it says of itself, at any depth of its members, in the words of the tools."""
    return {name: _in_tool_terms(name, value) for name, value in told.items()}


def _in_tool_terms(name: str, value: object) -> object:
    match value:
        case Mapping():
            return answer_in_tool_terms(cast("Mapping[str, object]", value))
        case list() if name == "warnings":
            return [*all_in_tool_terms(cast("list[str]", value))]
        case str() if name == "notes":
            return in_tool_terms(value)
        case _:
            return value


def in_tool_terms(message: str) -> str:
    """Return a message with tools and arguments in the place of commands and options. A clause that names a command
    which no tool does, or the setting of a guard, is left out, and whose it is to change is said at the end: no program
    is told how to let in what its owner keeps out."""
    marked = _BARE.sub(r" `voice \1`", message)
    told = _TWICE.sub(r"\1 shows", _COMMAND.sub(lambda found: _tool(found[1]) or found[0], marked))
    parts = _CLAUSES.split(told)
    said, sign, is_cut = "", "", False
    for clause, behind in zip(parts[::2], [*parts[1::2], ""], strict=True):  # parts: clause, separator, clause, …
        if _OWNERS.search(clause) is None:
            said, sign = f"{said}{sign if said else ''}{clause}", behind
        else:
            is_cut = True
            sign = sign if behind == _ELSE else behind  # behind ", or ", the alternative follows what came before
    if is_cut:
        said = f"{said}; {OWNERS}" if said else OWNERS
    return _OPTION.sub(lambda found: ARGUMENT_OF_OPTION.get(found[1], found[1].replace("-", "_")), said)


def _tool(command: str) -> str | None:
    """Return the tool that does what a command does, by as many of its words as are known; None where none does."""
    words = command.split()
    return TOOL_OF_COMMAND.get(" ".join(words[:2])) or TOOL_OF_COMMAND.get(" ".join(words[:1]))  # "kg show" before "kg"
