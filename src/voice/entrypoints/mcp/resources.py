"""The resources and prompts: sessions and sources by id, and the three stances.

Law: what is private is not there (promise 6), whoever asks; an id that is not in the memory is a protocol error that
says so, without more.

Source: DESIGN 8 MCP; SEP-2164 (a resource that is not there).
"""

import json
from collections.abc import Mapping
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

from voice.core.errors import VoiceError
from voice.core.records import RowStatus, Thought
from voice.core.text.escaping import escape_json, printable_block
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.discovery import JSON, PROMPTS, SESSIONS_URI, SOURCES_URI
from voice.entrypoints.shared.rows import row_json
from voice.entrypoints.shared.sessions import conversation_json, disclosed, item_json

_LATEST = 50
_STANCES: Mapping[str, str] = {
    "synthesize": "Answer this from my memory",
    "challenge": "Look in my memory for what speaks against this",
    "question": "Ask me back about this, from what my memory holds",
}


async def read_resource(memory: Voice, uri: str) -> ReadResourceResult:
    """Return what stands at a URI of ours.

    Raises:
        MCPError: nothing does that may be shown.
    """
    kind, _, name = uri.removeprefix("voice://").partition("/")
    name = unquote(name)
    if uri == SESSIONS_URI:
        listed = await memory.services.life.listed(limit=_LATEST)
        return _told(uri, {"sessions": [item_json(item) for item in listed]})
    if uri.startswith(f"{SESSIONS_URI}/") and kind == "sessions":
        return _told(uri, await _session(memory, uri, name))
    if uri.startswith(f"{SOURCES_URI}/"):
        return _told(uri, await _source(memory, uri, name))
    raise _missing(uri)


async def _session(memory: Voice, uri: str, name: str) -> Mapping[str, object]:
    try:
        session, turns = await memory.services.life.show(name)
    except VoiceError as error:
        raise _missing(uri) from error
    return conversation_json(*disclosed(session, turns, include_private=False))


async def _source(memory: Voice, uri: str, row_id: str) -> Mapping[str, object]:
    row = (await memory.services.store.fetch([row_id])).get(row_id)
    if row is None or row.is_private or (isinstance(row, Thought) and row.status is RowStatus.REDACTED):
        raise _missing(uri)
    return row_json(row)


def _told(uri: str, document: Mapping[str, object]) -> ReadResourceResult:
    text = escape_json(json.dumps(document, ensure_ascii=False))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=JSON, text=text)])


def _missing(uri: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message="Resource not found", data={"uri": uri})


def prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt of ours with its arguments in place.

    Raises:
        MCPError: there is no such prompt, or nothing is asked.
    """
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
