"""Conversations with assistants as lines: the branch shown last, and never an assistant's words as a person's."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interchange_values import OWNER, record_of, records
from tables import tables
from voice.core.interchange.build import build_thought
from voice.core.interchange.foreign.chatgpt import chatgpt_lines
from voice.core.interchange.foreign.claude import claude_lines
from voice.core.interchange.foreign.takeout import activity_lines, gemini_lines
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, FileLine, Omission, ParsedLine
from voice.core.messages import files as file_messages
from voice.core.records import Origin

BEGUN = 1741000000.0
PICTURE = {"content_type": "image_asset_pointer", "asset_pointer": "x"}


def node(name: str, parent: str | None, message: object = None) -> dict[str, object]:
    return {"id": name, "parent": parent, "message": message, "children": []}


def said(role: str, *parts: object, kind: str = "text", at: float | None = BEGUN, **more: object) -> dict[str, object]:
    content = {"content_type": kind, "parts": list(parts)}
    author = {"role": role}
    return {"id": f"{role} {parts}", "author": author, "content": content, "create_time": at, **more}


def tree(current: str, *nodes: dict[str, object]) -> dict[str, object]:
    mapping = {str(each["id"]): each for each in nodes}
    return {"id": "c1", "create_time": BEGUN, "current_node": current, "mapping": mapping}


def spoken(lines: tuple[FileLine, ...]) -> list[tuple[str, str]]:
    """Return the words of lines with their kinds."""
    return [(record.kind, record.content) for record in records(lines)]


def reasons(lines: tuple[FileLine, ...]) -> dict[str, int]:
    return {line.reason: line.count for line in lines if isinstance(line, Omission)}


ASKED_AGAIN = (
    node("root", None),
    node("q", "root", said("user", "Where is the kiln?")),
    node("a1", "q", said("assistant", "In the cellar.")),
    node("a2", "q", said("assistant", "In the shed.")),
    node("q2", "a2", said("user", "Thanks.", at=None)),
    node("s", "q", said("system", "Not counted as given up.")),
)


@pytest.mark.requirement("imports:chats")
def test_the_branch_that_was_shown_last_comes_in_and_the_others_are_counted() -> None:
    lines = chatgpt_lines(tree("q2", *ASKED_AGAIN), "conversation 1")
    assert spoken(lines) == [("chat", "Where is the kiln?"), ("assistant_chat", "In the shed."), ("chat", "Thanks.")]
    assert reasons(lines) == {file_messages.ABANDONED_BRANCHES: 1}
    last = record_of(lines[2])
    assert last.created_at == datetime.fromtimestamp(BEGUN, UTC)
    assert (last.thread, lines[2].where) == ("chatgpt/c1", "conversation 1, message 4")


def test_where_no_branch_is_named_it_is_the_one_with_the_newest_message() -> None:
    nodes = (*ASKED_AGAIN[:4], ASKED_AGAIN[5], node("q2", "a1", said("user", "Sure?", at=BEGUN + 60)))
    assert spoken(chatgpt_lines(tree("gone", *nodes), "c"))[1:] == [
        ("assistant_chat", "In the cellar."),
        ("chat", "Sure?"),
    ]


def test_a_tree_that_is_a_circle_is_walked_once() -> None:
    lines = chatgpt_lines(tree("b", node("a", "b", said("user", "A.")), node("b", "a", said("user", "B."))), "c")
    assert [text for _, text in spoken(lines)] == ["A.", "B."]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (said("system", "Be brief."), file_messages.TOOL_MESSAGES),
        (said("tool", "result"), file_messages.TOOL_MESSAGES),
        (said("assistant", "search()", recipient="browser"), file_messages.TOOL_MESSAGES),
        (said("assistant", "import os", kind="code"), file_messages.TOOL_MESSAGES),
        (said("user", "hidden", metadata={"is_visually_hidden_from_conversation": True}), file_messages.TOOL_MESSAGES),
        (said("user", PICTURE, kind="multimodal_text"), file_messages.MESSAGES_WITHOUT_TEXT),
    ],
)
def test_what_no_side_said_to_the_other_is_left_out(message: dict[str, object], reason: str) -> None:
    assert reasons(chatgpt_lines(tree("a", node("a", None, message)), "c")) == {reason: 1}


def test_spoken_words_are_read_and_marks_of_citations_are_not() -> None:
    voiced = said("user", {"content_type": "audio_transcription", "text": "Good morning"}, "", kind="multimodal_text")
    cited = said("assistant", "It is hot.\ue200cite\ue202turn0\ue201 Very.【3†source】", recipient="all")
    lines = chatgpt_lines(tree("b", node("a", None, voiced), node("b", "a", cited)), "c")
    assert [text for _, text in spoken(lines)] == ["Good morning", "It is hot. Very."]


def test_a_conversation_without_a_tree_or_with_too_long_a_turn_is_told() -> None:
    assert isinstance(chatgpt_lines({}, "conversation 7")[0], BadLine)
    assert isinstance(claude_lines({}, "conversation 7")[0], BadLine)
    long = tree("a", node("a", None, said("user", "a" * (MAX_TEXT_CHARS + 1))))
    assert isinstance(chatgpt_lines(long, "c")[0], BadLine)
    (nameless,) = records(chatgpt_lines({**tree("a", node("a", None, said("user", "Hi."))), "id": None}, "c"))
    assert nameless.thread is None


def talk(*messages: dict[str, object], **more: object) -> dict[str, object]:
    return {"uuid": "c1", "created_at": "2025-03-01T10:00:00Z", "chat_messages": list(messages), **more}


def turn(name: str, sender: str, text: str, **more: object) -> dict[str, object]:
    return {"uuid": name, "sender": sender, "text": text, "created_at": "2025-03-01T10:01:00Z", **more}


@pytest.mark.requirement("imports:chats")
def test_turns_of_claude_come_in_by_their_blocks_of_text() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "In the shed."}, {"type": "tool_use"}]
    lines = claude_lines(
        talk(
            turn("1", "human", "Where is the kiln?"),
            turn("2", "assistant", "fallback", content=blocks),
            turn("3", "human", "", attachments=[{"file_name": "a.pdf"}]),
            turn("", "human", "Thanks.", created_at=None),
        ),
        "conversation 1",
    )
    assert spoken(lines) == [("chat", "Where is the kiln?"), ("assistant_chat", "In the shed."), ("chat", "Thanks.")]
    assert reasons(lines) == {file_messages.WITHOUT_TEXT_OF_CLAUDE: 1}


@pytest.mark.requirement("imports:left-out")
def test_what_was_handed_over_with_a_turn_of_claude_is_a_thought_and_nobodys_word() -> None:
    artifact = {"command": "create", "title": "Poem", "content": "Hot kiln."}
    pasted = {"file_name": "", "extracted_content": "Pasted."}
    wrote = [
        {"type": "text", "text": "Here.", "name": "create_file", "input": {"file_text": "Odd."}},
        {"type": "tool_use", "name": "artifacts", "input": artifact},
        {"type": "tool_use", "name": "artifacts", "input": {"command": "update", "new_str": "x"}},
        {"type": "tool_use", "name": "create_file", "input": {"path": "/out/Letter.md", "file_text": "Dear Paul."}},
        {"type": "thinking", "thinking": "hm"},
    ]
    lines = claude_lines(
        talk(
            turn("1", "human", "Read.", attachments=[{"file_name": "p.txt", "extracted_content": "It is shut."}]),
            turn("2", "human", "", attachments=[pasted], files=[{"file_name": "a.png"}]),
            turn("3", "assistant", "", content=wrote),
        ),
        "c",
    )
    assert spoken(lines) == [
        ("chat", "Read."),
        ("attachment", "p.txt\n\nIt is shut."),
        ("attachment", "Pasted."),
        *[("assistant_chat", text) for text in ("Here.", "Odd.")],
        ("assistant_chat", "Poem\n\nHot kiln."),
        ("assistant_chat", "Letter.md\n\nDear Paul."),
    ]
    partly = [(each.reason, each.count) for line in lines if isinstance(line, ParsedLine) for each in line.partly]
    assert partly == [(file_messages.ATTACHMENTS, 1), (file_messages.THINKING_BLOCKS, 2)]
    arrival = replace(OWNER, vouched=False)
    origins = [build_thought(record, arrival).origin for record in records(lines)]
    assert origins == [Origin.HUMAN, Origin.TOOL, Origin.TOOL, *[Origin.MODEL] * 4]


@pytest.mark.requirement("imports:left-out")
def test_pictures_and_documents_of_a_turn_of_chatgpt_are_counted() -> None:
    files = {"attachments": [{"mime_type": "image/png"}, {"mime_type": "application/pdf"}]}
    message = said("user", "Look.", PICTURE, kind="multimodal_text", metadata=files)
    (line,) = chatgpt_lines(tree("a", node("a", None, message)), "c")
    assert isinstance(line, ParsedLine)
    assert [(each.reason, each.count) for each in line.partly] == [(file_messages.ATTACHMENTS, 2)]


@pytest.mark.requirement("imports:chats")
def test_a_first_question_of_claude_that_was_reworded_begins_a_branch() -> None:
    root = "00000000-0000-4000-8000-000000000000"
    messages = (
        turn("1", "human", "First wording.", parent_message_uuid=root),
        turn("2", "assistant", "One.", parent_message_uuid="1"),
        turn("3", "human", "Second wording.", parent_message_uuid=root),
        turn("4", "assistant", "Two.", parent_message_uuid="3"),
    )
    lines = claude_lines(talk(*messages), "c")
    assert [text for _, text in spoken(lines)] == ["Second wording.", "Two."]
    assert reasons(lines) == {file_messages.ABANDONED_BRANCHES: 2}


def test_of_branches_of_claude_the_last_one_or_the_named_one_comes_in() -> None:
    messages = (
        turn("1", "human", "Where?", parent_message_uuid="0"),
        turn("2", "assistant", "In the cellar.", parent_message_uuid="1"),
        turn("3", "assistant", "In the shed.", parent_message_uuid="1"),
    )
    assert [text for _, text in spoken(claude_lines(talk(*messages), "c"))] == ["Where?", "In the shed."]
    named = claude_lines(talk(*messages, current_leaf_message_uuid="2"), "c")
    assert [text for _, text in spoken(named)] == ["Where?", "In the cellar."]
    assert reasons(named) == {file_messages.ABANDONED_BRANCHES: 1}
    straight = claude_lines(talk(*messages[:2]), "c")
    assert len(spoken(straight)) == 2
    alone = claude_lines({"chat_messages": [turn("", "human", "Hi.", created_at=None)]}, "c")
    assert len(spoken(alone)) == 1


def entry(title: str, *answers: str, header: str = "Gemini Apps", **more: object) -> dict[str, object]:
    items = [{"html": html} for html in answers]
    return {"header": header, "title": title, "time": "2025-03-01T10:00:00Z", "safeHtmlItem": items, **more}


@pytest.mark.requirement("imports:chats")
def test_a_prompt_of_gemini_and_its_answers_come_in() -> None:
    lines = gemini_lines(entry("Prompted Where is the kiln?", "<p>In the <b>shed</b>.</p>", "<p>There.</p>"), "entry 1")
    assert spoken(lines) == [
        ("chat", "Where is the kiln?"),
        ("assistant_chat", "In the shed."),
        ("assistant_chat", "There."),
    ]
    older = entry("Prompted Where is the kiln?", subtitles=[{"name": "In the shed."}])
    assert spoken(gemini_lines(older, "e"))[1:] == [("assistant_chat", "In the shed.")]
    attached = entry("Prompted Read it.", subtitles=[{"name": "Attached 1 file."}, {"name": "- a.pdf", "url": "x"}])
    assert spoken(gemini_lines(attached, "e")) == [("chat", "Read it.")]
    assert spoken(gemini_lines(entry("Wo ist der Ofen?", "<p>Dort.</p>", header="Gemini-Apps"), "e"))[0][0] == "chat"


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (entry("Searched for kilns", header="Search"), file_messages.OUTSIDE_GEMINI),
        (entry("Created Gemini Canvas titled Kiln", "<p>x</p>"), file_messages.NOT_PROMPTS),
        (entry("Selected preferred draft"), file_messages.NOT_PROMPTS),
        (entry("Something in another language"), file_messages.NOT_PROMPTS),
        (entry("Prompted "), file_messages.NOT_PROMPTS),
    ],
)
def test_what_is_no_prompt_is_left_out(told: dict[str, object], reason: str) -> None:
    assert reasons(gemini_lines(told, "entry 1")) == {reason: 1}


def test_an_entry_without_a_time_is_told() -> None:
    assert isinstance(gemini_lines({**entry("Prompted Hi"), "time": "soon"}, "entry 1")[0], BadLine)


@pytest.mark.requirement("imports:chats", "ruling:A12", "ruling:H.3")
@pytest.mark.parametrize("name", ["assistant", "Assistant", "Irma"])
@pytest.mark.parametrize("vouched", [False, True])
def test_what_an_assistant_said_is_never_a_persons(name: str, *, vouched: bool) -> None:
    arrival = replace(OWNER, own_speakers=frozenset({name.casefold(), "assistant"}), vouched=vouched)
    sources = (
        chatgpt_lines(tree("q2", *ASKED_AGAIN), "c"),
        claude_lines(talk(turn("1", "human", "Where?"), turn("2", "assistant", "There.")), "c"),
        gemini_lines(entry("Prompted Where?", "<p>There.</p>"), "c"),
    )
    for lines in sources:
        thoughts = [build_thought(record, arrival) for record in records(lines)]
        wanted = {"assistant_chat": Origin.MODEL, "chat": Origin.HUMAN}
        assert {thought.origin is wanted[thought.kind] for thought in thoughts} == {True}
        assert {thought.kind for thought in thoughts} == set(wanted)


_KEYS = st.sampled_from(
    [
        *("mapping", "message", "parent", "content", "parts", "author", "role", "create_time", "current_node", "id"),
        *("uuid", "chat_messages", "sender", "text", "type", "header", "title", "time", "safeHtmlItem", "html"),
        "products",
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=20,
)


@given(st.dictionaries(_KEYS, _JSON, max_size=6))
def test_any_object_is_read_or_told(value: dict[str, object]) -> None:
    for understand in (chatgpt_lines, claude_lines, gemini_lines):
        for line in understand(value, "conversation 1"):
            assert isinstance(line, ParsedLine | BadLine | Omission)


@given(st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=8), st.integers(min_value=1, max_value=8))
def test_a_longer_export_says_the_same_of_what_was_there_before(words: list[str], length: int) -> None:
    messages = [turn(str(n), "human", f"{word} {n}") for n, word in enumerate(words)]
    before = claude_lines(talk(*messages[:length]), "c")
    after = claude_lines(talk(*messages), "c")
    assert records(after)[: len(before)] == records(before)


@pytest.mark.requirement("ruling:I2")
@pytest.mark.parametrize(("said", "zone", "time"), tables(__file__)["the_zone_of_an_activity"])
def test_an_activity_is_in_the_zone_that_its_time_names_or_else_in_the_persons(said: str, zone: str, time: str) -> None:
    head = '<div class="header-cell">Gemini Apps</div><div class="content-cell body-1">Prompted\u00a0Where?'
    asked = records(activity_lines(f"{head}<br>{said}<br>There.</div>", "e", ZoneInfo(zone)))[0]
    assert asked.created_at == datetime.fromisoformat(f"2025-03-01T{time}Z")
