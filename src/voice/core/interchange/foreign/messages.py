"""Conversations as programs pass them to a model: `{"messages": [{"role": …, "content": …}]}` → lines.

Law: the user's turns are the person's, as far as the entrance allows, the assistant's are a model's; what has another
role is left out and counted.

Source: docs/import.md.
"""

from collections.abc import Mapping
from typing import Final

from voice.core.interchange.foreign.chatgpt import MACHINERY
from voice.core.interchange.foreign.loose import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.foreign.talk import WITHOUT_FILES, Talk, Turn, turn_line
from voice.core.interchange.foreign.titles import UNLOOKED, SharedTitles, called
from voice.core.interchange.lines import FileLine, LeftOut

WORDLESS: Final = "messages without text (pictures, files)"
_ASSISTANT: Final = frozenset({"assistant", "model", "ai"})
_PERSON: Final = frozenset({"user", "human"})


def messages_lines(value: Mapping[str, object], where: str, titles: SharedTitles = UNLOOKED) -> tuple[FileLine, ...]:
    """Return the turns of a conversation; of a message that stands by itself, that one."""
    if not isinstance(value.get("messages"), list):
        return (_line(value, Talk(ref="messages", thread=None), where),)
    said_of = called("messages", value)
    talk = Talk(ref=said_of.ref, thread=titles.thread(said_of))
    said = [as_map(message) for message in as_list(value.get("messages"))]
    return tuple(_line(each, talk, f"{where}, message {number}") for number, each in enumerate(said, start=1))


def _line(message: Mapping[str, object], talk: Talk, where: str) -> FileLine:
    role = as_text(message.get("role")).casefold()
    if role not in _ASSISTANT | _PERSON:
        return LeftOut(where=where, reason=MACHINERY)
    parts = as_list(message.get("content")) or as_list(message.get("parts"))
    texts = [as_text(part) or as_text(as_map(part).get("text")) for part in parts]
    text = stored_text("\n\n".join(each for each in texts if each.strip())) or as_text(message.get("content"))
    if not text.strip():
        return LeftOut(where=where, reason=WORDLESS)
    times = (message.get(name) for name in ("created_at", "timestamp", "time", "date"))
    at = next((moment for each in times if (moment := as_instant(each))), None)
    key = as_text(message.get("id"))
    ref = f"{talk.ref}/{key or (at.isoformat() if at else '')}/{role}"
    turn = Turn(ref=ref, thread=talk.thread, text=text, at=at, by_assistant=role in _ASSISTANT)
    return turn_line(turn, where, [(WITHOUT_FILES, sum(not each.strip() for each in texts))])
