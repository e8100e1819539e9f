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


@pytest.mark.requirement("promise:6")
def test_of_a_private_note_the_sentence_shows_only_with_private(voice: Voice) -> None:
    row = voice.remember("The ring is hidden in Riga. It was hers.", "--private")
    for command in ("forget --sentence ring", f"correct {row} sold --sentence 1 --ask", f"correct {row} sold"):
        line = (*command.split(), "--dry-run")
        plain, shown = voice(*line), voice(*line, "--private")
        said = ("Riga" in plain.out + plain.err, "Riga" in shown.out + shown.err, plain.code)
        assert said == (False, True, shown.code), command


def test_a_person_at_the_terminal_chooses_and_confirms(voice: Voice, note: str) -> None:
    voice.ok("remember", "Ana lives in Porto, too, beside the river.")
    assert voice.typed("1\nn\n", "correct", "in Porto", "in Faro").code == 2
    assert voice.typed("1\ny\n", "correct", "in Porto", "in Faro").code == 0
    assert "Marta lives in Faro." in said(voice, "Where does Marta live")
    assert note not in said(voice, "Where does Marta live")


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


@pytest.mark.requirement("forget:sentence")
@pytest.mark.usefixtures("note")
def test_only_the_word_itself_takes_a_sentence_away(voice: Voice) -> None:
    silent = voice("forget", "--sentence", "Porto")
    assert (silent.code, "confirm with --yes" in silent.err) == (2, True)
    for answer, code in (("yes\n", 2), ("forget\n", 0)):
        assert voice.typed(answer, "forget", "--sentence", "Porto").code == code
        assert ("Porto" in said(voice, "Where does Marta live")) == bool(code)
