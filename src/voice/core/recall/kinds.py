"""The kinds of thoughts.

Law: a kind is one word and the set is open: who writes may bring words of their own. What the contract calls an
observation's kind is the kind of a thought (ruling G); the contract's own are named wherever a kind is refused, so that
they are spelled alike.

Source: spec retrieval-contract, Core Interface (kind).
"""

import re

from voice.core.errors import InvalidParams

MAX_KIND_CHARS = 40
COMMON_KINDS = ("tool_call", "command", "file_diff", "error", "message", "note")
"""What tools and agents log: a call of a tool, a command that was run, a change to a file, a failure, something said,
and anything else."""
_WORD = re.compile(r"[^\W\d_][\w-]*")


def require_kind(text: str) -> str:
    """Return `text` as a kind.

    Raises:
        InvalidParams: it is not one word of letters, digits, `_` and `-` that begins with a letter.
    """
    if len(text) > MAX_KIND_CHARS or not _WORD.fullmatch(text):
        raise InvalidParams(
            f"a kind is one word of at most {MAX_KIND_CHARS} letters, digits, _ or -, such as {', '.join(COMMON_KINDS)}"
        )
    return text
