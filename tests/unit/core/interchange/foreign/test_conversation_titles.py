"""A conversation is called by its title, and known by its id."""

import pytest

from interchange_values import records
from voice.core.interchange.foreign.chatgpt import chatgpt_lines, messages_lines
from voice.core.interchange.foreign.claude import claude_lines
from voice.core.interchange.foreign.conversation import UNLOOKED, SharedTitles, TitledConversation, called
from voice.core.interchange.foreign.messengers import telegram_lines
from voice.core.interchange.memory_lines import FileLine

pytestmark = pytest.mark.requirement("ruling:I4:locations")
KEY = "6729ab12-77aa-8000-b0e5-1c2d3e4f5a6b"
OTHER = "671111aa-77aa-8000-b0e5-1c2d3e4f5a6b"
ALONE = SharedTitles.among([TitledConversation(program="chatgpt", title="Kiln repair", key=KEY)])


def threads(lines: tuple[FileLine, ...]) -> set[tuple[str | None, str | None]]:
    """Return the thread and the id of each message."""
    return {(each.thread, each.source_ref) for each in records(lines)}


def chat(title: object, key: str = KEY) -> dict[str, object]:
    content = {"content_type": "text", "parts": ["Hello."]}
    node = {"id": "a", "message": {"id": "m", "author": {"role": "user"}, "content": content}}
    return {"id": key, "title": title, "mapping": {"a": node}, "current_node": "a"}


def test_a_title_names_the_conversation_and_its_id_the_message() -> None:
    assert threads(chatgpt_lines(chat("Kiln  repair\n"), "c", ALONE)) == {("chatgpt/Kiln repair", f"chatgpt/{KEY}/m")}
    said = {"uuid": "u", "sender": "human", "text": "Hello."}
    claude = {"uuid": KEY, "name": "Kiln repair", "chat_messages": [said]}
    assert threads(claude_lines(claude, "c", ALONE)) == {("claude/Kiln repair", f"claude/{KEY}/u")}
    talk = {"id": KEY, "title": "Kiln repair", "messages": [{"role": "user", "content": "Hello.", "id": "u"}]}
    assert threads(messages_lines(talk, "c", ALONE)) == {("messages/Kiln repair", f"messages/{KEY}/u/user")}


def test_the_beginning_of_an_id_stands_behind_a_title_that_two_have_and_in_place_of_one() -> None:
    shared = SharedTitles.among(called("chatgpt", chat(title, key)) for title, key in (("New", KEY), ("new", OTHER)))
    assert [shared.thread(called("chatgpt", chat("New", key))) for key in (KEY, OTHER)] == [
        "chatgpt/New (6729ab12)",
        "chatgpt/New (671111aa)",
    ]
    assert shared.thread(called("chatgpt", chat("Newer"))) == "chatgpt/Newer"
    assert shared.thread(called("chatgpt", chat(None))) == f"chatgpt/{KEY}"
    assert shared.thread(called("chatgpt", chat(None, ""))) is None
    assert shared.thread(called("chatgpt", chat("New", ""))) == "chatgpt/New"


def test_the_same_conversation_in_two_files_is_one_of_its_title() -> None:
    twice = SharedTitles.among([called("chatgpt", chat("New"))] * 2)
    assert twice.thread(called("chatgpt", chat("New"))) == "chatgpt/New"


def test_where_nobody_looked_for_others_a_title_has_its_id() -> None:
    assert UNLOOKED.thread(called("chatgpt", chat("New"))) == "chatgpt/New (6729ab12)"


def test_a_long_title_is_cut() -> None:
    assert len(called("chatgpt", chat("long " * 80)).title) <= 100


@pytest.mark.parametrize(
    ("program", "named", "ref"),
    [
        ("messages", {"id": "a", "conversation_id": "b"}, "messages/a"),
        ("chatgpt", {"id": "a", "conversation_id": "b"}, "chatgpt/b"),
        ("claude", {"id": "a"}, "claude"),
    ],
)
def test_what_a_message_is_known_by_is_what_it_was_before_titles(
    program: str, named: dict[str, object], ref: str
) -> None:
    assert called(program, named).ref == ref


def test_a_chat_of_telegram_is_called_by_its_name() -> None:
    said = {"id": 1, "type": "message", "from": "Paul", "text": "Good to know."}
    chats = [{"name": "Paul", "id": 7, "messages": [said]}, {"id": 8, "messages": [said]}]
    assert threads(telegram_lines({"chats": {"list": chats}}, "e")) == {
        ("telegram/Paul", "telegram/7/1"),
        ("telegram/a chat without a name", "telegram/8/1"),
    }
