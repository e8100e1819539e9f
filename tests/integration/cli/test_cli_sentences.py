"""One sentence of a note is corrected, or forgotten, by its words."""

import io
import sys
from collections.abc import Callable
from typing import cast

import pytest

from cli_runner import Ran, Voice
from voice.entrypoints.cli.main import exit_code

pytestmark = pytest.mark.requirement("ruling:I9:sentence")
Documented = Callable[[str, Ran], None]
NOTE = "Marta lives in Porto. The kiln stands in the shed. Beth keeps the shed key at the bakery."


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def note(voice: Voice) -> str:
    """Tell a note of three sentences, and return its id."""
    return voice.ok("remember", NOTE).out.split()[0]


def said(voice: Voice, words: str) -> str:
    return voice.ok("retrieve", words, "--lexical-only").out


def statement(voice: Voice, words: str) -> str:
    found = voice.ok("retrieve", words, "--lexical-only", "--json").json
    snippets = cast("list[dict[str, str]]", cast("dict[str, object]", found)["snippets"])
    return next(each["id"] for each in snippets if each["id"].startswith("o:"))


def typed(monkeypatch: pytest.MonkeyPatch, voice: Voice, answers: str, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", _Terminal(io.BytesIO(answers.encode())))
    return exit_code(["--home", str(voice.home), *arguments])


def test_the_sentence_is_shown_in_its_note_and_corrected_there(
    voice: Voice, note: str, is_as_documented: Documented
) -> None:
    dry = voice.ok("correct", "beth keeps", "Ana keeps", "--dry-run")
    assert "The kiln stands in the shed. «Beth keeps the shed key at the bakery.»" in dry.err
    assert "becomes: Ana keeps the shed key at the bakery." in dry.err
    done = voice.ok("correct", "beth keeps", "Ana keeps", "--yes", "--json")
    is_as_documented("cli/correct", done)
    assert cast("dict[str, object]", done.json)["replaced"] == note
    assert "Ana keeps the shed key" in said(voice, "shed key bakery")
    assert "Porto" in said(voice, "Where does Marta live")


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize("command", ["forget --sentence ring", "correct ID sold --sentence 1 --ask", "correct ID sold"])
def test_of_a_private_note_the_sentence_shows_only_with_private(voice: Voice, command: str) -> None:
    row = voice.ok("remember", "The ring is hidden in Riga. It was hers.", "--private").out.split()[0]
    line = (*command.replace("ID", row).split(), "--dry-run")
    plain, shown = voice(*line), voice(*line, "--private")
    assert ("Riga" in plain.out + plain.err, "Riga" in shown.out + shown.err, plain.code) == (False, True, shown.code)


def test_without_a_terminal_nothing_is_done_without_yes(voice: Voice, note: str) -> None:
    del note
    for command in (["correct", "Porto", "Faro"], ["forget", "--sentence", "Porto"]):
        ran = voice(*command)
        assert (ran.code, "confirm with --yes" in ran.err) == (2, True), ran
    assert "Porto" in said(voice, "Where does Marta live")


def test_a_person_at_the_terminal_chooses_and_confirms(
    voice: Voice, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice.ok("remember", "Ana lives in Porto, too, beside the river.")
    assert typed(monkeypatch, voice, "1\nn\n", "correct", "in Porto", "in Faro") == 2
    assert typed(monkeypatch, voice, "1\ny\n", "correct", "in Porto", "in Faro") == 0
    assert "Marta lives in Faro." in said(voice, "Where does Marta live")
    assert note not in said(voice, "Where does Marta live")


def test_several_are_told_with_their_ids_and_what_to_type(voice: Voice, note: str) -> None:
    other = voice.ok("remember", "Ana lives in Porto, too, beside the river.").out.split()[0]
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


def test_a_statements_note_follows_where_the_person_says_so(
    voice: Voice, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = voice.ok("correct", statement(voice, "Marta Porto"), "Marta lives in Faro.", "--no-note")
    assert alone.out.startswith("o:")
    assert f"{note} still says this" in alone.out
    kiln = statement(voice, "kiln shed")
    assert "leave out --note" in voice("correct", kiln, "It is.", "--note", "--since", "2026-01-01").only_line
    assert typed(monkeypatch, voice, "y\n", "correct", kiln, "The kiln stands in the attic.") == 0
    beth = statement(voice, "Beth bakery")
    done = voice.ok("correct", beth, "Ana keeps the shed key.", "--note")
    assert done.out.startswith("t:")
    assert "attic" in said(voice, "Where does the kiln stand")


def test_what_is_of_one_row_is_not_asked_of_words(voice: Voice, note: str) -> None:
    del note
    assert "need an id" in voice("correct", "Porto", "Faro", "--since", "2026-01-01").only_line
    assert "--no-note need an id" in voice("correct", "Porto", "Faro", "--sentence", "1").only_line
    assert (
        "--sentence can be combined with --id only"
        in voice("forget", "--sentence", "Porto", "--about", "Marta").only_line
    )
    assert "does not say 'Faro'" in voice("forget", "--sentence", "Faro", "--id", statement(voice, "kiln")).only_line


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
    told = cast("dict[str, object]", done.json)
    assert cast("dict[str, object]", dry.json)["exchanges"] == told["exchanges"]
    assert (told["row"], told["still_said"], len(cast("list[str]", told["exchanges"]))) == (note, [], 1)
    held = [path for path in voice.home.rglob("*") if path.is_file() and b"bakery" in path.read_bytes()]
    assert held == []
    assert "The kiln stands in the shed." in said(voice, "Where does the kiln stand")
    assert voice.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"


@pytest.mark.requirement("forget:named")
def test_json_lists_the_rows_and_turns_that_go_with_a_sentence(voice: Voice, is_as_documented: Documented) -> None:
    note = voice.ok("remember", "The anvil is in the cellar.").out.split()[0]
    voice.ok("ask", "Where is the anvil?")
    voice.ok("correct", statement(voice, "anvil"), "The anvil is upstairs.", "--no-note")
    for option in ("--dry-run", "--yes"):
        ran = voice.ok("forget", "--sentence", "upstairs", option, "--json")
        is_as_documented("cli/forget-sentence", ran)
        told = cast("dict[str, list[object]]", ran.json)
        along = [cast("dict[str, str]", each)["id"] for each in told["rows"]]
        assert (note in along, len(along), len(told["exchanges"])) == (True, 2, 1), option


@pytest.mark.requirement("forget:sentence")
@pytest.mark.parametrize(("answer", "code"), [("forget\n", 0), ("yes\n", 2)])
def test_only_the_word_itself_takes_a_sentence_away(
    voice: Voice, note: str, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    del note
    assert typed(monkeypatch, voice, answer, "forget", "--sentence", "Porto") == code
    assert ("Porto" in said(voice, "Where does Marta live")) == bool(code)
