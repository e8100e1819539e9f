"""`voice import` of what other programs wrote: what it says, in words and as JSON."""

import json
from pathlib import Path

import pytest

from cli_runner import Documented, Voice, failing
from synced_folders import write
from voice.adapters.files.entries import LINKS_OUT
from voice.adapters.files.markdown import DRAWINGS
from voice.core.messages import files as messages
from voice.entrypoints.shared.notes import omitted_in_words
from voice.services.imports.memory_files import Transfer
from voice.services.memory.forgotten_rows import SENTENCES

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


@pytest.mark.requirement("imports:left-out")
def test_what_is_left_out_is_counted_and_its_first_places_are_named(
    voice: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    picture = "![[kiln.png]]"
    vault = write(tmp_path / "v", {**VAULT, "Irma.md": "Fires the kiln.", "days/Empty.md": picture})
    one = voice.ok("import", str(vault))
    assert one.err.splitlines()[0] == "voice: left out 1 note without text: days/Empty.md"
    write(vault, dict.fromkeys(("a.md", "b.md", "c.md"), picture))
    several = voice.ok("import", str(vault))
    assert several.err.splitlines()[0] == "voice: left out 4 notes without text: a.md; b.md; c.md; …"
    told = voice.ok("import", str(vault), "--json")
    is_as_documented("cli/import", told)
    places = {"reason": "notes without text", "count": 4, "where": ["a.md", "b.md", "c.md", "days/Empty.md"]}
    assert told.json["left_out"] == [places]


@pytest.mark.requirement("imports:left-out")
@pytest.mark.parametrize(
    ("reason", "one"),
    [
        (messages.MAIL_WITHOUT_TEXT, "1 email without text of its own (quotations, signatures, attachments)"),
        (messages.NOT_PROMPTS, "1 activity that is not a prompt"),
        (DRAWINGS, "1 drawing"),
        (SENTENCES, "1 sentence that you forgot before"),
    ],
)
def test_one_thing_that_is_left_out_is_told_as_one(reason: str, one: str) -> None:
    assert omitted_in_words(reason, 1) == one
    assert omitted_in_words(reason, 2_000) == f"2,000 {reason}"


@pytest.mark.requirement("imports:vault")
def test_a_dry_run_of_a_vault_counts_its_links(voice: Voice, tmp_path: Path) -> None:
    vault = write(tmp_path / "v", {**VAULT, "Irma.md": "---\nprivate: yes\n---\nFires the [[Kiln]]."})
    ran = voice.ok("import", str(vault), "--dry-run")
    assert ran.out.startswith("would import 1 thought\n")
    assert "  words   you 1\n  private 1\n  links   1 between notes\n  names   " in ran.out
    assert ran.out.endswith("\n  begins  (private)\n")


def test_a_dry_run_speaks_of_no_review_where_nothing_is_read_for_it(
    voice: Voice, export: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURR_AUTO_CANDIDATES", "0")
    assert "review" not in voice.ok("import", export, "--dry-run").out
    monkeypatch.delenv("SURR_AUTO_CANDIDATES")
    assert "review" in voice.ok("import", export, "--dry-run").out


@pytest.mark.requirement("imports:lines", "ruling:A21")
def test_a_note_s_other_names_are_known_though_its_text_uses_none(voice: Voice, tmp_path: Path) -> None:
    vault = write(tmp_path / "v", {**VAULT, "Irma.md": "---\naliases: [Irmchen]\n---\nFires the [[Kiln]]."})
    voice.ok("import", str(vault))
    shown = voice.ok("kg", "show", "Irmchen").out
    assert ("Irma (thing" in shown, "Irma --links_to--> Kiln" in shown) == (True, True), shown
    assert "no candidate like this waits for review" in voice.ok("kg", "candidates").err


def test_fields_of_another_program_are_named_on_the_command_line(voice: Voice) -> None:
    lines = b'{"note_text":"The roof leaks.","who":{"name":"Irma"}}\n'
    options = ("--map", "content=note_text", "--map", "speaker=who.name", "--me", "irma")
    assert voice.ok("import", "-", *options, stdin=lines).out == "1 thought, 1 observation\n"
    refused = voice("import", "-", "--format", "jsonl", stdin=lines)
    assert (refused.code, "--map content=FIELD; the fields are: “note_text”, “who”" in refused.err) == (2, True)
    assert "OURS is one of: content" in voice.refused("import", "-", "--map", "words=note_text", stdin=lines)


def test_a_format_named_where_one_vouches_says_which_option_it_wants(voice: Voice, export: str) -> None:
    assert "--format claude" in voice("import", export, "--as", "claude").err
    assert "use --as logged to vouch" in voice("import", export, "--as", "mine").err


@pytest.mark.requirement("imports:foreseen")
def test_a_dry_run_tells_the_days_as_their_writer_counts_them(
    voice: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURR_TIMEZONE", "Asia/Tokyo")
    notes = write(tmp_path, {"kiln.md": "---\ndate: 2025-03-02\n---\nThe kiln is in the shed."})
    assert "  dates   2025-03-02\n" in voice.ok("import", str(notes / "kiln.md"), "--dry-run").out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\n{"x":\n', "lines.jsonl: line 2 is not valid JSON"),
        (" \n", "lines.jsonl is empty; voice imports JSON lines"),
        (None, "found nothing to import in the piped input"),
    ],
)
def test_lines_that_are_broken_or_none_are_said_to_be_that(
    voice: Voice, tmp_path: Path, text: str | None, said: str
) -> None:
    place = "-" if text is None else str(write(tmp_path, {"lines.jsonl": text}) / "lines.jsonl")
    assert said in voice.refused("import", place)


@pytest.mark.requirement("imports:watched")
def test_an_import_that_is_broken_off_says_how_to_go_on(
    voice: Voice, export: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Transfer, "import_memory", failing(KeyboardInterrupt()))
        ran = voice("import", export)
    said = "the import stopped early; what it stored stays, and the same command continues from there"
    assert (ran.code, said in ran.err) == (130, True)
    voice.ok("import", export)
