"""A conversation of Claude's `conversations.json` → lines.

Law: turns in their order; where the messages name their parents and a question was asked anew, the branch that was
shown last counts. A turn is its blocks of text; thinking, tools and attached files are left out.
"""

from collections.abc import Mapping, Sequence

from voice.core.interchange.foreign.loose import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.foreign.talk import Turn, turn_line
from voice.core.interchange.lines import BadLine, FileLine, LeftOut

WORDLESS = "messages without words (files, tools)"
GIVEN_UP = "messages of branches that were given up"


def claude_lines(conversation: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return the turns of a conversation, oldest first, and what was left out of it."""
    if not isinstance(conversation.get("chat_messages"), list):
        return (BadLine(where=where, reason="has no list of “chat_messages”; it is no conversation of Claude"),)
    messages = [as_map(message) for message in as_list(conversation.get("chat_messages"))]
    branch = _branch(messages, as_text(conversation.get("current_leaf_message_uuid")))
    key = as_text(conversation.get("uuid"))
    thread = f"claude/{key}" if key else None
    begun = conversation.get("created_at")
    lines = tuple(
        _line(message, thread, begun, f"{where}, message {number}") for number, message in enumerate(branch, start=1)
    )
    given_up = len(messages) - len(branch)
    return (*lines, LeftOut(where=where, reason=GIVEN_UP, count=given_up)) if given_up else lines


def _branch(messages: Sequence[dict[str, object]], leaf: str) -> Sequence[dict[str, object]]:
    """Return the messages of the branch that ends with `leaf`, or with the last one; all where nothing branches."""
    by_id = {as_text(message.get("uuid")): message for message in messages}
    parents = [as_text(message.get("parent_message_uuid")) for message in messages]
    known = [parent for parent in parents if parent and parent in by_id]
    if not known or len(known) == len(set(known)):
        return messages
    name = leaf if leaf in by_id else as_text(messages[-1].get("uuid"))
    branch: list[dict[str, object]] = []
    while name in by_id:
        message = by_id.pop(name)
        branch.append(message)
        name = as_text(message.get("parent_message_uuid"))
    return branch[::-1]


def _line(message: Mapping[str, object], thread: str | None, begun: object, where: str) -> FileLine:
    text = _words(message)
    sender = as_text(message.get("sender"))
    if not text or sender not in {"human", "assistant"}:
        return LeftOut(where=where, reason=WORDLESS)
    at = as_instant(message.get("created_at")) or as_instant(begun)
    name = as_text(message.get("uuid")) or (at.isoformat() if at else "")
    turn = Turn(ref=f"{thread or 'claude'}/{name}", thread=thread, text=text, at=at, by_assistant=sender != "human")
    return turn_line(turn, where)


def _words(message: Mapping[str, object]) -> str:
    blocks = [as_map(block) for block in as_list(message.get("content"))]
    texts = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"]
    said = "\n\n".join(text for text in texts if text.strip())
    return stored_text(said or as_text(message.get("text")))
