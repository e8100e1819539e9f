"""`voice forget`, `voice redact` and `voice maintain compact`."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from cli_runner import Ran, Voice
from tables import tables
from voice.entrypoints.cli.main import exit_code

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:G.2e", "forget:reach", "forget:preview")
IsAsDocumented = Callable[[str, Ran], None]
Json = dict[str, object]
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


def ids(ran: Ran, name: str) -> list[str]:
    return cast("list[str]", cast("Json", ran.json)[name])


def row_ids(ran: Ran) -> list[str]:
    return [cast("str", row["id"]) for row in cast("list[Json]", cast("Json", ran.json)["rows"])]


def test_a_preview_shows_what_would_be_reached_and_takes_nothing_away(
    told: Voice, is_as_documented: IsAsDocumented
) -> None:
    shown = told.ok("forget", "--matching", CANARY, "--dry-run")
    assert "would forget t:" in shown.out
    assert "1 copy or derived entry, 2 turns of sessions" in shown.out
    document = told.ok("forget", "--about", "Beth", "--when", "today", "--tag", "home", "--dry-run", "--json")
    is_as_documented("cli/forget", document)
    assert CANARY not in document.out
    assert CANARY in told.ok("retrieve", f"{CANARY} key").out


@pytest.mark.requirement("forget:compact")
def test_what_is_forgotten_and_compacted_is_nowhere_on_the_disk(told: Voice, is_as_documented: IsAsDocumented) -> None:
    assert holds(told.home, CANARY)
    done = told.ok("forget", "--matching", CANARY, "--yes", "--compact", "--json")
    is_as_documented("cli/forget", done)
    assert not holds(told.home, CANARY)
    assert len(ids(done, "exchanges")) == 2
    assert "blue glaze" in told.ok("retrieve", "what does the glaze need").out
    assert told.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"
    shown = told.ok("sessions", "show", "[forgotten]").out
    assert "> (deleted)" in shown
    assert "Words of this turn were deleted" in shown
    audit = told("sessions", "audit")
    assert "source removed" in audit.out
    assert "(its words were deleted with the row)" in audit.out
    again = told.ok("forget", "--matching", CANARY, "--yes")
    assert again.out == "nothing in this memory matches\n"


@pytest.mark.requirement("forget:named")
def test_each_row_that_goes_along_is_named_with_its_kind_its_words_and_why(told: Voice) -> None:
    voice = told
    corrected = voice.ok("retrieve", "kiln shed", "--json").json
    snippets = cast("list[Json]", cast("Json", corrected)["snippets"])
    kiln = next(cast("str", each["id"]) for each in snippets if cast("str", each["id"]).startswith("o:"))
    stays = voice.ok("correct", kiln, "Moved the kiln to the attic.").out.split()[0]
    shown = voice.ok("forget", "--about", "Beth", "--dry-run")
    note = next(line.split()[2] for line in shown.out.splitlines() if line.startswith("would forget t:"))
    why = f"(a sentence of {note}, which goes as a whole)"
    assert f"    {kiln}  observation that was corrected: Moved the kiln to the shed.  {why}\n" in shown.out
    assert stays not in shown.out
    rows = cast("list[Json]", cast("Json", voice.ok("forget", "--about", "Beth", "--dry-run", "--json").json)["rows"])
    assert [(each["because"], each["of"]) for each in rows if each["id"] == kiln] == [("sentence", note)]
    done = voice.ok("forget", "--about", "Beth", "--yes")
    assert f"    {kiln}  observation that was corrected: Moved the kiln to the shed." in done.out
    assert "attic" in voice.ok("retrieve", "where is the kiln").out


@pytest.mark.requirement("forget:named")
def test_of_many_rows_that_go_along_and_many_that_say_it_still_the_first_are_named(voice: Voice) -> None:
    voice.ok("remember", "Moved Beth. " + " ".join(f"The kiln number {n} is hot." for n in range(25)))
    shown = voice.ok("forget", "--matching", "Moved Beth", "--dry-run").out
    assert shown.count(", which goes as a whole)") == 20
    assert "    and 4 more; --json lists all\n" in shown
    for n in range(22):
        voice.ok("remember", f"Long ago in shed {n} Cleo sang.")
    voice.ok("kg", "add", "entity", "Cleo", "--type", "person")
    still = voice.ok("forget", "--about", "Cleo", "--when", "today", "--dry-run", "--json")
    (entity,) = [each for each in row_ids(still) if each.startswith("e:")]
    told = voice.ok("forget", "--id", entity, "--dry-run").out
    assert told.count("  still in: ") == 20
    assert "«Cleo» sang." in told
    assert "  still in 24 more; --json lists all\n" in told


@pytest.mark.requirement("forget:named", "promise:6")
def test_of_a_private_row_that_stays_nothing_is_shown_unless_it_is_asked_for(voice: Voice) -> None:
    voice.ok("remember", "Saw the doctor about a lump. Cleo drove home.", "--private")
    voice.ok("remember", "Long ago Cleo sang.")
    voice.ok("kg", "add", "entity", "Cleo", "--type", "person")
    found = voice.ok("forget", "--about", "Cleo", "--dry-run", "--json")
    (entity,) = [each for each in row_ids(found) if each.startswith("e:")]
    shown = voice.ok("forget", "--id", entity, "--dry-run").out
    assert "Long ago «Cleo» sang.\n" in shown
    assert "  (private)\n" in shown
    assert ("doctor" in shown, "drove" in shown) == (False, False)
    assert "«Cleo» drove home" in voice.ok("forget", "--id", entity, "--dry-run", "--private").out


@pytest.mark.requirement("forget:named", "promise:6")
def test_of_a_private_row_that_goes_no_word_is_shown_unless_it_is_asked_for_and_it_goes(voice: Voice) -> None:
    voice.ok("remember", "Dora drove home. Saw the doctor about a lump.", "--private")
    voice.ok("remember", "Diary of a Monday. Saw the doctor about a lump.", "--private")
    again = voice.ok("forget", "--about", "Dora", "--dry-run").out
    assert (again.count("  still in: "), "doctor" in again, "Dora" in again) == (1, False, False)
    assert "  observation: (private)  (a sentence of t:" in again
    assert again.endswith("  --private shows the words of 5 private entries\n")
    shown = voice.ok("forget", "--about", "Dora", "--dry-run", "--private").out
    assert ("Dora drove home. Saw the doctor about a lump.\n" in shown, "(private)" in shown) == (True, False)
    voice.ok("kg", "add", "entity", "Dora", "--type", "person")
    voice.ok("kg", "add", "entity", "Wanda", "--type", "person", "--private")
    voice.ok("kg", "add", "relation", "Wanda", "sister_of", "Dora", "--private")
    related = voice.ok("forget", "--about", "Wanda", "--dry-run", "--json")
    (wanda,) = [each for each in row_ids(related) if each.startswith("e:")]
    shown = voice.ok("forget", "--id", wanda, "--dry-run").out
    assert "  relation: (private)  (starts or ends at e:" in shown
    assert ("Wanda" in shown, "sister_of" in shown) == (False, False)
    assert "doctor" not in voice.ok("forget", "--about", "Dora", "--yes").out
    assert "Dora" not in voice.ok("retrieve", "Dora drove home", "--lexical-only", "--private").out


@pytest.mark.requirement("forget:named")
def test_what_is_reached_beside_the_rows_is_named_by_its_id(told: Voice) -> None:
    told.ok("remember", f"Zora Miller lives in Bern since the {CANARY} sale.")
    (*_, sentence) = row_ids(told.ok("forget", "--matching", CANARY, "--dry-run", "--json"))
    told.ok("pins", "add", sentence, "--reason", "often asked")
    document = told.ok("forget", "--matching", CANARY, "--dry-run", "--json")
    shown = told.ok("forget", "--matching", CANARY, "--dry-run").out
    (session,) = ids(document, "sessions")
    for place, turn in enumerate(ids(document, "exchanges"), start=1):
        assert f"    {turn}  turn {place} of {session}  20" in shown
    assert f"    {session}  session of 20" in shown
    assert ": [forgotten]\n" in shown
    assert f"    {ids(document, 'pins_removed')[0]}  pin\n" in shown
    candidates = cast("dict[str, list[str]]", cast("Json", document.json)["elsewhere"])["candidates"]
    assert [f"    {each}  candidate\n" in shown for each in candidates] == [True] * len(candidates) != []
    kinds = {str(row["id"])[0]: row["kind"] for row in cast("list[Json]", cast("Json", document.json)["rows"])}
    assert kinds == {"t": "thought", "o": "observation"}


@pytest.mark.requirement("forget:named", "promise:6")
def test_of_a_session_that_began_with_private_rows_let_in_no_topic_is_shown(voice: Voice) -> None:
    voice.ok("remember", f"Saw the doctor about the {CANARY}.", "--private")
    voice.ok("ask", f"What is the {CANARY} about?", "--private", "--new", f"My doctor and the {CANARY}")
    shown = voice.ok("forget", "--matching", CANARY, "--dry-run").out
    assert "  session of 20" in shown
    assert "My doctor" not in shown


@pytest.mark.requirement("forget:named")
def test_of_a_row_without_words_it_is_said_that_it_was_redacted(voice: Voice) -> None:
    note = voice.ok("remember", "Dora drove home. Saw the doctor about a lump.").out.split()[0]
    voice.ok("kg", "add", "entity", "Dora", "--type", "person")
    voice.ok("kg", "add", "entity", "Wanda", "--type", "person")
    voice.ok("kg", "add", "relation", "Wanda", "sister_of", "Dora")
    gone = voice.ok("redact", "--about", "Wanda", "--yes", "--json")
    voice.ok("redact", "--id", note, "--yes")
    (wanda,) = [each for each in row_ids(gone) if each.startswith("e:")]
    shown = voice.ok("forget", "--id", wanda, "--id", note, "--dry-run").out
    assert f"would forget {wanda}  " in shown
    assert shown.count("  (redacted)\n") == 2
    assert "  relation: (redacted)  (starts or ends at e:" in shown
    sentence = next(each for each in row_ids(voice.ok("forget", "--id", note, "--dry-run", "--json")) if each[0] == "o")
    alone = voice.ok("forget", "--id", sentence, "--dry-run").out
    assert alone.splitlines()[0].endswith("  (redacted)")
    assert "still said" not in alone


def test_redacting_twice_by_id_is_redacting_once(told: Voice) -> None:
    shown = told.ok("redact", "--matching", "cobalt", "--dry-run", "--json")
    (name, *_) = [each for each in row_ids(shown) if each.startswith("t:")]
    done = told.ok("redact", "--id", name, "--yes")
    assert done.out.startswith(f"redacted {name}")
    assert "maintain compact" in done.err
    again = told.ok("redact", "--id", name, "--yes")
    assert again.out == "already forgotten; nothing is left to delete\n"
    assert "you forgot this before" in told("remember", "The blue glaze needs cobalt and two firings.").err


def test_a_file_that_names_it_is_told_and_removed_where_that_is_said(told: Voice) -> None:
    export = told.home / "mine.jsonl"
    told.ok("export", str(export))
    stays = told.ok("forget", "--matching", CANARY, "--dry-run")
    assert "still contains it; --files deletes such files" in stays.err
    would = told.ok("forget", "--matching", CANARY, "--dry-run", "--files")
    assert "would delete " in would.err
    gone = told.ok("forget", "--matching", CANARY, "--yes", "--files")
    assert "voice: deleted " in gone.err
    assert not export.exists()


def test_it_says_who_says_it_still(told: Voice) -> None:
    shown = told.ok("forget", "--matching", CANARY, "--dry-run", "--json")
    (observation, *_) = [each for each in row_ids(shown) if each.startswith("o:")]
    done = told.ok("forget", "--id", observation, "--yes")
    assert f"«Beth has the {CANARY} key.»" in done.out.partition("still in: t:")[2]
    assert "1 entry still says it; forget it as well to delete all of it" in done.err


@pytest.mark.parametrize(("arguments", "said"), TABLES["what_cannot_be_meant_takes_nothing_away"])
def test_what_cannot_be_meant_takes_nothing_away(told: Voice, arguments: tuple[str, ...], said: str) -> None:
    ran = told("forget", *arguments)
    assert (ran.code, said in ran.only_line) == (2, True)
    assert CANARY in told.ok("retrieve", f"{CANARY} key").out


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "code"), [("forget\n", 0), ("yes\n", 2)])
def test_only_the_word_itself_takes_away(
    told: Voice, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, code: int
) -> None:
    told.ok("export", str(told.home / "mine.jsonl"))
    monkeypatch.setattr(sys, "stdin", _Terminal(io.BytesIO(typed.encode())))
    assert exit_code(["--home", str(told.home), "forget", "--matching", CANARY, "--files"]) == code
    said = capsys.readouterr()
    assert "would forget" in said.err
    assert "would delete the file" in said.err
    assert (CANARY in told.ok("retrieve", f"{CANARY} key").out) == bool(code)


def test_a_long_list_is_cut_and_long_words_too(voice: Voice, tmp_path: Path) -> None:
    lines = [{"format": "inner-voice-memory/1"}]
    lines += [{"type": "thought", "content": f"Note {n} of the kiln {'so very ' * 12}hot."} for n in range(30)]
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    voice.ok("import", str(file))
    shown = voice.ok("forget", "--matching", "the kiln so very", "--dry-run").out
    assert "so very…\n" in shown
    assert " more; --json lists all\n" in shown


@pytest.mark.requirement("forget:compact")
def test_compacting_says_what_it_came_to_and_wants_a_store_of_its_own(
    told: Voice, is_as_documented: IsAsDocumented, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "bytes before" in told.ok("maintain", "compact").out
    is_as_documented("cli/maintain-compact", told.ok("maintain", "compact", "--json"))
    monkeypatch.setenv("SURR_DB_URL", "mem://")
    refused = told("forget", "--matching", CANARY, "--yes", "--compact")
    assert (refused.code, "on this disk" in refused.only_line) == (4, True)
    assert told("maintain", "compact").code == 4


def test_what_a_relation_says_is_shown_by_the_names_of_its_ends(told: Voice) -> None:
    told.ok("kg", "add", "entity", "Wanda", "--type", "person")
    told.ok("kg", "add", "entity", "Velo Club", "--type", "organisation")
    told.ok("kg", "add", "relation", "Wanda", "member_of", "Velo Club")
    shown = told.ok("forget", "--about", "Wanda", "--dry-run").out
    assert "Wanda --member_of--> e:" in shown
    done = told.ok("forget", "--about", "Wanda", "--yes", "--compact")
    assert "compacted the store: " in done.err
