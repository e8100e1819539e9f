"""A line of a transcript of Claude Code (`~/.claude/projects/…/*.jsonl`) → lines.

Law: what the person typed and what the assistant said in words come in; commands, their output, tools, side tasks and
what the program put in by itself, also beside words that were typed, are left out and counted. A session that was taken
up again repeats what was said, under the same ids.

Source: docs/import.md.
"""

import re
from collections.abc import Mapping
from typing import Final

from voice.core.interchange.foreign.chatgpt import MACHINERY
from voice.core.interchange.foreign.loose import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.foreign.talk import Turn, turn_line
from voice.core.interchange.lines import FileLine, LeftOut

_MADE_BY_PROGRAM: Final = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
_MARKED: Final = ("<command-", "<local-command-", "<bash-", "<task-notification>", "[Request interrupted", "Caveat:")
_BESIDE: Final = re.compile(r"<(system-reminder|ide_\w{1,40})>(?:(?!</\1>).)*+(?:</\1>|\Z)\s*+", re.DOTALL)
"""What the program tells the model beside what was typed: a file that is open, a reminder."""


def claude_code_lines(entry: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return what was said in a line of a transcript."""
    kind = as_text(entry.get("type"))
    text = _words(as_map(entry.get("message")).get("content"))
    is_made = any(entry.get(name) is True for name in _MADE_BY_PROGRAM)
    if kind not in {"user", "assistant"} or is_made or not text:
        return (LeftOut(where=where, reason=MACHINERY),)
    thread = f"claude-code/{as_text(entry.get('sessionId'))}"
    turn = Turn(
        ref=f"claude-code/{as_text(entry.get('uuid'))}",
        thread=thread,
        text=text,
        at=as_instant(entry.get("timestamp")),
        by_assistant=kind == "assistant",
    )
    return (turn_line(turn, where),)


def _words(content: object) -> str:
    blocks = [as_map(block) for block in as_list(content)]
    told = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"] or [as_text(content)]
    texts = [_BESIDE.sub("", text) for text in told]
    return stored_text("\n\n".join(text for text in texts if text.strip() and not text.startswith(_MARKED)))
