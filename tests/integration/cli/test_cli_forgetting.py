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


def test_a_preview_shows_what_would_be_reached_and_takes_nothing_away(
    told: Voice, is_as_documented: Documented
) -> None:
    shown = told.ok("forget", "--matching", CANARY, "--dry-run")
    assert "would forget t:" in shown.out
    assert "1 copy or derived entry, 2 turns of sessions" in shown.out
    document = told.ok("forget", "--about", "Beth", "--when", "today", "--tag", "home", "--dry-run", "--json")
    is_as_documented("cli/forget", document)
    assert CANARY not in document.out
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
    for n in range(22):
        voice.ok("remember", f"Long ago in shed {n} Cleo sang.")
    told = voice.ok("forget", "--id", person(voice, "Cleo"), "--dry-run").out
    assert told.count("  still in: ") == 20
    assert "«Cleo» sang." in told
    assert "  still in 24 more; --json lists all\n" in told


@pytest.mark.requirement("forget:named", "promise:6")
def test_of_a_private_row_that_stays_nothing_is_shown_unless_it_is_asked_for(voice: Voice) -> None:
    voice.ok("remember", "Saw the doctor about a lump. Cleo drove home.", "--private")
    voice.ok("remember", "Long ago Cleo sang.")
    cleo = person(voice, "Cleo")
    shown = voice.ok("forget", "--id", cleo, "--dry-run").out
    assert "Long ago «Cleo» sang.\n" in shown
    assert "  (private)\n" in shown
    assert ("doctor" in shown, "drove" in shown) == (False, False)
    assert "«Cleo» drove home" in voice.ok("forget", "--id", cleo, "--dry-run", "--private").out


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
    person(voice, "Dora")
    wanda = person(voice, "Wanda", "--private")
    voice.ok("kg", "add", "relation", "Wanda", "sister_of", "Dora", "--private")
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
    (session,), (pin,) = document.json["sessions"], document.json["pins_removed"]
    for place, turn in enumerate(document.json["exchanges"], start=1):
        assert f"    {turn}  turn {place} of {session}  20" in shown
    assert f"    {session}  session of 20" in shown
    assert ": [forgotten]\n" in shown
    assert f"    {pin}  pin\n" in shown
    candidates = document.json["elsewhere"]["candidates"]
    assert [f"    {each}  candidate\n" in shown for each in candidates] == [True] * len(candidates) != []
    kinds = {row["id"][0]: row["kind"] for row in document.json["rows"]}
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
    note = voice.remember("Dora drove home. Saw the doctor about a lump.")
    person(voice, "Dora")
    wanda = person(voice, "Wanda")
    voice.ok("kg", "add", "relation", "Wanda", "sister_of", "Dora")
    voice.ok("redact", "--about", "Wanda", "--yes")
    voice.ok("redact", "--id", note, "--yes")
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
    assert told.ok("redact", "--id", name, "--yes").out == "already forgotten; nothing is left to delete\n"
    assert "you forgot this before" in told("remember", "The blue glaze needs cobalt and two firings.").err


def test_a_file_that_names_it_is_told_and_removed_where_that_is_said(told: Voice) -> None:
    export = told.home / "mine.jsonl"
    told.ok("export", str(export))
    named = ("forget", "--matching", CANARY)
    assert "still contains it; --files deletes such files" in told.ok(*named, "--dry-run").err
    assert "would delete " in told.ok(*named, "--dry-run", "--files").err
    assert export.exists()
    assert "voice: deleted " in told.ok(*named, "--yes", "--files").err
    assert not export.exists()


def test_it_says_who_says_it_still(told: Voice) -> None:
    shown = told.ok("forget", "--matching", CANARY, "--dry-run", "--json")
    (observation, *_) = [each for each in row_ids(shown) if each.startswith("o:")]
    done = told.ok("forget", "--id", observation, "--yes")
    assert f"«Beth has the {CANARY} key.»" in done.out.partition("still in: t:")[2]
    assert "1 entry still says it; forget it as well to delete all of it" in done.err


@pytest.mark.parametrize(("arguments", "said"), TABLES["what_cannot_be_meant_takes_nothing_away"])
def test_what_cannot_be_meant_takes_nothing_away(told: Voice, arguments: tuple[str, ...], said: str) -> None:
    assert said in told.refused("forget", *arguments)
    assert CANARY in told.ok("retrieve", f"{CANARY} key").out


@pytest.mark.parametrize(("typed", "code"), [("forget\n", 0), ("yes\n", 2)])
def test_only_the_word_itself_takes_away(told: Voice, typed: str, code: int) -> None:
    told.ok("export", str(told.home / "mine.jsonl"))
    ran = told.typed(typed, "forget", "--matching", CANARY, "--files")
    assert (ran.code, "would forget" in ran.err, "would delete the file" in ran.err) == (code, True, True)
    assert (CANARY in told.ok("retrieve", f"{CANARY} key").out) == bool(code)


def test_a_long_list_is_cut_and_long_words_too(voice: Voice) -> None:
    lines = [{"type": "thought", "content": f"Note {n} of the kiln {'so very ' * 12}hot."} for n in range(30)]
    voice.ok("import", "-", stdin="\n".join(map(json.dumps, lines)).encode())
    shown = voice.ok("forget", "--matching", "the kiln so very", "--dry-run").out
    assert "so very…\n" in shown
    assert " more; --json lists all\n" in shown


@pytest.mark.requirement("forget:compact")
def test_compacting_says_what_it_came_to_and_wants_a_store_of_its_own(
    told: Voice, is_as_documented: Documented, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "bytes before" in told.ok("maintain", "compact").out
    is_as_documented("cli/maintain-compact", told.ok("maintain", "compact", "--json"))
    monkeypatch.setenv("SURR_DB_URL", "mem://")
    assert "on this disk" in told.refused("forget", "--matching", CANARY, "--yes", "--compact", code=4)
    assert told("maintain", "compact").code == 4


def test_what_a_relation_says_is_shown_by_the_names_of_its_ends(told: Voice) -> None:
    person(told, "Wanda")
    told.ok("kg", "add", "entity", "Velo Club", "--type", "organisation")
    told.ok("kg", "add", "relation", "Wanda", "member_of", "Velo Club")
    assert "Wanda --member_of--> e:" in told.ok("forget", "--about", "Wanda", "--dry-run").out
    assert "compacted the store: " in told.ok("forget", "--about", "Wanda", "--yes", "--compact").err
