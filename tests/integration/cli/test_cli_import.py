"""`voice import` of what other programs wrote: what it says, in words and as JSON."""

import json
from pathlib import Path

import pytest

from cli_runner import Documented, Voice
from synced_folders import write
from voice.adapters.files.entries import LINKS_OUT

IRMA = "---\ndate: 2025-03-02\naliases: [Irmchen]\n---\nFires the [[Kiln]]."
VAULT = {".obsidian/app.json": "{}"}
"""What makes a folder a vault."""
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
    return str(write(tmp_path, {"conversations.json": json.dumps([CONVERSATION])}) / "conversations.json")


@pytest.mark.requirement("imports:foreseen")
def test_a_dry_run_says_whose_words_would_come_in_and_what_would_not(
    voice: Voice, export: str, is_as_documented: Documented
) -> None:
    ran = voice.ok("import", export, "--dry-run")
    assert ran.out.splitlines() == [
        "would import 2 thoughts",
        "  dates   2025-03-01",
        "  words   you 1, assistant 1 (a model)",
        "  names   found after the import; review them with `voice kg review`",
        "  begins  The kiln is in the shed.",
        "  begins  Good to know.",
    ]
    assert ran.only_line == "voice: left out 1 message without text (files, tools): conversation 1, message 3"
    told = voice.ok("import", export, "--dry-run", "--private", "--json")
    is_as_documented("cli/import", told)
    preview = told.json["preview"]
    assert (preview["private"], preview["first_lines"]) == (2, ["(private)", "(private)"])
    stored = voice.ok("import", export, "--json")
    is_as_documented("cli/import", stored)
    counts = stored.json
    assert (counts["thoughts"], counts["observations"], "preview" in counts) == (2, 1, False)
    assert voice.ok("import", export, "--dry-run").out == "would import 2 already known\n"


@pytest.mark.requirement("ruling:I7", "imports:undated")
def test_links_in_a_folder_are_told_in_words_and_counted_in_json(voice: Voice, tmp_path: Path) -> None:
    secrets = write(tmp_path / "secrets", {"pin.md": "The pin is 4711."})
    notes = write(tmp_path / "notes", {"kiln.md": "The kiln is in the shed."})
    (notes / "folder").symlink_to(secrets)
    (notes / "pin.md").symlink_to(secrets / "pin.md")
    ran = voice.ok("import", str(notes), "--json")
    counts = ran.json
    named = [{"reason": LINKS_OUT, "count": 2, "where": ["folder", "pin.md"]}]
    assert (counts["thoughts"], counts["left_out"]) == (1, named)
    assert ran.err.splitlines() == [
        f"voice: left out 2 {LINKS_OUT}: folder; pin.md",
        "voice: 1 record without a date: kiln.md",
    ]
    assert counts["undated"] == {"count": 1, "where": ["kiln.md"]}
    assert "4711" not in voice.ok("export", "-").out


@pytest.mark.requirement("imports:lines", "ruling:A21")
def test_a_note_s_other_names_are_known_though_its_text_uses_none(
    voice: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = write(tmp_path / "v", {**VAULT, "Irma.md": IRMA})
    monkeypatch.setenv("SURR_TIMEZONE", "Asia/Tokyo")
    foreseen = voice.ok("import", str(vault), "--dry-run").out
    assert "  dates   2025-03-02\n  words   you 1\n  links   1 between notes\n" in foreseen
    assert "  links   1 between notes, now in the graph\n" in voice.ok("import", str(vault)).out
    shown = voice.ok("kg", "show", "Irmchen").out
    assert ("Irma (thing" in shown, "Irma --links_to--> Kiln" in shown) == (True, True), shown
    assert "no candidate like this waits for review" in voice.ok("kg", "candidates").err


def test_a_format_named_where_one_vouches_says_which_option_it_wants(voice: Voice, export: str) -> None:
    assert "--format claude" in voice("import", export, "--as", "claude").err
    assert "use --as logged to vouch" in voice("import", export, "--as", "mine").err
    lines = b'{"note_text":"The roof leaks.","who":{"name":"Irma"}}\n'
    options = ("--map", "content=note_text", "--map", "speaker=who.name", "--me", "irma")
    assert voice.ok("import", "-", *options, stdin=lines).out == "1 thought, 1 observation\n"
