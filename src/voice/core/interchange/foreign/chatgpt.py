"""Read ChatGPT exports, and message lists as passed to a model.

Law: of the conversation tree only the branch up from `current_node` counts. System, tool, hidden and reasoning messages
and abandoned branches are left out and counted. User turns are the person's, within the entrance's limits.
Source: docs/import.md.
"""

import re
from collections.abc import Mapping
from typing import Final

from blake3 import blake3

from voice.core.interchange.foreign.conversation import (
    UNLOOKED,
    Conversation,
    ConversationTurn,
    SharedTitles,
    called,
    turn_line,
)
from voice.core.interchange.json_fields import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission
from voice.core.messages import files as messages

_SPOKEN: Final = frozenset({"text", "multimodal_text"})  # not "code", "thoughts" or "user_editable_context"
# Citation marks that only ChatGPT's page renders: "\ue200cite\ue202turn0search1\ue201", "【12†source】".
_MARKS: Final = re.compile("\ue200[^\ue200\ue201]*+\ue201|【[^【】†]*+†[^【】]*+】")


def chatgpt_lines(
    conversation: Mapping[str, object], where: str, titles: SharedTitles = UNLOOKED
) -> tuple[FileLine, ...]:
    """Return a conversation's turns, oldest first, with omissions."""
    nodes = as_map(conversation.get("mapping"))
    titled = called("chatgpt", conversation)
    if not nodes:
        return (BadLine(where=where, reason=messages.NOT_CHATGPT),)
    branch = _branch(nodes, as_text(conversation.get("current_node")))
    begun = as_instant(conversation.get("create_time"))
    talk = Conversation(ref=titled.ref, thread=titles.thread(titled), begun=begun)
    told = (_line(node, talk, f"{where}, message {number}") for number, node in enumerate(branch, start=1))
    lines = tuple(filter(None, told))
    on_branch = {as_text(node.get("id")) for node in branch}  # by the tree's keys, as `_branch` sets them
    others = [as_map(node) for name, node in nodes.items() if name not in on_branch]  # rewordings, and answers to them
    given_up = sum(bool(_words(as_map(node.get("message")))) for node in others)
    missing = Omission(where=where, reason=messages.ABANDONED_BRANCHES, count=given_up)
    return (*lines, missing) if given_up else lines


def chatgpt_owner(user: object) -> str | None:
    """Return the name in `user.json`; None if missing, as mostly."""
    return as_text(as_map(user).get("name")).strip() or None


def _branch(nodes: Mapping[str, object], current: str) -> list[Mapping[str, object]]:
    """Return the nodes from the root to `current`, or to the newest node if unknown."""
    name = current if current in nodes else max(nodes, key=lambda each: _moment(nodes[each]))
    left, branch = dict(nodes), list[Mapping[str, object]]()
    while name in left:
        node = as_map(left.pop(name))  # taken out: a broken file may name a circle of parents
        branch.append({**node, "id": name})
        name = as_text(node.get("parent"))
    return branch[::-1]


def _moment(node: object) -> float:
    at = as_instant(as_map(as_map(node).get("message")).get("create_time"))
    return at.timestamp() if at else 0.0


def _line(node: Mapping[str, object], talk: Conversation, where: str) -> FileLine | None:
    message = as_map(node.get("message"))
    if not message:
        return None
    if not _is_speech(message):
        return Omission(where=where, reason=messages.TOOL_MESSAGES)
    text = _words(message)
    if not text:
        return Omission(where=where, reason=messages.MESSAGES_WITHOUT_TEXT)
    name = as_text(message.get("id")) or as_text(node.get("id"))
    turn = ConversationTurn(
        ref=f"{talk.ref}/{name}",
        thread=talk.thread,
        text=text,  # a message without a time has its conversation's
        at=as_instant(message.get("create_time")) or talk.begun,
        by_assistant=_role(message) != "user",
    )
    return turn_line(turn, where, [(messages.ATTACHMENTS, _files(message))])


def _role(message: Mapping[str, object]) -> str:
    return as_text(as_map(message.get("author")).get("role"))


def _is_speech(message: Mapping[str, object]) -> bool:
    """Return whether it is a shown message between user and assistant."""
    hidden = as_map(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
    kind = as_map(message.get("content")).get("content_type")
    spoken_to = as_text(message.get("recipient")) or "all"  # a message to a tool names the tool
    return _role(message) in {"user", "assistant"} and kind in _SPOKEN and spoken_to == "all" and not hidden


def _words(message: Mapping[str, object]) -> str:
    if not _is_speech(message):
        return ""
    parts = as_list(as_map(message.get("content")).get("parts"))
    texts = [as_text(part) or as_text(as_map(part).get("text")) for part in parts]  # texts, or objects of media
    return stored_text(_MARKS.sub("", "\n\n".join(text for text in texts if text.strip())))


def _files(message: Mapping[str, object]) -> int:
    """Count the pictures, recordings and documents of a message."""
    parts = [as_map(part) for part in as_list(as_map(message.get("content")).get("parts"))]
    shown = sum(bool(part) and not as_text(part.get("text")) for part in parts)
    attached = [as_map(each) for each in as_list(as_map(message.get("metadata")).get("attachments"))]
    # Pictures are counted already, as parts.
    return shown + sum(not as_text(each.get("mime_type")).startswith("image/") for each in attached)


_ASSISTANT: Final = frozenset({"assistant", "model", "ai"})
_PERSON: Final = frozenset({"user", "human"})


def messages_lines(value: Mapping[str, object], where: str, titles: SharedTitles = UNLOOKED) -> tuple[FileLine, ...]:
    """Return the turns of a conversation, or of a single message."""
    said = blake3()
    if not isinstance(value.get("messages"), list):
        return (_message_line(value, Conversation(ref="messages", thread=None), where, said),)  # in a log: one a line
    titled = called("messages", value)
    talk = Conversation(ref=titled.ref, thread=titles.thread(titled))
    turns = enumerate(map(as_map, as_list(value.get("messages"))), start=1)
    return tuple(_message_line(each, talk, f"{where}, message {number}", said) for number, each in turns)


def _message_line(message: Mapping[str, object], talk: Conversation, where: str, said: blake3) -> FileLine:
    """Return a message's line; `said` hashes the turns up to it."""
    role = as_text(message.get("role")).casefold()
    if role not in _ASSISTANT | _PERSON:  # "system", "tool", "developer"
        return Omission(where=where, reason=messages.TOOL_MESSAGES)
    parts = as_list(message.get("content")) or as_list(message.get("parts"))
    texts = [as_text(part) or as_text(as_map(part).get("text")) for part in parts]
    text = stored_text("\n\n".join(each for each in texts if each.strip())) or as_text(message.get("content"))
    if not text.strip():
        return Omission(where=where, reason=messages.MESSAGES_WITHOUT_TEXT)
    times = (message.get(name) for name in ("created_at", "timestamp", "time", "date"))
    at = next((moment for each in times if (moment := as_instant(each))), None)
    said.update(f"{role} {len(text)} {text}".encode())
    key = as_text(message.get("id")) or (at.isoformat() if at else "")
    # Without id and time, what was said so far tells apart two files, but not a conversation and its beginning.
    ref = f"{talk.ref}/{key or said.hexdigest(length=8)}/{role}"
    turn = ConversationTurn(ref=ref, thread=talk.thread, text=text, at=at, by_assistant=role in _ASSISTANT)
    return turn_line(turn, where, [(messages.ATTACHMENTS, sum(not each.strip() for each in texts))])
