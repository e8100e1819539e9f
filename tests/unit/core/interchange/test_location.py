"""Where a source stands, decided from values."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from store_values import thought
from voice.core.interchange.location import Location, line_in, location_of

pytestmark = pytest.mark.requirement("ruling:I4:locations")
NOTE = """---
title: Gate
tags: [garden]
---
# Gate

The gate is [[Paint|green]].

Jonas mends it.
The hinge is old.
Jonas mends it.
"""
CONTENT = "Gate\n\n# Gate\n\nThe gate is green.\n\nJonas mends it.\nThe hinge is old.\nJonas mends it."


@pytest.mark.parametrize(
    ("sentence", "line"),
    [("# Gate", 5), ("The gate is green.", 7), ("Jonas mends it.", 9), ("The hinge is old.", 10)],
)
def test_a_sentence_is_in_the_line_of_the_file_front_matter_counted(sentence: str, line: int) -> None:
    assert line_in(NOTE, CONTENT, CONTENT.index(sentence)) == line


def test_of_the_same_words_twice_each_is_in_its_own_line() -> None:
    assert line_in(NOTE, CONTENT, CONTENT.rindex("Jonas")) == 11


def test_a_title_that_only_the_front_matter_says_is_there() -> None:
    assert line_in("---\ntitle: Gate\n---\nGreen.", "Gate\n\nGreen.", 0) == 2


def test_what_is_not_in_the_file_has_no_line() -> None:
    assert line_in(NOTE, "Jonas mends it.", 0) is not None
    assert line_in(NOTE, "Somebody else entirely wrote this.", 0) is None
    assert line_in(NOTE, "\n\nJonas mends it.", 0) is None


def test_a_note_is_named_with_its_line_and_opened_where_it_is_kept() -> None:
    row = replace(thought("1", CONTENT), source_ref="Garden/Gate.md")
    start = CONTENT.index("The hinge")
    plain = location_of(row, start, note=NOTE, path="/home/me/My notes/Garden/Gate.md")
    vault = location_of(row, start, note=NOTE, path="/home/me/My notes/Garden/Gate.md", is_vault=True)
    assert plain is not None
    assert vault is not None
    assert (plain.label, plain.uri) == ("Garden/Gate.md:10", "file:///home/me/My%20notes/Garden/Gate.md")
    assert vault.uri == "obsidian://open?path=%2Fhome%2Fme%2FMy%20notes%2FGarden%2FGate.md"


@pytest.mark.requirement("ruling:I1")
@pytest.mark.parametrize(
    ("place", "path", "under"),
    [
        ("Garden/Gate.md", ("Gate", "Hinges", "The left one"), "Hinges › The left one"),
        ("Garden/Gate.md", ("Gate",), ""),
        ("2024_05_04.md", ("Greenhouse",), "Greenhouse"),
        ("whatsapp/Family", (), ""),
    ],
)
def test_above_a_source_stands_its_path_without_the_name_that_its_note_bears_already(
    place: str, path: tuple[str, ...], under: str
) -> None:
    assert Location(place=place, context_path=path).under == under


def test_a_note_whose_file_is_not_there_is_named_without_a_line_or_a_link() -> None:
    row = replace(thought("1", CONTENT), source_ref="Garden/Gate.md")
    found = location_of(row, 0, path="/gone/Gate.md")
    assert found is not None
    assert (found.label, found.line, found.uri) == ("Garden/Gate.md", None, None)


def test_a_message_is_named_by_its_conversation_its_speaker_and_its_day() -> None:
    told = datetime(2025, 3, 1, tzinfo=UTC)
    row = replace(thought("1", "Hello."), source_ref="c1/2", thread="Trip to Faro", speaker="Paul", created_at=told)
    assert location_of(row, 0) == Location(place="Trip to Faro", speaker="Paul", told_at=told)
    assert Location(place="Trip to Faro", speaker="Paul").label == "Trip to Faro, Paul"


def test_what_was_said_here_stands_nowhere_else() -> None:
    assert location_of(replace(thought("1", "Hello."), source_ref=None), 0) is None
