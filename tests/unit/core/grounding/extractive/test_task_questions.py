"""A question for tasks is answered by the items of lists, and an item says whether it is done."""

from dataclasses import replace

import pytest

from grounding_rows import judge_composed, row
from tables import tables
from voice.core.grounding.extractive.answer_composition import (
    MAX_TASKS,
    compose_answer,
    parse_task_question,
    task_search_words,
    task_state,
    tasks_in,
)
from voice.core.grounding.values import Evidence, GroundingPolicy, Stance

TABLES = tables(__file__)

ONE_DOES = GroundingPolicy(single_source="green")
WEEK = row(
    "S1",
    "Todo for the week:\n- [ ] call the dentist about the crown\n"
    "- [x] pay the electricity bill\n- [ ] buy cello strings",
)
SHOPPING = row("S2", "Shopping list:\n* flour\n* eggs\n* yeast")
PLAIN = row("S3", "Tasks\n- mend the gate\n- paint the shed")
KILN = row("S4", "The kiln is in the shed.")
MEMORY = (WEEK, SHOPPING, KILN)


def answer(question: str, *rows: Evidence) -> list[str] | None:
    response = judge_composed(compose_answer(question, rows, Stance.SYNTHESIZE), rows, ONE_DOES, question=question)
    return None if response.refused else response.answer.split("\n")


@pytest.mark.parametrize(("question", "given"), TABLES["a_list_is_given_item_by_item"])
def test_a_list_is_given_item_by_item(question: str, given: tuple[str, ...]) -> None:
    assert answer(question, *MEMORY) == list(given)


@pytest.mark.parametrize(
    ("line", "state"), TABLES["boxes_and_marks_say_what_is_open_and_what_is_struck_out_or_cancelled_is_no_task"]
)
def test_boxes_and_marks_say_what_is_open_and_what_is_struck_out_or_cancelled_is_no_task(line: str, state: str) -> None:
    assert task_state(line) == state
    assert (answer("What is on my to-do list?", row("S1", line)) is not None) == (state == "open")


def test_a_list_that_is_called_so_needs_no_boxes() -> None:
    assert answer("What is on my to-do list?", PLAIN) == ["Tasks: mend the gate, paint the shed."]
    assert answer("Which tasks are done?", PLAIN) is None


@pytest.mark.parametrize(("question", "lines"), TABLES["each_list_is_one_claim_from_its_heading_to_its_last_item"])
def test_each_list_is_one_claim_from_its_heading_to_its_last_item(question: str, lines: object) -> None:
    lists = [row(f"S{place}", text) for place, text in enumerate(TABLES["lists"], 1)]
    said = compose_answer(question, lists, Stance.SYNTHESIZE)
    assert tuple((one.text, *((each.source_id, each.span) for each in one.sources)) for one in said.sentences) == lines


def test_an_item_under_no_name_says_in_words_whether_it_is_done() -> None:
    bare = row("S1", "- [ ] call the dentist")

    assert answer("What is on my to-do list?", bare) == ["To do: call the dentist."]


def test_a_long_list_is_given_as_far_as_there_is_room() -> None:
    long = row("S1", "To do:\n" + "\n".join(f"- [ ] write to customer number {number}" for number in range(20, 70)))

    told = answer("What is on my to-do list?", long) or []

    assert (len(told), told[-1]) == (2 + MAX_TASKS, "10 lines of this list are not shown here.")


@pytest.mark.parametrize("question", TABLES["a_list_that_is_not_there_or_not_asked_for_gives_no_items"])
def test_a_list_that_is_not_there_or_not_asked_for_gives_no_items(question: str) -> None:
    assert tasks_in(question, MEMORY) == []
    assert tasks_in("What is on my to-do list?", MEMORY) != []


def test_items_that_were_not_shown_are_not_given() -> None:
    hidden = row("S1", "Todo:\n- [ ] call Anna", relevance=0.5)
    assert tasks_in("What is on my to-do list?", (hidden,))
    assert not tasks_in("What is on my to-do list?", (row("S1", "Call Anna soon."),))


def test_the_search_for_what_is_to_be_done_holds_what_notes_call_it() -> None:
    assert task_search_words("What do I still have to do?") == "todo tasks ☐"
    assert task_search_words("Which tasks are done?") == "todo tasks ☑"
    assert task_search_words("What is on my shopping list?") == ""
    assert task_search_words("Where is the kiln?") == ""
    assert parse_task_question("Where is the kiln?") is None


def test_the_note_that_a_list_stands_in_says_what_its_tasks_are_about() -> None:
    kitchen = replace(row("S1", "To do\n- [ ] choose the tap"), context="Kitchen › To do")
    garden = replace(row("S2", "To do\n- [ ] cut the hedge"), context="Garden › To do")

    found = tasks_in("What has to be done in the kitchen?", (kitchen, garden))

    assert [sentence.text for sentence in found] == ["- [ ] choose the tap"]
