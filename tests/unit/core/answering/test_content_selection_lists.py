"""Which list of a note a question asks for, and what of it is counted."""

from dataclasses import replace

import pytest

from retrieval_rows import candidate, observation
from tables import by_law, tables
from voice.core.answering.answer_layout import RowSpan
from voice.core.answering.content_selection import MOST_LINES, FoundList, NoteList, NoteSpan, says_how_many, select_list
from voice.core.grounding.quotations import CountOf
from voice.core.text.words import stems_in

TABLES = tables(__file__)

pytestmark = [pytest.mark.requirement("answers:list"), pytest.mark.requirement("answers:count")]
NOTE = """# Reading
## Books
- Dune
- Emma
    - slow
- Ulysses
## Films
- Alien
- Heat, with Anna in the old cinema
- Ran
"""


def items(question: str, found: str, *, note: str = NOTE, title: str = "Shelf") -> list[str] | None:
    at = note.index(found)
    asked = select_list(note, NoteSpan(at, at + len(found)), question, title=title)
    return None if asked is None else [note[item.start : item.end] for item in asked.items]


@pytest.mark.parametrize(
    ("question", "found", "told", "of_note"),
    by_law(TABLES["a_question_is_for_the_list_whose_head_says_what_it_asks_for"]),
)
def test_a_question_is_for_the_list_whose_head_says_what_it_asks_for(
    question: str, found: str, told: list[str], of_note: dict[str, str]
) -> None:
    assert items(question, found, **of_note) == told


@pytest.mark.parametrize(("question", "found"), TABLES["what_a_sentence_answers_is_no_list"])
def test_what_a_sentence_answers_is_no_list(question: str, found: str) -> None:
    assert items(question, found) is None
    assert items("Which books did I read?", "- Dune") is not None


def found_list(count: int = 3, *, head: str = "Books", lines: int | None = None, said: int | None = None) -> FoundList:
    places = tuple(NoteSpan(at, at + 1) for at in range(count if lines is None else lines))
    stretches = tuple(RowSpan("o:1", each.start, each.end) for each in places)
    return FoundList(
        note_list=NoteList(head=head, items=places[:count], lines=places),
        title="Shelf",
        path=("Shelf", "Reading"),
        rows=(),
        items=stretches[: count if said is None else said],
        lines=tuple((each,) for each in stretches),
    )


@pytest.mark.parametrize(
    ("head", "noun", "title"), [("# Books", "books", "Shelf"), ("", "shelf", ""), ("shelf", "shelf", "")]
)
def test_a_count_names_the_heading_and_the_note(head: str, noun: str, title: str) -> None:
    part = found_list(head=head).counted(noun, f"How many {noun}?")
    assert part is not None
    assert part.counted == CountOf(unit="item", head=head.removeprefix("# ") or "Shelf", title=title)


def test_what_is_not_the_list_that_is_asked_for_is_not_counted() -> None:
    assert found_list().counted("films", "How many films did I see?") is None
    assert found_list().counted("books", "How many books are marked as favourites?") is None
    assert found_list().counted("books", "How many books did I read?") is not None
    assert found_list(head="Books I bought").counted("books", "How many books did I purchase?") is not None
    assert found_list(head="Books I sold").counted("books", "How many books did I purchase?") is None


def test_those_items_are_counted_that_hold_what_nothing_above_says() -> None:
    rows = (candidate(observation("1", "Emma, 2025")),)
    held = replace(found_list(), rows=rows, items=(RowSpan("o:1", 0, 4), *(RowSpan("o:1", 0, 10),) * 2))
    assert held.counted("books", "How many books did I read in 2024?") is None
    part = held.counted("books", "How many books called Emma did I read in 2025?")
    assert part is not None
    assert (part.stretches, part.counted) == (
        held.items[1:],
        CountOf(unit="item", head="Books", title="Shelf", part="Emma 2025"),
    )


@pytest.mark.requirement("answers:count")
def test_the_head_of_a_column_names_what_is_counted() -> None:
    note = "## Bought\n| Tool | Shop |\n|---|---|\n| Saw | Ikea |\n| Kettle | Lidl |"
    found = select_list(note, NoteSpan(note.index("| Saw"), len(note)), "How many tools did I buy at Ikea?", title="")
    assert found is not None
    assert (len(found.items), stems_in("tools shop") <= found.columns) == (2, True)


def test_a_list_of_which_an_item_cannot_be_cited_is_not_counted() -> None:
    assert found_list(said=2).counted("books", "How many books did I read?") is None
    assert found_list().counted("books", "How many books did I read?") is not None


def test_a_list_is_headed_by_how_many_items_it_has_where_each_of_them_can_be_cited() -> None:
    assert found_list().part.counted is not None
    assert found_list().part.counting == found_list().items
    assert found_list(said=2).part.counted is None
    assert found_list(count=MOST_LINES + 1).part.counted is None


def test_of_a_long_list_the_first_lines_are_given_and_the_others_counted() -> None:
    assert found_list().left == ""
    assert len(found_list(lines=MOST_LINES + 1).part.stretches) == MOST_LINES
    assert found_list(lines=MOST_LINES + 1).left == "1 line of this list is not shown here."
    assert found_list(lines=MOST_LINES + 2).left == "2 lines of this list are not shown here."


def test_a_text_says_itself_how_many_there_are() -> None:
    assert says_how_many("I own 312 books.", "books")
    assert says_how_many("I own twelve books.", "books")
    assert not says_how_many("I bought books on 12 May at 12:30.", "books")
