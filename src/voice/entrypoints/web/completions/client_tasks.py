"""Tell a chat program's own requests (titles, tags, search queries) from a person's questions.

Law: a program's own chores (a title for its list, tags, a query for a search of its own) are no questions of the person
and become no turn: nothing is asked of the memory, nothing is kept. They are known by the form that Open WebUI gives
them: the heading that each of its templates begins with, and the blocks that it puts what it fills in between. Of a
question that it laid documents around, only the question is asked: those documents are not the memory.

Source: Open WebUI, the default templates of `backend/open_webui/config.py`.
"""

from collections.abc import Sequence
from typing import Final

from voice.entrypoints.web.completions.request import Message, words_of

UNDONE: Final = "{}"
"""What a chore is answered with: these programs read JSON there, and do without what is not in it."""
_HEADING: Final = "### Task:"
_TOOLS: Final = "Available Tools:"
_FACE: Final = "Your task is to reflect the speaker's likely facial expression"
_CHAT: Final = "</chat_history>"
_DOCUMENTS: Final = "</context>"
_QUERY: Final = ("<user_query>", "</user_query>")


def asked_in(said: str, before: Sequence[Message]) -> str | None:
    """Return what the person asks in their last message; None where the program asks for itself.

    Args:
        said: the message.
        before: the messages before it.
    """
    said = said.strip()
    if said.startswith(_FACE) or any(_lists_tools(each) for each in before):
        return None
    if not said.startswith(_HEADING):
        return said
    if said.endswith(_CHAT):
        return None
    before_end, ends, _ = said.rpartition(_QUERY[1])
    _, begins, query = before_end.rpartition(_QUERY[0])
    if begins and ends:
        return query.strip() or None
    return said.rpartition(_DOCUMENTS)[2].strip() or None if _DOCUMENTS in said else None


def _lists_tools(message: Message) -> bool:
    """Return whether a message has a model choose one of the program's tools."""
    return message.role == "system" and words_of(message.content).lstrip().startswith(_TOOLS)
