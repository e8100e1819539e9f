"""Read conversations of Claude's `conversations.json` and projects of `projects.json`.

Law: of reworded questions only the last shown branch counts. A turn is its text blocks; attached texts are separate
thoughts of unknown authorship, artifacts are the assistant's. Thinking, tools, artifact edits and files without text
are left out and counted.
"""

from collections.abc import Iterator, Mapping, Sequence

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


def claude_lines(
    conversation: Mapping[str, object], where: str, titles: SharedTitles = UNLOOKED
) -> tuple[FileLine, ...]:
    """Return a conversation's turns, oldest first, with omissions."""
    if isinstance(conversation.get("docs"), list):  # a project of projects.json
        return tuple(_of_project(conversation, where))
    if not isinstance(conversation.get("chat_messages"), list):
        return (BadLine(where=where, reason=messages.NOT_CLAUDE),)
    sent = [as_map(message) for message in as_list(conversation.get("chat_messages"))]
    branch = _branch(sent, as_text(conversation.get("current_leaf_message_uuid")))
    titled = called("claude", conversation)
    begun = as_instant(conversation.get("created_at"))
    talk = Conversation(ref=titled.ref, thread=titles.thread(titled), begun=begun)
    lines = tuple(
        line
        for number, message in enumerate(branch, start=1)
        for line in _lines(message, talk, f"{where}, message {number}")
    )
    given_up = len(sent) - len(branch)
    return (*lines, Omission(where=where, reason=messages.ABANDONED_BRANCHES, count=given_up)) if given_up else lines


def claude_owner(users: object) -> str | None:
    """Return the name in `users.json`; None if there is none or several."""
    names = {as_text(as_map(user).get("full_name")).strip() for user in as_list(users)}
    return names.pop() or None if len(names) == 1 else None  # several people share an export: none of them is meant


def _of_project(project: Mapping[str, object], where: str) -> Iterator[FileLine]:
    """Yield a project's instructions by the person, and its documents, whose author is unknown."""
    key = as_text(project.get("uuid"))
    at = as_instant(project.get("created_at"))
    own = (("about", as_text(project.get("description"))), ("told", as_text(project.get("prompt_template"))))
    for name, text in own:
        if text.strip() and project.get("is_starter_project") is not True:  # Claude's own example project
            ref = f"claude/project/{key}/{name}"
            yield turn_line(ConversationTurn(ref=ref, thread=None, text=text, at=at, by_assistant=False), where)
    for number, each in enumerate(map(as_map, as_list(project.get("docs"))), start=1):
        if text := _below(as_text(each.get("filename")), as_text(each.get("content"))):
            turn = ConversationTurn(
                ref=f"claude/project/{key}/{as_text(each.get('uuid')) or number}",
                thread=None,
                text=text,
                at=as_instant(each.get("created_at")) or at,
                by_assistant=False,
                is_enclosed=True,
            )
            yield turn_line(turn, f"{where}, document {number}")


def _branch(messages: Sequence[dict[str, object]], leaf: str) -> Sequence[dict[str, object]]:
    """Return the branch that ends in `leaf` or the last message; all messages if nothing branches."""
    by_id = {as_text(message.get("uuid")): message for message in messages}
    parents = [as_text(message.get("parent_message_uuid")) for message in messages]
    named = [parent for parent in parents if parent]
    # No parent is a message of this file, or no message has two replies: nothing branches.
    if by_id.keys().isdisjoint(named) or len(named) == len(set(named)):
        return messages
    name = leaf if leaf in by_id else as_text(messages[-1].get("uuid"))
    branch: list[dict[str, object]] = []
    while name in by_id:
        message = by_id.pop(name)  # taken out, so that a circle of parents ends
        branch.append(message)
        name = as_text(message.get("parent_message_uuid"))
    return branch[::-1]


def _lines(message: Mapping[str, object], talk: Conversation, where: str) -> Iterator[FileLine]:
    sender = as_text(message.get("sender"))
    at = as_instant(message.get("created_at")) or talk.begun
    ref = f"{talk.ref}/{as_text(message.get('uuid')) or (at.isoformat() if at else '')}"
    attached, blocks = _attached_texts(message), _blocks(message)
    extras = [*filter(None, (*attached, *map(_artifact, blocks)))]
    files = len(as_list(message.get("files"))) + attached.count("")
    others = sum(block.get("type") != "text" and not _artifact(block) for block in blocks)
    text = _words(message)
    partly = [(messages.ATTACHMENTS, files), (messages.THINKING_BLOCKS, others)]  # told of the text, if there is one
    if sender not in {"human", "assistant"} or not (text or extras):
        yield Omission(where=where, reason=messages.WITHOUT_TEXT_OF_CLAUDE)
        return
    by_assistant = sender != "human"
    if text:
        turn = ConversationTurn(ref=ref, thread=talk.thread, text=text, at=at, by_assistant=by_assistant)
        yield turn_line(turn, where, partly)
    for number, extra in enumerate(extras, start=1):
        turn = ConversationTurn(
            ref=f"{ref}/{number}",
            thread=talk.thread,
            text=extra,
            at=at,
            by_assistant=by_assistant,
            is_enclosed=not by_assistant,  # an attached text is someone's, an artifact is the assistant's own
        )
        yield turn_line(turn, where, [] if text or number > 1 else partly)  # once for each message


def _attached_texts(message: Mapping[str, object]) -> list[str]:
    """Return the texts of attached files; "" for a file without text."""
    attached = map(as_map, as_list(message.get("attachments")))
    return [_below(as_text(each.get("file_name")), as_text(each.get("extracted_content"))) for each in attached]


def _artifact(block: Mapping[str, object]) -> str:
    """Return a complete artifact below its title; "" for other blocks."""
    made = as_map(block.get("input"))
    if block.get("name") == "create_file":
        return _below(as_text(made.get("path")).rpartition("/")[2], as_text(made.get("file_text")))
    if block.get("name") == "artifacts" and as_text(made.get("command")) in ("create", "rewrite"):
        return _below(as_text(made.get("title")), as_text(made.get("content")))
    return ""  # an "update" changes some words: no complete text


def _below(title: str, text: str) -> str:
    """Return a text below its title; "" if it is blank."""
    return "\n\n".join(filter(None, (title, text))) if text.strip() else ""


def _blocks(message: Mapping[str, object]) -> list[dict[str, object]]:
    return [as_map(block) for block in as_list(message.get("content"))]


def _words(message: Mapping[str, object]) -> str:
    texts = [as_text(block.get("text")) for block in _blocks(message) if block.get("type") == "text"]
    return stored_text("\n\n".join(text for text in texts if text.strip()) or as_text(message.get("text")))
