"""The handler of each tool, resource and prompt, and that of `knowledgegraph_moderate`.

Law: loaded with the first call, because what it needs costs more to load than all that a host asks before.

What is moderated here no human approved (rulings C10, H). A list that names no number ends where it would take more
than a list may (ruling J1), and says where it goes on. Pairs that cannot both hold are listed, which changes nothing,
or one of them settled. A person's own words are theirs to correct and to end (ruling H); whatever is settled here bears
the program's name.

Resources are sessions and sources by id; the prompts are the three stances. What is private is not there (promise 6),
whoever asks; an id that is not in the memory is a protocol error that says so, without more.

Source: DESIGN 8 MCP; SEP-2164 (a resource that is not there); rulings A8, C10, F, H, J1; spec rag-organize 6.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptResult,
    PromptMessage,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)

from voice.core.errors import InvalidParams, ScopeRequired, VoiceError
from voice.core.graph.conflicts.pairs import Conflict
from voice.core.graph.review.candidates import CandidateStatus, Cursor
from voice.core.graph.review.decisions import Alias, Approve, Decision, Place, Reject, Reopen
from voice.core.messages.memory import scope_required_of
from voice.core.recall.disclosure import tells_private
from voice.core.recall.params import render_scope
from voice.core.records import RowStatus, Scope, Thought
from voice.core.text.display import escape_json, printable_block
from voice.core.text.prompt_injection import find_instruction
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.arguments import Arguments
from voice.entrypoints.mcp.client_replies import Connection, ReportProgress
from voice.entrypoints.mcp.curation_handlers import correct, explain, get_row, maintain, pin, vouch_status
from voice.entrypoints.mcp.discovery import JSON, PROMPTS, SESSIONS_URI, SOURCES_URI
from voice.entrypoints.mcp.question_handlers import Call, chat, check, organise, recall, remember, retrieve
from voice.entrypoints.mcp.tools import Tool
from voice.entrypoints.shared.review import (
    candidate_filter,
    conflict_json,
    edits,
    moderated_json,
    page_json,
    places_of,
    resolved_json,
)
from voice.entrypoints.shared.rows import row_json
from voice.entrypoints.shared.sessions import conversation_json, disclosed, item_json
from voice.requests import rows
from voice.services.graph.conflicts import Act, ConflictRequest, Resolution
from voice.services.graph.editor import resolve_entity
from voice.services.graph.moderation import Page
from voice.services.retrieval.row_lookups import fetch_with_source_thoughts

PAGE: Final = 20  # entries, where no limit is named
LIST_TOKENS: Final = 800
"""What a list takes at most where no number of entries is named."""


async def moderate(call: Call) -> Mapping[str, object]:
    """List candidates, or carry out one verdict on each of those that are named. Raises InvalidParams: no candidate is
    named, or what the verdict needs is not said."""
    said, moderation = call.said, call.memory.services.review.moderation
    action = said.text("action") or "list"
    if action == "list":
        return await _candidates(call)
    if action == "conflicts":
        return await list_conflicts(call)
    if action in ACTS:  # a verdict on a conflict, not on a candidate
        return await settle(call, action)
    verdicts = await _verdicts(call, action)
    if not verdicts:
        raise InvalidParams(f'{action} needs ids, such as {{"action": "{action}", "ids": ["c:…"]}}; list shows them')
    done = await moderation.decide(
        verdicts,
        by=call.origin,
        with_ends=said.flag("with_ends") or False,  # approves the ends of a relation too
        dry_run=said.flag("dry_run") or False,
        hides_private=not call.lets_private_in,
    )
    return {"action": action, **moderated_json(done)}


async def _candidates(call: Call) -> Mapping[str, object]:
    said, moderation = call.said, call.memory.services.review.moderation
    where = candidate_filter(call.asked(rows.CANDIDATES))
    limit, is_brief = said.integer("limit"), said.text("detail") != "full"
    page = await moderation.listed(where, limit=limit or PAGE, after=said.text("after"))  # a page too many is cut below

    def told(shown: Page) -> Mapping[str, object]:
        return {"action": "list", **page_json(shown, brief=is_brief)}

    most = len(page.views)  # one is shown, whatever it takes
    while limit is None and most > 1 and call.tokens(told(_first_candidates(page, most))) > LIST_TOKENS:
        most -= 1
    return told(_first_candidates(page, most))


def _first_candidates(page: Page, count: int) -> Page:
    """Return a page with its first candidates alone; the next one begins behind them."""
    if count >= len(page.views):
        return page
    last = page.views[count - 1].candidate
    is_queue = last.status is CandidateStatus.PENDING  # the queue goes by weight, what was decided by time
    return replace(page, views=page.views[:count], next=Place.behind(last) if is_queue else Cursor.behind(last))


async def _verdicts(call: Call, action: str) -> list[Decision]:
    match action:
        case "approve":
            return [Approve(candidate_id=each) for each in await call.ids()]
        case "reject":
            return [Reject(candidate_id=each, reason=call.said.text("reason") or "") for each in await call.ids()]
        case "reopen":
            return [Reopen(candidate_id=each) for each in await call.ids()]
        case "alias":
            entity = call.said.text("entity")
            if entity is None:
                raise InvalidParams("alias needs entity: the id, name or another name of an entity in the graph")
            known = await call.memory.services.review.moderation.names.known()
            entity_id = resolve_entity(entity, (known if call.lets_private_in else known.public).nodes).id
            return [Alias(candidate_id=each, entity_id=entity_id) for each in await call.ids()]
        case _:
            ids = await call.ids()
            return edits(ids, await call.memory.services.review.moderation.candidates.fetch(ids), call.said.values)


ACTS: Final[Mapping[str, Act]] = {"correct": "correct", "end": "end", "both_hold": "both"}


async def list_conflicts(call: Call) -> Mapping[str, object]:
    """List what cannot both hold, so much of it as a list may take."""
    said, services = call.said, call.memory.services
    limit = said.integer("limit")
    about, since = said.text("text"), call.moment("since")
    wanted = ConflictRequest(about=about, since=since, include_private=call.lets_private_in)
    found = await services.conflicts(wanted, limit=limit or PAGE)
    places = await places_of(found.conflicts, services.source_locations)

    def told(shown: tuple[Conflict, ...]) -> Mapping[str, object]:
        return {
            "action": "conflicts",
            "conflicts": [conflict_json(each, places, brief=True) for each in shown],
            "total": found.total,
        }

    shown = found.conflicts
    while limit is None and len(shown) > 1 and call.tokens(told(shown)) > LIST_TOKENS:
        shown = shown[:-1]
    return told(shown)


async def settle(call: Call, action: str) -> Mapping[str, object]:
    """Settle one conflict. Raises InvalidParams: none is named or several are, or the side is missing; UnknownId: no
    such conflict is there."""
    said, ids = call.said, call.said.texts("ids")
    if len(ids) != 1:  # conflicts are not resolved in batches
        raise InvalidParams(f'{action} resolves one conflict, such as {{"ids": ["d:…"]}}; conflicts lists them')
    resolution = Resolution(
        conflict_id=ids[0],
        act=ACTS[action],
        side=said.text("target"),
        by=call.origin,
        spares_trusted=True,  # a program ends no words of a person
        include_private=call.lets_private_in,
    )
    dry_run = said.flag("dry_run") or False
    done = await call.memory.services.settling(resolution, dry_run=dry_run)
    return {"action": action, **resolved_json(done, dry_run=dry_run)}


_DOES: Final[Mapping[str, Callable[[Call], Awaitable[Mapping[str, object]]]]] = {
    "inner_voice_retrieve": retrieve,
    "inner_voice": organise,
    "inner_voice_chat": chat,
    "recall": recall,
    "remember": remember,
    "knowledgegraph_moderate": moderate,
    "maintenance_ops": maintain,
    "get_row": get_row,
    "correct": correct,
    "pin": pin,
    "vouch_status": vouch_status,
}


async def done(
    tool: Tool,
    said: Arguments,
    opens: Callable[[], Awaitable[Voice]],
    *,
    connection: Connection,
    tell: ReportProgress,
    stands_in: str | None,  # the repository of the program
) -> tuple[Mapping[str, object], Sequence[str]]:
    """Return what a tool answers, and what it put right of the call. Raises FeatureDisabled: the inner voice is
    switched off, and the tool asks it; VoiceError: whatever opening the memory and the service raise."""
    # These two open no memory.
    if tool.name == "detailed_help":
        return explain(said.text("tool"), said.text("format")), ()
    if tool.name == "check":
        return await check(said), ()
    memory = await opens()
    if tool.is_gated:
        memory.settings.gate.require()
    call = Call(memory=memory, said=said, tell=tell, connection=connection, stands_in=stands_in)
    try:
        return await _DOES[tool.name](call), call.warnings
    except ScopeRequired as error:  # named here: only the open memory knows its scopes
        raise ScopeRequired(scope_required_of(_named(await memory.services.visible_ids.scopes()))) from error


_MOST_SCOPES = 8  # scopes that the error names
_LONGEST_SCOPE = 120  # characters of one; a longer text could speak to a model


def _named(scopes: Sequence[Scope]) -> str:
    """Return the first scopes as an argument has them; not one that is no name, but says something to a model."""
    texts = [json.dumps(render_scope(each), ensure_ascii=False) for each in scopes]
    plain = [each for each in texts if len(each) <= _LONGEST_SCOPE and find_instruction(each) is None]
    return "".join(f"{each}, " for each in plain[:_MOST_SCOPES])


_LATEST = 50  # sessions of the list
_STANCES: Mapping[str, str] = {
    "synthesize": "Answer this from my memory",
    "challenge": "Look in my memory for evidence against this",
    "question": "Ask me questions about this, based on my memory",
}


async def read_resource(memory: Voice, uri: str) -> ReadResourceResult:
    """Return what stands at a URI of ours. Raises MCPError: nothing that may be shown."""
    name = unquote(uri.removeprefix("voice://").partition("/")[2])  # clients may send t:1 as t%3A1
    if uri == SESSIONS_URI:
        listed = await memory.services.life.listed(limit=_LATEST)
        return _resource(uri, {"sessions": [item_json(item) for item in listed]})
    if uri.startswith(f"{SESSIONS_URI}/"):
        try:
            session, turns = await memory.services.life.show(name)
        except VoiceError as error:
            raise _missing(uri) from error
        # No private turn, no private topic.
        return _resource(uri, conversation_json(*disclosed(session, turns, include_private=False)))
    if uri.startswith(f"{SOURCES_URI}/"):
        rows = await fetch_with_source_thoughts(memory.services.store, [name])
        row = rows.get(name)
        # The caller cannot tell what is hidden from what is not there.
        if row is None or tells_private(row, rows) or (isinstance(row, Thought) and row.status is RowStatus.REDACTED):
            raise _missing(uri)
        return _resource(uri, row_json(row))
    raise _missing(uri)


def _resource(uri: str, document: Mapping[str, object]) -> ReadResourceResult:
    text = escape_json(json.dumps(document, ensure_ascii=False))  # steering characters could reach a terminal
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=JSON, text=text)])


def _missing(uri: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message="Resource not found", data={"uri": uri})


def prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt of ours, filled. Raises MCPError: there is no such prompt, or nothing is asked."""
    described = {str(each["name"]): str(each["description"]) for each in PROMPTS}
    question = arguments.get("question", "").strip()
    if name not in described:
        raise MCPError(code=INVALID_PARAMS, message=f"unknown prompt; choose one of {', '.join(described)}")
    if not question:
        raise MCPError(code=INVALID_PARAMS, message="the prompt needs a question")
    call = {"query": question, "stance": name, **({"when": when} if (when := arguments.get("when")) else {})}
    how = escape_json(json.dumps(call, ensure_ascii=False))
    text = (
        f"{_STANCES[name]}: {printable_block(question)}\n\nCall inner_voice_chat with {how} and report what it says: "
        "the answer with the source of each sentence, what it marks as doubtful, or its refusal and the evidence there "
        "was. Add nothing of your own to it."
    )
    message = PromptMessage(role="user", content=TextContent(text=text))
    return GetPromptResult(description=described[name], messages=[message])
