"""What would come in, counted."""

from datetime import UTC, datetime

from interchange_values import thought_of
from voice.core.interchange.import_plan import SHOWN_LINES, Person, Preview, PreviewBuilder, first_line
from voice.core.interchange.memory_lines import ThoughtLine
from voice.core.records import Origin


def test_a_preview_counts_people_dates_and_private_rows_and_shows_no_private_word() -> None:
    foreseen = PreviewBuilder()
    for day, speaker in ((3, "Paul"), (1, None), (2, None)):
        line = ThoughtLine(
            content=f"\nDay {day}.\nMore.", speaker=speaker, created_at=datetime(2025, 3, day, tzinfo=UTC)
        )
        foreseen.add(thought_of(line))
    foreseen.add(thought_of(ThoughtLine(content="A secret.", is_private=True)))
    told = foreseen.preview()
    assert (told.thoughts, told.private, told.undated) == (4, 1, 1)
    assert (told.earliest, told.latest) == (datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 3, 3, tzinfo=UTC))
    assert told.people == (
        Person(name=None, origin=Origin.HUMAN, thoughts=3),
        Person(name="Paul", origin=Origin.TOOL, thoughts=1),
    )
    assert told.first_lines == ("Day 3.", "Day 1.", "Day 2.", "(private)")


def test_first_lines_are_few_and_short() -> None:
    foreseen = PreviewBuilder()
    for n in range(SHOWN_LINES + 1):
        foreseen.add(thought_of(ThoughtLine(content=f"Note {n}.")))
    assert len(foreseen.preview().first_lines) == SHOWN_LINES
    assert len(first_line("word " * 50)) <= 80
    assert first_line("-\n- # Kiln log\n- Hot.") == "Kiln log"
    assert first_line("> - *It* is - hot") == "*It* is - hot"
    assert (first_line("💡\n!!"), first_line("-\n#People")) == ("💡", "#People")
    assert (first_line(" \n"), PreviewBuilder().preview()) == ("", Preview())
