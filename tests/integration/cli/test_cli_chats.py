"""Conversations with assistants through the command line: what a source is called, and whose words are whose."""

import json
from pathlib import Path

import pytest

from cli_runner import Voice
from synced_folders import write

KILN = "6729ab12-77aa-8000-b0e5-1c2d3e4f5a6b"
SISTER = "671111aa-77aa-8000-b0e5-1c2d3e4f5a6b"
DENTIST = "672222bb-77aa-8000-b0e5-1c2d3e4f5a6b"


def conversation(key: str, title: str | None, *said: str) -> dict[str, object]:
    nodes = {
        f"{key}-{number}": {
            "id": f"{key}-{number}",
            "parent": f"{key}-{number - 1}" if number else None,
            "message": {
                "id": f"{key}-{number}",
                "author": {"role": "assistant" if number % 2 else "user"},
                "create_time": 1741000000.0 + number,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
        for number, text in enumerate(said)
    }
    named = {} if title is None else {"title": title}
    return {"id": key, **named, "current_node": f"{key}-{len(said) - 1}", "mapping": nodes}


def export(path: Path, *, titled: bool = True) -> str:
    """Write an export of three conversations, two of which have one title."""
    told = [
        (KILN, "Kiln repair", "My kiln stands in the shed behind the house.", "Good to know."),
        (SISTER, "New chat", "My sister Ana moved to Faro in March 2024.", "How nice."),
        (DENTIST, "New chat", "My dentist is Doctor Vogel in Lindenstrasse.", "Noted."),
    ]
    made = [conversation(key, title if titled else None, *said) for key, title, *said in told]
    path.write_text(json.dumps(made), encoding="utf-8")
    return str(path)


def location(voice: Voice, question: str) -> dict[str, object]:
    return voice.ok("ask", "--new", question, question, "--json").json["sources"][0]["location"]


@pytest.mark.requirement("ruling:I4:locations", "imports:once")
def test_a_source_is_named_by_its_title_speaker_and_day_once_an_import_brings_titles(
    voice: Voice, tmp_path: Path
) -> None:
    voice.ok("import", export(tmp_path / "conversations.json", titled=False))
    assert location(voice, "Where does my kiln stand?")["label"] == "chatgpt/6729ab12, you, 2025-03-03"
    assert voice.ok("import", export(tmp_path / "conversations.json")).out.startswith("6 already known")
    found = location(voice, "Where does my kiln stand?")
    assert (found["place"], found["speaker"]) == ("chatgpt/Kiln repair", "you")
    assert found["label"] == "chatgpt/Kiln repair, you, 2025-03-03"
    assert f"({found['label']})" in voice.ok("ask", "--new", "k", "Where does my kiln stand?").out
    assert location(voice, "Where did Ana move?")["place"] == "chatgpt/New chat (671111aa)"


def keep(folder: Path, name: str, text: str, *sharees: tuple[str, bool]) -> None:
    """Write a note as Takeout does."""
    shared = [{"isOwner": is_owner, "type": "WRITER", "email": email} for email, is_owner in sharees]
    told = {"textContent": text, "title": "", "createdTimestampUsec": 1741000000000000 + len(text), "sharees": shared}
    write(folder, {f"{name}.json": json.dumps(told)})


@pytest.mark.requirement("imports:programs", "ruling:H.3")
def test_a_note_of_keep_that_another_owns_is_not_your_word(voice: Voice, tmp_path: Path) -> None:
    folder = tmp_path / "Takeout" / "Keep"
    keep(folder, "alone", "My bicycle is in the cellar.")
    keep(folder, "mine", "My boat lies in the harbour of Faro.", ("irma@example.org", True), ("ana@example.org", False))
    keep(folder, "hers", "My sledge hangs under the roof.", ("ana@example.org", True), ("irma@example.org", False))
    asked = ("Where is my bicycle?", "Where does my boat lie?", "Where does my sledge hang?")
    first = voice.ok("import", str(tmp_path / "Takeout"))
    assert "none of these is known to be you" in first.err
    assert [answered(voice, question) for question in asked] == [True, False, False]
    voice.ok("config", "owner.names", "Irma, irma@example.org")
    again = voice.ok("import", str(tmp_path / "Takeout"))
    assert "known to be you" not in again.err
    assert [answered(voice, question) for question in asked] == [True, True, False]


def answered(voice: Voice, question: str) -> bool:
    return voice("ask", "--new", question, question, "--json").json["status"] == "answered"


PASTED = """# Moving

I keep my passport in the blue drawer.

You said:
Where should I live? My office is in Porto.
ChatGPT said:
You live in Rome. Your dog is called Rex.

## Your plan
- Your dentist is Doctor Vogel.
You said:
My cat is called Luna.
ChatGPT said:
Your car is a red Fiat.
"""
NEAR_MISS = """# Moving

ChatGPT said: look at the fuse first.

My boat lies in the harbour.
"""


@pytest.mark.requirement("imports:pasted-chats")
def test_what_an_assistant_says_in_a_pasted_chat_is_not_answered_as_your_word(voice: Voice, tmp_path: Path) -> None:
    voice.ok("import", str(write(tmp_path / "notes", {"Moving.md": PASTED, "Fuse.md": NEAR_MISS})))
    asked = ("What is my cat called?", "Where does my boat lie?", "Where do I live?", "Who is my dentist?")
    assert [answered(voice, question) for question in asked] == [True, True, False, False]
    assert location(voice, "What is my cat called?")["context_path"] == ["Moving"]
