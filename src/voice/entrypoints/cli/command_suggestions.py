"""Words that people type as commands, and the command that does what they may mean.

Law: it is said, and nothing is run. Each of these is a command with its options as it can be typed; what is no word of
this table is compared with the commands' names.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

SUGGESTIONS: Final = {
    "add": ("remember",),
    "answer": ("ask",),
    "approve": ("review", "kg approve"),
    "backup": ("maintain backup",),
    "candidates": ("kg candidates",),
    "clean": ("maintain compact",),
    "compact": ("maintain compact",),
    "conversations": ("sessions list",),
    "cost": ("report",),
    "create": ("init", "remember"),
    "delete": ("forget",),
    "edit": ("correct",),
    "entities": ("kg list",),
    "find": ("retrieve", "ask"),
    "fix": ("correct", "doctor"),
    "follow": ("sync --watch",),
    "graph": ("kg list",),
    "health": ("doctor",),
    "history": ("sessions list",),
    "info": ("doctor", "config"),
    "ingest": ("import",),
    "install": ("models install", "init"),
    "list": ("kg list", "sessions list"),
    "load": ("import",),
    "ls": ("kg list", "sessions list"),
    "new": ("remember",),
    "note": ("remember",),
    "notes": ("retrieve", "import"),
    "open": ("serve",),
    "pin": ("pins add",),
    "query": ("ask", "retrieve"),
    "question": ("ask",),
    "rebuild": ("maintain rebuild",),
    "reindex": ("maintain rebuild",),
    "reject": ("kg reject",),
    "remove": ("forget",),
    "restore": ("maintain restore-backup",),
    "rm": ("forget",),
    "run": ("serve", "chat"),
    "save": ("remember",),
    "search": ("retrieve", "ask"),
    "server": ("serve",),
    "set": ("config",),
    "settings": ("config",),
    "setup": ("init",),
    "show": ("kg show", "sessions show"),
    "stats": ("report",),
    "status": ("doctor",),
    "store": ("remember",),
    "summarize": ("organise",),
    "talk": ("chat",),
    "ui": ("serve",),
    "update": ("sync",),
    "usage": ("report",),
    "verify": ("maintain verify",),
    "version": ("--version",),
    "watch": ("sync --watch",),
    "web": ("serve",),
    "write": ("remember",),
}
"""Commands by what is typed, the likeliest first."""


def with_suggestion(message: str, name: str, commands: Iterable[str]) -> str:
    """Return a message about the unknown command `name`, with what was probably meant."""
    if meant := SUGGESTIONS.get(name.casefold()):
        return (
            f"{message.partition(' Did you mean')[0]} Did you mean {' or '.join(f'`voice {each}`' for each in meant)}?"
        )
    close = get_close_matches(name, commands, n=1)
    return f"{message} Did you mean {close[0]!r}?" if close and "Did you mean" not in message else message
