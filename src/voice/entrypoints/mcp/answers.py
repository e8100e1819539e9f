"""What a call is answered with.

Law: an answer is its structured content and the same as JSON text; a failure is `isError` with the JSON text
`{"error": {"code", "message"}}` and the same in `_meta`, and no structured content: clients hold that against the
output schema, and would lose the error over it. Codes are those of the one error tree (S0's among them). A store that
cannot be reached is S0's `db_error`, with the finer code beside it as `reason`; an unexpected failure is
`internal_error` and tells nothing of its inside.

Source: spec inner_voice.retrieve, Error Handling; ECOSYSTEM 2.2; STYLE 9.
"""

import json
from collections.abc import Mapping, Sequence

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
from voice.core.text.escaping import escape_json, printable
from voice.entrypoints.forms.advice import OVER_MCP, advised
from voice.entrypoints.mcp.wording import in_tools, in_words_of_tools

ERROR_META = "voice/error"
IGNORED_META = "voice/ignored"
WARNINGS_META = "voice/warnings"
_MOST_SAID = 1_500
"""Characters of an error's message: what was sent may stand in it, and may be of any length."""
_ENDING = 300
OUT_OF_REACH = (StoreHeld, StoreUnavailable, SchemaDrift, StoreDamaged)
"""Ways in which a store cannot be reached: to S0 they are one."""


class TurnFailed(ProviderError):
    """The provider failed; the turn is kept and says how."""

    def __init__(self, message: str, *, reason: str, exchange_id: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.exchange_id = exchange_id


def answer(told: Mapping[str, object], *, ignored: Sequence[str] = (), warnings: Sequence[str] = ()) -> CallToolResult:
    """Return the result of a call that was answered.

    Args:
        told: the answer, as the tool's output schema has it.
        ignored: names of arguments that the tool does not know.
        warnings: what of the call was put right, or is to be known beside the answer (ruling C16).
    """
    warnings = in_tools(warnings)
    content = [TextContent(text=text) for text in answer_texts(told, ignored=ignored, warnings=warnings)]
    beside = {IGNORED_META: list(ignored), WARNINGS_META: list(warnings)}
    meta: dict[str, object] = {name: said for name, said in beside.items() if said}
    return CallToolResult(content=[*content], structured_content=dict(told), _meta=meta or None)


def answer_texts(told: Mapping[str, object], *, ignored: Sequence[str], warnings: Sequence[str]) -> list[str]:
    """Return the texts of an answer, each as it goes out: the answer itself, and what is to be known beside it."""
    texts = [escape_json(json.dumps(told, ensure_ascii=False))]
    if ignored:
        texts.append(f"Not known here, and left out: {', '.join(map(printable, ignored))}. See detailed_help.")
    if warnings:
        texts.append("\n".join(map(printable, warnings)))
    return texts


def failure(error: VoiceError, tool: str) -> CallToolResult:
    """Return the result of a call of a tool that could not be answered."""
    named, more = codes_of(error), dict[str, object]()
    if isinstance(error, TurnFailed):
        named, more = {"code": error.reason}, {"exchange_id": error.exchange_id}
    elif isinstance(error, SessionConflict) and error.exchange_id is not None:
        more = {"exchange_id": error.exchange_id}
    message = in_words_of_tools(advised(error, OVER_MCP))
    told = {**named, "message": _bounded(message if message.startswith(tool) else f"{tool}: {message}")}
    meta = {ERROR_META: {**told, "retryable": error.retryable, **more}}
    return CallToolResult(
        content=[TextContent(text=escape_json(json.dumps({"error": told}, ensure_ascii=False)))],
        is_error=True,
        _meta=meta,
    )


def codes_of(error: VoiceError) -> dict[str, str]:
    """Return the `code` of an error as S0 has it, and as `reason` the finer one where S0 has none."""
    if isinstance(error, OUT_OF_REACH):
        return {"code": StoreError.code, "reason": error.code}
    return {"code": error.code}


def _bounded(message: str) -> str:
    """Return a message without the middle of one that is too long; what to do instead stands at its end."""
    if len(message) <= _MOST_SAID:
        return message
    return f"{message[: _MOST_SAID - _ENDING]}…{message[-_ENDING:]}"


def unexpected(error: Exception) -> VoiceError:
    """Return what is said of a failure that nobody foresaw."""
    what = f"something went wrong inside voice ({type(error).__name__}); call again, or tell the person"
    return VoiceError(what)
