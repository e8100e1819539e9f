"""What an assistant says in a chat that is pasted into a note is no statement of who keeps the note."""

import pytest

from tables import tables
from voice.core.graph.thoughts.distillation import statement_spans
from voice.core.text.note_context import blank_other_speakers, context_paths

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("imports:pasted-chats")
HOME, ROME, CAT = "I live in Porto.", "You live in Rome.", "My cat is called Luna."


def said(text: str) -> list[str]:
    """Return what of a note counts as said by who keeps it."""
    return [text[start:end] for start, end in statement_spans(text, in_dialogue=False)]


@pytest.mark.parametrize("told", TABLES["only_your_turns_are_yours"])
def test_only_your_turns_are_yours(told: str) -> None:
    note = told.format(HOME=HOME, ROME=ROME, CAT=CAT)
    assert said(note) == [HOME, CAT]
    assert len(blank_other_speakers(note)) == len(note)


def test_one_turn_of_each_is_enough_where_a_page_announces_both() -> None:
    assert said(f"You said:\n{HOME}\nChatGPT said:\n{ROME}") == [HOME]
    assert said(f"Vous avez dit :\n{HOME}\nChatGPT a dit :\n{ROME}") == [HOME]


@pytest.mark.parametrize("told", TABLES["where_the_structure_is_not_clear_nothing_is_taken_from_you"])
def test_where_the_structure_is_not_clear_nothing_is_taken_from_you(told: str) -> None:
    note = told.format(HOME=HOME, ROME=ROME, CAT=CAT)
    assert blank_other_speakers(note) == note


def test_a_chat_in_a_quotation_or_in_bullets_ends_with_them() -> None:
    talk = (f"User: {HOME}", f"AI: {ROME}", f"User: {CAT}", f"AI: {ROME}")
    quoted = "\n".join(f"> {turn}" for turn in talk)
    assert said(f"{quoted}\n\nMy boat is blue.") == [HOME, CAT, "My boat is blue."]
    listed = "\n".join(f"- {turn}\n\n  - {ROME}" if turn.startswith("AI") else f"- {turn}" for turn in talk)
    assert said(f"{listed}\n- My boat is blue.") == [HOME, CAT, "My boat is blue."]


def test_what_would_join_over_a_turn_of_the_other_side_is_left_out() -> None:
    note = f"You said:\nThese are my things:\nChatGPT said:\n{ROME}\nYou said:\n- the boat Luna\n- the car"
    assert not any("Rome" in each for each in said(note))


def test_nothing_of_the_other_side_stands_above_your_turn() -> None:
    note = f"# Moving\n\nYou said:\n{HOME}\nChatGPT said:\n## Rome\n{ROME}\nYou said:\n{CAT}"
    assert context_paths(note, [note.index(CAT)], source_ref="Moving.md") == (("Moving",),)
