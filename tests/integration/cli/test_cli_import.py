"""`voice import` of what other programs wrote: what it says, in words and as JSON.

Conversations with assistants through the command line: what a source is called, and whose words are whose.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from cli_runner import Ran, Voice
from voice.adapters.files.entries import LINKS_OUT
from voice.adapters.files.markdown import DRAWINGS
from voice.core.interchange.foreign.mail import QUOTES_ALONE
from voice.core.interchange.foreign.takeout import NO_PROMPT
from voice.entrypoints.shared.notes import omitted_in_words
from voice.services.imports.memory_files import Transfer
from voice.services.memory.forgotten_rows import SENTENCES

Documented = Callable[[str, Ran], None]
CONVERSATION: dict[str, object] = {
    "uuid": "c1",
    "chat_messages": [
        {"uuid": "1", "sender": "human", "text": "The kiln is in the shed.", "created_at": "2025-03-01T10:00:00Z"},
        {"uuid": "2", "sender": "assistant", "text": "Good to know.", "created_at": "2025-03-01T10:01:00Z"},
        {"uuid": "3", "sender": "human", "text": "", "files": [{}]},
    ],
}


@pytest.fixture
def export(tmp_path: Path) -> str:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([CONVERSATION]), encoding="utf-8")
    return str(path)


@pytest.mark.requirement("imports:foreseen")
def test_a_dry_run_says_whose_words_would_come_in_and_what_would_not(
    voice: Voice, export: str, is_as_documented: Documented
) -> None:
    ran = voice.ok("import", export, "--dry-run")
    assert ran.out == (
        "would import 2 thoughts\n"
        "  dates   2025-03-01\n"
        "  words   you 1, assistant 1 (a model)\n"
        "  names   found after the import; review them with `voice kg review`\n"
        "  begins  The kiln is in the shed.\n"
        "  begins  Good to know.\n"
    )
    assert ran.only_line == "voice: left out 1 message without text (files, tools): conversation 1, message 3"
    told = voice.ok("import", export, "--dry-run", "--private", "--json")
    is_as_documented("cli/import", told)
    preview = cast("dict[str, Any]", told.json)["preview"]
    assert (preview["private"], preview["first_lines"]) == (2, ["(private)", "(private)"])
    stored = voice.ok("import", export, "--json")
    is_as_documented("cli/import", stored)
    counts = cast("dict[str, object]", stored.json)
    assert (counts["thoughts"], counts["observations"], "preview" in counts) == (2, 1, False)
    again = voice.ok("import", export, "--dry-run")
    assert again.out == "would import 2 already known\n"


@pytest.mark.requirement("ruling:I7", "imports:undated")
def test_links_in_a_folder_are_told_in_words_and_counted_in_json(voice: Voice, tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "pin.md").write_text("The pin is 4711.", encoding="utf-8")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "kiln.md").write_text("The kiln is in the shed.", encoding="utf-8")
    (notes / "folder").symlink_to(tmp_path / "secrets")
    (notes / "pin.md").symlink_to(tmp_path / "secrets" / "pin.md")
    ran = voice.ok("import", str(notes), "--json")
    counts = cast("dict[str, object]", ran.json)
    named = [{"reason": LINKS_OUT, "count": 2, "where": ["folder", "pin.md"]}]
    assert (counts["thoughts"], counts["left_out"]) == (1, named)
    assert ran.err.splitlines() == [
        f"voice: left out 2 {LINKS_OUT}: folder; pin.md",
        "voice: 1 record without a date: kiln.md",
    ]
    assert counts["undated"] == {"count": 1, "where": ["kiln.md"]}
    assert "4711" not in voice.ok("export", "-").out


@pytest.mark.requirement("imports:left-out")
def test_what_is_left_out_is_counted_and_its_first_places_are_named(
    voice: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    vault = tmp_path / "v"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "days").mkdir()
    (vault / "Irma.md").write_text("Fires the kiln.", encoding="utf-8")
    (vault / "days" / "Empty.md").write_text("![[kiln.png]]", encoding="utf-8")
    one = voice.ok("import", str(vault))
    assert one.err.splitlines()[0] == "voice: left out 1 note without text: days/Empty.md"
    for name in "abc":
        (vault / f"{name}.md").write_text("![[kiln.png]]", encoding="utf-8")
    several = voice.ok("import", str(vault))
    assert several.err.splitlines()[0] == "voice: left out 4 notes without text: a.md; b.md; c.md; …"
    told = voice.ok("import", str(vault), "--json")
    is_as_documented("cli/import", told)
    places = {"reason": "notes without text", "count": 4, "where": ["a.md", "b.md", "c.md", "days/Empty.md"]}
    assert cast("dict[str, Any]", told.json)["left_out"] == [places]


@pytest.mark.requirement("imports:left-out")
@pytest.mark.parametrize(
    ("reason", "one"),
    [
        (QUOTES_ALONE, "1 mail without text of its own (quotations, signatures, attachments)"),
        (NO_PROMPT, "1 activity that is not a prompt"),
        (DRAWINGS, "1 drawing"),
        (SENTENCES, "1 sentence that you forgot before"),
    ],
)
def test_one_thing_that_is_left_out_is_told_as_one(reason: str, one: str) -> None:
    assert omitted_in_words(reason, 1) == one
    assert omitted_in_words(reason, 2_000) == f"2,000 {reason}"


@pytest.mark.requirement("imports:vault")
def test_a_dry_run_of_a_vault_counts_its_links(voice: Voice, tmp_path: Path) -> None:
    (tmp_path / "v" / ".obsidian").mkdir(parents=True)
    (tmp_path / "v" / "Irma.md").write_text("---\nprivate: yes\n---\nFires the [[Kiln]].", encoding="utf-8")
    ran = voice.ok("import", str(tmp_path / "v"), "--dry-run")
    assert "  private 1\n  links   1 between notes\n  names   " in ran.out
    assert ran.out.endswith("\n  begins  (private)\n")


def test_a_dry_run_speaks_of_no_review_where_nothing_is_read_for_it(
    voice: Voice, export: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURR_AUTO_CANDIDATES", "0")
    assert "review" not in voice.ok("import", export, "--dry-run").out
    monkeypatch.delenv("SURR_AUTO_CANDIDATES")
    assert "review" in voice.ok("import", export, "--dry-run").out


@pytest.mark.requirement("imports:lines")
@pytest.mark.requirement("ruling:A21")
def test_a_note_s_other_names_are_known_though_its_text_uses_none(voice: Voice, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Irma.md").write_text("---\naliases: [Irmchen]\n---\nFires the [[Kiln]].", encoding="utf-8")
    voice.ok("import", str(vault))

    shown = voice.ok("kg", "show", "Irmchen").out
    assert ("Irma (thing" in shown, "Irma --links_to--> Kiln" in shown) == (True, True), shown
    assert "no such candidate waits for review" in voice.ok("kg", "candidates").err


def test_fields_of_another_program_are_named_on_the_command_line(voice: Voice, tmp_path: Path) -> None:
    lines = b'{"note_text":"The roof leaks.","who":{"name":"Irma"}}\n'
    options = ("--map", "content=note_text", "--map", "speaker=who.name", "--me", "irma")
    assert voice.ok("import", "-", *options, stdin=lines).out == "1 thought, 1 observation\n"
    refused = voice("import", "-", "--format", "jsonl", stdin=lines)
    assert (refused.code, "--map content=FIELD; the fields are: “note_text”, “who”" in refused.err) == (2, True)
    wrong = voice("import", "-", "--map", "words=note_text", stdin=lines)
    assert (wrong.code, "OURS is one of: content" in wrong.only_line) == (2, True)


def test_a_format_named_where_one_vouches_says_which_option_it_wants(voice: Voice, export: str) -> None:
    assert "--format claude" in voice("import", export, "--as", "claude").err
    assert "use --as logged to vouch" in voice("import", export, "--as", "mine").err


@pytest.mark.requirement("imports:foreseen")
def test_a_dry_run_tells_the_days_as_their_writer_counts_them(
    voice: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURR_TIMEZONE", "Asia/Tokyo")
    note = tmp_path / "kiln.md"
    note.write_text("---\ndate: 2025-03-02\n---\nThe kiln is in the shed.", encoding="utf-8")
    assert "  dates   2025-03-02\n" in voice.ok("import", str(note), "--dry-run").out


def test_broken_json_lines_are_said_to_be_that_with_their_line(voice: Voice, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text('\n{"x":\n', encoding="utf-8")
    ran = voice("import", str(tmp_path / "broken.jsonl"))
    assert (ran.code, "broken.jsonl: line 2 is not valid JSON" in ran.only_line) == (2, True)


def test_an_empty_file_is_said_to_be_empty_and_an_empty_pipe_is_called_by_no_sign(voice: Voice, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b" \n")
    assert "empty.jsonl is empty; voice imports JSON lines" in voice("import", str(tmp_path / "empty.jsonl")).only_line
    assert "found nothing to import in the piped input" in voice("import", "-").only_line


@pytest.mark.requirement("imports:watched")
def test_an_import_that_is_broken_off_says_how_to_go_on(
    voice: Voice, export: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken_off(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Transfer, "import_memory", broken_off)
        ran = voice("import", export)
    assert ran.code != 0
    assert "the import stopped early; what it stored stays, and the same command continues from there" in ran.err
    voice.ok("import", export)


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


def export_of_chats(path: Path, *, titled: bool = True) -> str:
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
    voice.ok("import", export_of_chats(tmp_path / "conversations.json"))
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
    voice.ok("import", export_of_chats(tmp_path / "conversations.json", titled=False))
    assert location(voice, "Where does my kiln stand?")["label"] == "chatgpt/6729ab12, you, 2025-03-03"
    assert voice.ok("import", export_of_chats(tmp_path / "conversations.json")).out.startswith("6 already known")
    assert location(voice, "Where does my kiln stand?")["label"] == "chatgpt/Kiln repair, you, 2025-03-03"
    assert voice.ok("import", export_of_chats(tmp_path / "conversations.json")).out.startswith("6 already known")


@pytest.mark.requirement("ruling:I4:locations")
def test_a_conversation_that_is_piped_in_has_its_day(voice: Voice, tmp_path: Path) -> None:
    piped = Path(export_of_chats(tmp_path / "conversations.json")).read_bytes()
    voice.ok("import", "-", "--format", "chatgpt", stdin=piped)
    assert location(voice, "Where does my kiln stand?")["label"] == "chatgpt/Kiln repair (6729ab12), you, 2025-03-03"
    voice.ok(
        "remember", "--thread", "Call with Ana", "--speaker", "Irma", "--at", "2025-04-05", stdin=b"The boat is blue."
    )
    assert location(voice, "What colour is the boat?")["label"] == "Call with Ana, Irma, 2025-04-05"


def keep(folder: Path, name: str, text: str, *sharees: tuple[str, bool]) -> None:
    """Write a note as Takeout does."""
    shared = [{"isOwner": is_owner, "type": "WRITER", "email": email} for email, is_owner in sharees]
    told = {"textContent": text, "title": "", "createdTimestampUsec": 1741000000000000 + len(text), "sharees": shared}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(told), encoding="utf-8")


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
    """Return whether there is an answer."""
    said = cast("dict[str, object]", voice("ask", "--new", question, question, "--json").json)
    return said["status"] == "answered"


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
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Moving.md").write_text(PASTED, encoding="utf-8")
    (tmp_path / "notes" / "Fuse.md").write_text(NEAR_MISS, encoding="utf-8")
    voice.ok("import", str(tmp_path / "notes"))
    yours = ("Where do I keep my passport?", "What is my cat called?", "Where does my boat lie?")
    assert [answered(voice, question) for question in yours] == [True] * 3
    theirs = ("Where do I live?", "What is my dog called?", "Who is my dentist?", "What is my car?")
    assert [answered(voice, question) for question in theirs] == [False] * 4
    assert location(voice, "What is my cat called?")["context_path"] == ["Moving"]
