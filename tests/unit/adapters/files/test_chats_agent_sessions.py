"""Sessions of Codex and Gemini CLI come in as they stood at their end."""

import io
import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interchange_values import broken, left_out, records
from voice.adapters.files.chats import read_chats
from voice.core.interchange.foreign.coding_agents import codex_lines, gemini_cli_lines
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission, ParsedLine
from voice.core.records import Origin
from voice.ports.files import FileFormat

pytestmark = pytest.mark.requirement("imports:programs")
AT = "2026-03-05T10:00:00Z"
Entry = Mapping[str, object]


def read(kind: FileFormat, entries: Sequence[Entry | str]) -> list[FileLine]:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in entries]
    return list(read_chats(io.BytesIO("\n".join(lines).encode()), kind))


def said(lines: Sequence[FileLine]) -> list[tuple[str | None, str]]:
    return [(each.speaker, each.content) for each in records(lines)]


def reasons(lines: Sequence[FileLine]) -> list[str]:
    return [reason for _, reason in left_out(lines)]


def event(said: str, **payload: object) -> Entry:
    return {"timestamp": AT, "type": "event_msg", "payload": {"type": said, **payload}}


def item(role: str, text: str) -> Entry:
    payload = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
    return {"timestamp": AT, "type": "response_item", "payload": payload}


def meta(**payload: object) -> Entry:
    return {"timestamp": AT, "type": "session_meta", "payload": {"id": "s", "cwd": "/work", **payload}}


def test_an_older_rollout_without_events_comes_in_by_its_items_and_without_what_the_program_told_the_model() -> None:
    told = ["<environment_context>x</environment_context>", "# AGENTS.md instructions for /work"]
    lines = read(
        FileFormat.CODEX,
        [meta(), *(item("user", text) for text in told), item("developer", "Be brief."),
         item("user", "Where?"), item("assistant", "<b>There.</b>")],
    )  # fmt: skip
    assert said(lines) == [(None, "Where?"), ("assistant", "<b>There.</b>")]
    assert len(reasons(lines)) == 3


def test_turns_that_were_rolled_back_are_left_out_and_counted() -> None:
    lines = read(
        FileFormat.CODEX,
        [meta(), event("user_message", message="One."), event("agent_message", message="First."),
         event("user_message", message="Two."), event("agent_message", message="Second."),
         event("thread_rolled_back", num_turns=1), event("thread_rolled_back", num_turns="x"),
         event("user_message", message="Three.")],
    )  # fmt: skip
    assert said(lines) == [(None, "One."), ("assistant", "First."), (None, "Three.")]
    assert reasons(lines) == ["messages undone in the session"] * 2


def test_nothing_of_a_task_that_an_agent_gave_is_anybodys_word() -> None:
    spawned = read(FileFormat.CODEX, [meta(source={"other": "review"}), event("user_message", message="Review.")])
    nested = read(
        FileFormat.GEMINI_CLI,
        [{"sessionId": "s", "projectHash": "p", "kind": "side"}, {"id": "a", "type": "user", "content": "Review."}],
    )
    assert said(spawned) == said(nested) == []
    assert reasons(spawned) == reasons(nested) == ["messages of tools and of the system"]


def test_what_a_program_says_in_the_persons_place_is_not_theirs() -> None:
    instructions = event("user_message", message="Follow the rules.", kind="user_instructions")
    lines = read(FileFormat.CODEX, [meta(), instructions, event("user_message", message="Hello.", kind="plain")])
    assert said(lines) == [(None, "Hello.")]


def test_the_models_turns_claim_to_be_a_models_and_the_persons_claim_nothing() -> None:
    lines = read(FileFormat.CODEX, [meta(), event("user_message", message="A."), event("agent_message", message="B.")])
    assert [(each.claimed_origin, each.thread) for each in records(lines)] == [
        (None, "codex/s"), (Origin.MODEL, "codex/s")
    ]  # fmt: skip


def test_a_message_of_gemini_cli_stands_as_it_was_written_last_and_the_person_typed_what_they_saw() -> None:
    lines = read(
        FileFormat.GEMINI_CLI,
        [
            {"sessionId": "s", "projectHash": "p"},
            {"id": "a", "type": "user", "content": "Look at @kiln.md and all it says", "displayContent": "@kiln.md?"},
            {"id": "b", "type": "gemini", "content": [{"text": "Hm.", "thought": True}, "Ho", {"text": "t."}]},
            {"id": "c", "type": "gemini", "content": ""},
            {"id": "a", "type": "user", "content": "x", "displayContent": "@kiln.md, please?"},
            {"$rewindTo": "c"},
            "{broken}",
        ],
    )
    assert said(lines) == [(None, "@kiln.md, please?"), ("assistant", "Hot.")]
    assert reasons(lines) == ["messages undone in the session"]
    assert [where for where, _ in broken(lines)] == ["entry 7"]


def test_what_gemini_cli_tells_its_model_of_the_machine_is_not_the_persons_word() -> None:
    told = "<session_context>\nThis is the Gemini CLI.\n</session_context>"
    lines = read(
        FileFormat.GEMINI_CLI,
        [
            {"$set": {"messages": [{"id": "a", "type": "user", "content": [{"text": told}]}]}},
            {"id": "b", "type": "user", "content": "What is <session_context>?"},
            {"id": "c", "type": "gemini", "content": "<session_context> opens what I am told."},
        ],
    )
    assert said(lines) == [
        (None, "What is <session_context>?"),
        ("assistant", "<session_context> opens what I am told."),
    ]
    assert len(reasons(lines)) == 1


def test_a_rewind_to_what_is_not_there_takes_back_all_and_an_old_session_is_one_object() -> None:
    messages = [{"id": "a", "type": "user", "content": "Hot?"}, {"type": "gemini", "content": "Yes."}]
    old = read(FileFormat.GEMINI_CLI, [{"sessionId": "s", "projectHash": "p", "messages": messages}])
    assert said(old) == [(None, "Hot?"), ("assistant", "Yes.")]
    assert said(read(FileFormat.GEMINI_CLI, [*messages[:1], {"$rewindTo": "z"}])) == []


_VALUES = st.recursive(
    st.none() | st.text(max_size=5) | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_ENTRIES = st.lists(
    st.dictionaries(
        st.sampled_from(["type", "payload", "id", "content", "message", "$set", "$rewindTo", "messages", "sessionId"]),
        _VALUES | st.sampled_from(["event_msg", "response_item", "session_meta", "user", "gemini", "user_message"]),
        max_size=5,
    ),
    max_size=5,
)


@given(_ENTRIES)
def test_any_entries_are_read(entries: list[dict[str, object]]) -> None:
    for understand in (codex_lines, gemini_cli_lines):
        lines = list(understand([("entry", each) for each in entries]))
        assert all(isinstance(line, ParsedLine | BadLine | Omission) for line in lines)


_SAYINGS = st.lists(st.text("abc äß.\n", min_size=1, max_size=20).map(lambda text: f"x{text}x"), max_size=8)


@given(_SAYINGS, st.integers(0, 3))
def test_no_word_is_lost_and_a_session_that_grew_says_the_same_under_the_same_names(
    texts: list[str], fewer: int
) -> None:
    rollout = [
        meta(),
        *(event(("user_message", "agent_message")[at % 2], message=text) for at, text in enumerate(texts)),
    ]
    session: list[Entry] = [{"sessionId": "s", "projectHash": "p"}]
    session += [{"id": f"m{at}", "type": ("user", "gemini")[at % 2], "content": text} for at, text in enumerate(texts)]
    for kind, entries in ((FileFormat.CODEX, rollout), (FileFormat.GEMINI_CLI, session)):
        whole = read(kind, entries)
        assert [text for _, text in said(whole)] == texts
        before = read(kind, entries[: max(1, len(entries) - fewer)])
        assert whole[: len(before)] == before
