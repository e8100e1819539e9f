"""Reading exported conversations with assistants, and Takeout's activities.

Law: one conversation is held at a time; one that cannot be read is one `BadLine` with its number, and the rest is read.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, Final, cast

from voice.adapters.files.json_array import array_elements
from voice.core.interchange.foreign.chatgpt import chatgpt_lines
from voice.core.interchange.foreign.claude import claude_lines
from voice.core.interchange.foreign.gemini import gemini_lines
from voice.core.interchange.lines import BadLine, FileLine
from voice.ports.files import FileFormat

Understand = Callable[[Mapping[str, object], str], tuple[FileLine, ...]]
_KINDS: Final[Mapping[FileFormat, tuple[str, Understand]]] = {
    FileFormat.CHATGPT: ("conversation", chatgpt_lines),
    FileFormat.CLAUDE: ("conversation", claude_lines),
    FileFormat.GEMINI: ("entry", gemini_lines),
}


def read_chats(stream: BinaryIO, kind: FileFormat) -> Iterator[FileLine]:
    """Yield what an export of conversations holds, in its order.

    Args:
        stream: the file's bytes.
        kind: whose export it is: ChatGPT's, Claude's or Takeout's.

    Raises:
        OSError: the stream cannot be read.
    """
    called, understand = _KINDS[kind]
    for number, element in enumerate(array_elements(stream), start=1):
        where = f"{called} {number}"
        if isinstance(element, str):
            yield BadLine(where=where, reason=element)
            continue
        value = _decoded(element)
        if value is None:
            yield BadLine(where=where, reason="is not valid JSON; export it again")
        else:
            yield from understand(value, where)


def _decoded(source: bytes) -> dict[str, object] | None:
    try:
        value: object = json.loads(source.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None
