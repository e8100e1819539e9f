"""The forms of results, as JSON and in words; each module of them is imported at its first use (`forms.rows.row_json`).

Law: a command waits for no form that it does not print; many of these bring what reads sentences.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voice.core.render import answer, audit, check, conversation, recall, reports, turn_json, verification
    from voice.entrypoints.shared import advice, notes, review, rows, sessions

_SHARED = frozenset({"advice", "notes", "review", "rows", "sessions"})
__all__ = ["advice", "notes", "review", "rows", "sessions"]
__all__ += ["answer", "audit", "check", "conversation", "recall", "reports", "turn_json", "verification"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    return import_module(f"voice.entrypoints.shared.{name}" if name in _SHARED else f"voice.core.render.{name}")
