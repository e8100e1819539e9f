"""`voice import` of what other programs wrote: what it says, in words and as JSON."""

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
        (QUOTES_ALONE, "1 email without text of its own (quotations, signatures, attachments)"),
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
    assert "no candidate like this waits for review" in voice.ok("kg", "candidates").err


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
