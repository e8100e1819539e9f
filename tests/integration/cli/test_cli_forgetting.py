"""`voice forget`, `voice redact` and `voice maintain compact`."""

import json
from pathlib import Path

import pytest

from cli_runner import Documented, Ran, Voice
from tables import tables

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:G.2e", "forget:reach", "forget:preview")
CANARY = "zebra4711"


@pytest.fixture
def told(voice: Voice) -> Voice:
    """Tell two things, ask about both."""
    voice.ok("remember", f"Moved the kiln to the shed. Beth has the {CANARY} key.", "--tag", "home")
    voice.ok("remember", "The blue glaze needs cobalt and two firings.")
    voice.ok("ask", f"Who has the {CANARY} key?")
    voice.ok("ask", f"Has Beth the {CANARY} key?")
    return voice


def holds(home: Path, needle: str) -> bool:
    return any(needle.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file())


def row_ids(ran: Ran) -> list[str]:
    return [row["id"] for row in ran.json["rows"]]


def person(voice: Voice, name: str, *options: str) -> str:
    """Enter a person and return the id."""
    return voice.ok("kg", "add", "entity", name, "--type", "person", *options).out.strip()


def test_a_preview_and_what_cannot_be_meant_take_nothing_away(told: Voice, is_as_documented: Documented) -> None:
    shown = told.ok("forget", "--matching", CANARY, "--dry-run")
    assert "would forget t:" in shown.out
    assert "1 copy or derived entry, 2 turns of sessions" in shown.out
    document = told.ok("forget", "--about", "Beth", "--when", "today", "--tag", "home", "--dry-run", "--json")
    is_as_documented("cli/forget", document)
    assert CANARY not in document.out
    for arguments, said in TABLES["what_cannot_be_meant_takes_nothing_away"]:
        assert said in told.refused("forget", *arguments)
    assert CANARY in told.ok("retrieve", f"{CANARY} key").out


@pytest.mark.requirement("forget:compact")
def test_what_is_forgotten_and_compacted_is_nowhere_on_the_disk(told: Voice, is_as_documented: Documented) -> None:
    assert holds(told.home, CANARY)
    done = told.ok("forget", "--matching", CANARY, "--yes", "--compact", "--json")
    is_as_documented("cli/forget", done)
    assert not holds(told.home, CANARY)
    assert len(done.json["exchanges"]) == 2
    assert "blue glaze" in told.ok("retrieve", "what does the glaze need").out
    told.verify()
    shown = told.ok("sessions", "show", "[forgotten]").out
    assert "> (deleted)" in shown
    assert "Words of this turn were deleted" in shown
    audit = told("sessions", "audit")
    assert "source removed" in audit.out
    assert "(its words were deleted with the row)" in audit.out
    assert told.ok("forget", "--matching", CANARY, "--yes").out == "nothing in this memory matches\n"


@pytest.mark.requirement("forget:named")
def test_each_row_that_goes_along_is_named_with_its_kind_its_words_and_why(told: Voice) -> None:
    snippets = told.ok("retrieve", "kiln shed", "--json").json["snippets"]
    kiln = next(each["id"] for each in snippets if each["id"].startswith("o:"))
    stays = told.ok("correct", kiln, "Moved the kiln to the attic.").out.split()[0]
    shown = told.ok("forget", "--about", "Beth", "--dry-run")
    note = next(line.split()[2] for line in shown.out.splitlines() if line.startswith("would forget t:"))
    why = f"(a sentence of {note}, which goes as a whole)"
    assert f"    {kiln}  observation that was corrected: Moved the kiln to the shed.  {why}\n" in shown.out
    assert stays not in shown.out
    rows = told.ok("forget", "--about", "Beth", "--dry-run", "--json").json["rows"]
    assert [(each["because"], each["of"]) for each in rows if each["id"] == kiln] == [("sentence", note)]
    done = told.ok("forget", "--about", "Beth", "--yes")
    assert f"    {kiln}  observation that was corrected: Moved the kiln to the shed." in done.out
    assert "attic" in told.ok("retrieve", "where is the kiln").out


@pytest.mark.requirement("forget:named")
def test_of_many_rows_that_go_along_and_many_that_say_it_still_the_first_are_named(voice: Voice) -> None:
    voice.ok("remember", "Moved Beth. " + " ".join(f"The kiln number {n} is hot." for n in range(25)))
    shown = voice.ok("forget", "--matching", "Moved Beth", "--dry-run").out
    assert shown.count(", which goes as a whole)") == 20
    assert "  --sentence 'Moved Beth' deletes one sentence; its note keeps the rest\n" in shown
    assert "    and 4 more; --json lists all\n" in shown
    lines = [{"type": "thought", "content": f"Long ago in shed {n} Cleo sang. {'So very ' * 12}"} for n in range(22)]
    voice.ok("import", "-", "--as", "logged", stdin="\n".join(map(json.dumps, lines)).encode())
    told = voice.ok("forget", "--id", person(voice, "Cleo"), "--dry-run").out
    assert told.count("  still in: ") == 20
    assert "«Cleo» sang." in told
    assert "  still in 24 more; --json lists all\n" in told


@pytest.mark.requirement("forget:named", "promise:6")
def test_of_a_private_row_that_goes_no_word_is_shown_unless_it_is_asked_for_and_it_goes(voice: Voice) -> None:
    voice.ok("remember", "Dora drove home. Saw the doctor about a lump.", "--private")
    voice.ok("remember", "Diary of a Monday. Saw the doctor about a lump.", "--private")
    voice.ok("ask", "What did I see the doctor about?", "--private", "--new", "My doctor")
    again = voice.ok("forget", "--about", "Dora", "--dry-run").out
    assert (again.count("  still in: "), "doctor" in again, "Dora" in again) == (1, False, False)
    assert "  observation: (private)  (a sentence of t:" in again
    assert again.endswith("  --private shows the words of 5 private entries\n")
    shown = voice.ok("forget", "--about", "Dora", "--dry-run", "--private").out
    assert ("Dora drove home. Saw the doctor about a lump.\n" in shown, "(private)" in shown) == (True, False)
    person(voice, "Dora")
    wanda = person(voice, "Wanda", "--private")
    voice.ok("kg", "add", "relation", "Wanda", "sister_of", "Dora", "--private")
    shown = voice.ok("forget", "--id", wanda, "--dry-run").out
    assert "  relation: (private)  (starts or ends at e:" in shown
    assert ("Wanda" in shown, "sister_of" in shown) == (False, False)
    assert "doctor" not in voice.ok("forget", "--about", "Dora", "--yes").out
    assert "Dora" not in voice.ok("retrieve", "Dora drove home", "--lexical-only", "--private").out


def test_redacting_twice_by_id_is_redacting_once(told: Voice) -> None:
    shown = told.ok("redact", "--matching", "cobalt", "--dry-run", "--json")
    (name, *_) = [each for each in row_ids(shown) if each.startswith("t:")]
    done = told.ok("redact", "--id", name, "--yes")
    assert done.out.startswith(f"redacted {name}")
    assert "maintain compact" in done.err
    assert told.ok("redact", "--id", name, "--yes").out == "already forgotten; nothing is left to delete\n"
    assert "you forgot this before" in told("remember", "The blue glaze needs cobalt and two firings.").err


def test_what_names_it_goes_with_it_where_that_is_said_and_the_word_itself_is_typed(told: Voice) -> None:
    export = told.home / "mine.jsonl"
    told.ok("export", str(export))
    named = ("forget", "--matching", CANARY)
    assert "still contains it; --files deletes such files" in told.ok(*named, "--dry-run").err
    assert "would delete " in told.ok(*named, "--dry-run", "--files").err
    unsure = told.typed("yes\n", *named, "--files")
    assert (unsure.code, "would forget" in unsure.err, "would delete the file" in unsure.err) == (2, True, True)
    assert (CANARY in told.ok("retrieve", f"{CANARY} key").out, export.exists()) == (True, True)
    assert "voice: deleted " in told.typed("forget\n", *named, "--files").err
    assert (CANARY in told.ok("retrieve", f"{CANARY} key").out, export.exists()) == (False, False)


@pytest.mark.requirement("forget:compact")
def test_compacting_says_what_it_came_to_and_wants_a_store_of_its_own(
    told: Voice, is_as_documented: Documented, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "bytes before" in told.ok("maintain", "compact").out
    is_as_documented("cli/maintain-compact", told.ok("maintain", "compact", "--json"))
    monkeypatch.setenv("SURR_DB_URL", "mem://")
    assert "on this disk" in told.refused("forget", "--matching", CANARY, "--yes", "--compact", code=4)
    assert told("maintain", "compact").code == 4
