"""What a conversation is called where people read it.

Law: a thread is `program/title`, or `program/id` where the conversation has no title; of an id its beginning is shown,
which tells conversations apart. A thread that is a capsule's id names no conversation.

Source: DESIGN 8 "Vaults"; docs/import.md, "Where it stands".
"""

import re
from typing import Final

ID_CHARS: Final = 8
"""Characters of an id that tell conversations apart."""
_LOOKS_LIKE_AN_ID: Final = re.compile(r"(?=[^ ]*[0-9@])[^ ]{16,}\Z")
_CAPSULE: Final = "c:"


def shown_thread(thread: str) -> str:
    """Return a thread as it is shown, an id in it cut to its beginning."""
    source, slash, name = thread.rpartition("/")
    return f"{source}{slash}{name[:ID_CHARS] if _LOOKS_LIKE_AN_ID.match(name) else name}"


def is_conversation(thread: str) -> bool:
    """Return whether a thread names a conversation, not a capsule."""
    return not thread.startswith(_CAPSULE)
