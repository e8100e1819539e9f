"""Conversations with assistants through the command line: what a source is called, and whose words are whose."""

import json
from pathlib import Path
from typing import cast

import pytest

from cli_runner import Voice

KILN = "6729ab12-77aa-8000-b0e5-1c2d3e4f5a6b"
SISTER = "671111aa-77aa-8000-b0e5-1c2d3e4f5a6b"
DENTIST = "672222bb-77aa-8000-b0e5-1c2d3e4f5a6b"


def conversation(key: str, title: str | None, *said: str) -> dict[str, object]:
    """Return a conversation as ChatGPT exports it, your turn first."""
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
    """Return where the first source of an answer stands."""
    said = cast("dict[str, list[dict[str, object]]]", voice.ok("ask", "--new", question, question, "--json").json)
    return cast("dict[str, object]", said["sources"][0]["location"])


@pytest.mark.requirement("ruling:I4:locations")
def test_a_source_of_a_conversation_is_named_by_its_title_who_speaks_and_the_day(voice: Voice, tmp_path: Path) -> None:
    voice.ok("import", export(tmp_path / "conversations.json"))
    found = location(voice, "Where does my kiln stand?")
    assert (found["label"], found["place"], found["speaker"]) == (
        "chatgpt/Kiln repair, you, 2025-03-03",
        "chatgpt/Kiln repair",
        "you",
    )
    assert "(chatgpt/Kiln repair, you, 2025-03-03)" in voice.ok("ask", "--new", "k", "Where does my kiln stand?").out
    assert location(voice, "Where did Ana move?")["place"] == "chatgpt/New chat (671111aa)"


@pytest.mark.requirement("ruling:I4:locations", "imports:once")
def test_what_was_stored_without_titles_gets_them_from_the_next_import_and_stays_single(
    voice: Voice, tmp_path: Path
) -> None:
    voice.ok("import", export(tmp_path / "conversations.json", titled=False))
    assert location(voice, "Where does my kiln stand?")["label"] == "chatgpt/6729ab12, you, 2025-03-03"
    assert voice.ok("import", export(tmp_path / "conversations.json")).out.startswith("6 already known")
    assert location(voice, "Where does my kiln stand?")["label"] == "chatgpt/Kiln repair, you, 2025-03-03"
    assert voice.ok("import", export(tmp_path / "conversations.json")).out.startswith("6 already known")


@pytest.mark.requirement("ruling:I4:locations")
def test_a_conversation_that_is_piped_in_has_its_day(voice: Voice, tmp_path: Path) -> None:
    piped = Path(export(tmp_path / "conversations.json")).read_bytes()
    voice.ok("import", "-", "--format", "chatgpt", stdin=piped)
    assert location(voice, "Where does my kiln stand?")["label"] == "chatgpt/Kiln repair (6729ab12), you, 2025-03-03"
    voice.ok(
        "remember", "--thread", "Call with Ana", "--speaker", "Irma", "--at", "2025-04-05", stdin=b"The boat is blue."
    )
    assert location(voice, "What colour is the boat?")["label"] == "Call with Ana, Irma, 2025-04-05"
