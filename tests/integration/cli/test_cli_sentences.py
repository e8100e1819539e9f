"""One sentence of a note is corrected, or forgotten, by its words."""

import pytest

from cli_runner import Documented, Voice

pytestmark = pytest.mark.requirement("ruling:I9:sentence")
NOTE = "Marta lives in Porto. The kiln stands in the shed. Beth keeps the shed key at the bakery."


@pytest.fixture
def note(voice: Voice) -> str:
    """Tell a note of three sentences, and return its id."""
    return voice.remember(NOTE)


def said(voice: Voice, words: str) -> str:
    return voice.ok("retrieve", words, "--lexical-only").out


def statement(voice: Voice, words: str) -> str:
    snippets = voice.ok("retrieve", words, "--lexical-only", "--json").json["snippets"]
    return next(each["id"] for each in snippets if each["id"].startswith("o:"))


def test_the_sentence_is_shown_in_its_note_and_corrected_there(
    voice: Voice, note: str, is_as_documented: Documented
) -> None:
    dry = voice.ok("correct", "beth keeps", "Ana keeps", "--dry-run")
    assert "The kiln stands in the shed. «Beth keeps the shed key at the bakery.»" in dry.err
    assert "becomes: Ana keeps the shed key at the bakery." in dry.err
    done = voice.ok("correct", "beth keeps", "Ana keeps", "--yes", "--json")
    is_as_documented("cli/correct", done)
    assert done.json["replaced"] == note
    assert "Ana keeps the shed key" in said(voice, "shed key bakery")
    assert "Porto" in said(voice, "Where does Marta live")


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize("command", ["forget --sentence ring", "correct ID sold --sentence 1 --ask", "correct ID sold"])
def test_of_a_private_note_the_sentence_shows_only_with_private(voice: Voice, command: str) -> None:
    row = voice.remember("The ring is hidden in Riga. It was hers.", "--private")
    line = (*command.replace("ID", row).split(), "--dry-run")
    plain, shown = voice(*line), voice(*line, "--private")
    assert ("Riga" in plain.out + plain.err, "Riga" in shown.out + shown.err, plain.code) == (False, True, shown.code)


@pytest.mark.usefixtures("note")
@pytest.mark.parametrize("command", [["correct", "Porto", "Faro"], ["forget", "--sentence", "Porto"]])
def test_without_a_terminal_nothing_is_done_without_yes(voice: Voice, command: list[str]) -> None:
    ran = voice(*command)
    assert (ran.code, "confirm with --yes" in ran.err) == (2, True), ran
    assert "Porto" in said(voice, "Where does Marta live")


def test_a_person_at_the_terminal_chooses_and_confirms(voice: Voice, note: str) -> None:
    voice.ok("remember", "Ana lives in Porto, too, beside the river.")
    assert voice.typed("1\nn\n", "correct", "in Porto", "in Faro").code == 2
    assert voice.typed("1\ny\n", "correct", "in Porto", "in Faro").code == 0
    assert "Marta lives in Faro." in said(voice, "Where does Marta live")
    assert note not in said(voice, "Where does Marta live")


def test_several_are_told_with_their_ids_and_what_to_type(voice: Voice, note: str) -> None:
    other = voice.remember("Ana lives in Porto, too, beside the river.")
    ran = voice("correct", "in Porto", "in Faro", "--yes")
    assert ran.code == 2
    assert all(each in ran.err for each in (note, other, f"add --in {note}"))
    assert voice.ok("correct", "in Porto", "in Faro", "--in", other, "--yes").out.endswith("replaced\n")
    assert "add --id" in voice("forget", "--sentence", "lives in", "--yes").err


def test_of_several_sentences_of_one_note_more_words_are_asked_for_and_no_id(voice: Voice, note: str) -> None:
    ran = voice("forget", "--sentence", "the shed", "--yes")
    assert (ran.code, "2 sentences match: type more words" in ran.err, f"--id {note}" in ran.err) == (2, True, False)


def test_of_a_row_with_several_sentences_one_is_named_and_the_others_stay(voice: Voice, note: str) -> None:
    ran = voice("correct", note, "Marta lives in Faro.")
    assert (ran.code, "has 3 sentences" in ran.err, "2  The kiln stands" in ran.err) == (2, True, True)
    assert "choose 1 to 3, or all" in voice("correct", note, "It is.", "--sentence", "4").only_line
    new = voice.ok("correct", note, "Marta lives in Faro.", "--sentence", "1").out.split()[0]
    assert all(each in said(voice, "Marta lives kiln shed Faro") for each in ("Faro", "The kiln stands in the shed."))
    voice.ok("correct", new, "All is gone.", "--sentence", "all")
    assert "kiln" not in said(voice, "Where is the kiln")


def test_a_statements_note_follows_where_the_person_says_so(voice: Voice, note: str) -> None:
    alone = voice.ok("correct", statement(voice, "Marta Porto"), "Marta lives in Faro.", "--no-note")
    assert alone.out.startswith("o:")
    assert f"{note} still says this" in alone.out
    kiln = statement(voice, "kiln shed")
    assert "leave out --note" in voice("correct", kiln, "It is.", "--note", "--since", "2026-01-01").only_line
    assert voice.typed("y\n", "correct", kiln, "The kiln stands in the attic.").code == 0
    beth = statement(voice, "Beth bakery")
    assert voice.ok("correct", beth, "Ana keeps the shed key.", "--note").out.startswith("t:")
    assert "attic" in said(voice, "Where does the kiln stand")


@pytest.mark.usefixtures("note")
def test_what_is_of_one_row_is_not_asked_of_words(voice: Voice) -> None:
    assert "need an id" in voice.refused("correct", "Porto", "Faro", "--since", "2026-01-01")
    assert "--no-note need an id" in voice.refused("correct", "Porto", "Faro", "--sentence", "1")
    both = voice.refused("forget", "--sentence", "Porto", "--about", "Marta")
    assert "--sentence can be combined with --id only" in both
    assert "does not say 'Faro'" in voice.refused("forget", "--sentence", "Faro", "--id", statement(voice, "kiln"))


@pytest.mark.requirement("forget:sentence")
def test_a_sentence_is_forgotten_down_to_the_disk_and_its_note_stays(
    voice: Voice, note: str, is_as_documented: Documented
) -> None:
    voice.ok("ask", "Who keeps the shed key?")
    voice.ok("ask", "Where does Marta live?", "--limit", "1")
    dry = voice.ok("forget", "--sentence", "shed key", "--dry-run", "--json")
    is_as_documented("cli/forget-sentence", dry)
    assert "keeps the rest" in voice.ok("forget", "--sentence", "shed key", "--dry-run").out
    done = voice.ok("forget", "--sentence", "shed key", "--yes", "--compact", "--json")
    is_as_documented("cli/forget-sentence", done)
    told = done.json
    assert dry.json["exchanges"] == told["exchanges"]
    assert (told["row"], told["still_said"], len(told["exchanges"])) == (note, [], 1)
    held = [path for path in voice.home.rglob("*") if path.is_file() and b"bakery" in path.read_bytes()]
    assert held == []
    assert "The kiln stands in the shed." in said(voice, "Where does the kiln stand")
    voice.verify()


@pytest.mark.requirement("forget:named")
def test_json_lists_the_rows_and_turns_that_go_with_a_sentence(voice: Voice, is_as_documented: Documented) -> None:
    note = voice.remember("The anvil is in the cellar.")
    voice.ok("ask", "Where is the anvil?")
    voice.ok("correct", statement(voice, "anvil"), "The anvil is upstairs.", "--no-note")
    for option in ("--dry-run", "--yes"):
        ran = voice.ok("forget", "--sentence", "upstairs", option, "--json")
        is_as_documented("cli/forget-sentence", ran)
        along = [each["id"] for each in ran.json["rows"]]
        assert (note in along, len(along), len(ran.json["exchanges"])) == (True, 2, 1), option


@pytest.mark.requirement("forget:sentence")
@pytest.mark.usefixtures("note")
@pytest.mark.parametrize(("answer", "code"), [("forget\n", 0), ("yes\n", 2)])
def test_only_the_word_itself_takes_a_sentence_away(voice: Voice, answer: str, code: int) -> None:
    assert voice.typed(answer, "forget", "--sentence", "Porto").code == code
    assert ("Porto" in said(voice, "Where does Marta live")) == bool(code)
