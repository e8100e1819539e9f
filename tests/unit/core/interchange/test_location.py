"""Where a source stands, decided from values."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from store_values import there, thought
from tables import tables
from voice.core.interchange.origin import Location, line_in, location_of
from voice.core.records import Origin

TABLES = tables(__file__)

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
    ("sentence", "line"), [("# Gate", 5), ("The gate is green.", 7), ("Jonas mends it.", 9), ("The hinge is old.", 10)]
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
    path = "/home/me/My notes/Garden/Gate.md"
    plain = there(location_of(row, start, note=NOTE, path=path))
    vault = there(location_of(row, start, note=NOTE, path=path, is_vault=True))
    assert (plain.label, plain.uri) == ("Garden/Gate.md:10", "file:///home/me/My%20notes/Garden/Gate.md")
    assert vault.uri == "obsidian://open?path=%2Fhome%2Fme%2FMy%20notes%2FGarden%2FGate.md"


@pytest.mark.requirement("ruling:I1")
@pytest.mark.parametrize(
    ("place", "path", "under"), TABLES["above_a_source_stands_its_path_without_the_name_that_its_note_bears_already"]
)
def test_above_a_source_stands_its_path_without_the_name_that_its_note_bears_already(
    place: str, path: tuple[str, ...], under: str
) -> None:
    assert Location(place=place, context_path=path).under == under


def test_a_note_whose_file_is_not_there_is_named_without_a_line_or_a_link() -> None:
    row = replace(thought("1", CONTENT), source_ref="Garden/Gate.md")
    found = there(location_of(row, 0, path="/gone/Gate.md"))
    assert (found.label, found.line, found.uri) == ("Garden/Gate.md", None, None)


def test_a_message_is_named_by_its_conversation_its_speaker_and_its_day() -> None:
    told = datetime(2025, 3, 1, tzinfo=UTC)
    row = replace(thought("1", "Hello."), source_ref="c1/2", thread="Trip to Faro", speaker="Paul", created_at=told)
    found = there(location_of(row, 0))
    assert found == Location(place="Trip to Faro", speaker="Paul", told_at=told, is_talk=True)
    assert found.label == "Trip to Faro, Paul, 2025-03-01"
    assert found.label_beside_date == "Trip to Faro, Paul"
    assert replace(found, told_at=None).label == "Trip to Faro, Paul"


def test_the_day_of_a_message_is_that_of_who_reads_it() -> None:
    told = datetime(2025, 3, 1, 23, 30, tzinfo=UTC)
    at = Location(place="whatsapp/Paul", told_at=told, is_talk=True, zone=ZoneInfo("Europe/Berlin"))
    assert at.label == "whatsapp/Paul, 2025-03-02"


@pytest.mark.parametrize(
    ("thread", "label"), TABLES["your_turn_with_an_assistant_is_yours_under_its_title_or_the_beginning_of_its_id"]
)
def test_your_turn_with_an_assistant_is_yours_under_its_title_or_the_beginning_of_its_id(
    thread: str, label: str
) -> None:
    row = replace(thought("1", "Hello."), source_ref="chatgpt/c1/a", kind="chat", thread=thread)
    own, handed = (there(location_of(replace(row, origin=origin), 0)) for origin in (Origin.HUMAN, Origin.TOOL))
    assert (own.label_beside_date, handed.speaker) == (label, None)
    assert own.label.endswith(f"{label}, {own.told_at:%Y-%m-%d}")


def test_what_was_said_here_stands_nowhere_else_but_in_the_conversation_that_it_names() -> None:
    row = replace(thought("1", "Hello."), source_ref=None)
    told = there(location_of(replace(row, thread="Call with Ana", speaker="Ana"), 0))
    assert told.label_beside_date == "Call with Ana, Ana"
    assert location_of(row, 0) is None
    assert location_of(replace(row, thread="c:01m8fpwsf6b6mhhevrnf7hf4xn"), 0) is None
