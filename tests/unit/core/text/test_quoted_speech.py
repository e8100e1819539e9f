"""What an assistant says in a chat that is pasted into a note is no statement of who keeps the note."""

import pytest

from voice.core.graph.thoughts.distillation import statement_spans
from voice.core.text.note_context import blank_other_speakers, context_paths

pytestmark = pytest.mark.requirement("imports:pasted-chats")
HOME, ROME, CAT = "I live in Porto.", "You live in Rome.", "My cat is called Luna."


def said(text: str) -> list[str]:
    """Return what of a note counts as said by who keeps it."""
    return [text[start:end] for start, end in statement_spans(text, in_dialogue=False)]


@pytest.mark.parametrize(
    "note",
    [
        f"You said:\n{HOME}\nChatGPT said:\n{ROME}\nYou said:\n{CAT}\nChatGPT said:\n{ROME}",
        f"##### You said:\n{HOME}\n###### ChatGPT said:\n{ROME}\n##### You said:\n{CAT}",
        f"**User:** {HOME}\n\n**Assistant:** {ROME}\n\n- {ROME}\n\n**User:** {CAT}\n\n**Assistant:** {ROME}",
        f"**You**: {HOME}\n\n**Claude**: {ROME}\n\n**You**: {CAT}",
        f"Human: {HOME}\n\nAssistant: {ROME}\n\nHuman: {CAT}",
        f"## User\n{HOME}\n## Assistant\n{ROME}\n## User\n{CAT}",
        f"**Me**\n{HOME}\n**Gemini**\n{ROME}\n**Me**\n{CAT}",
        f"> **Me**: {HOME}\n> **ChatGPT**: {ROME}\n>\n> {ROME}\n\n> **Me**: {CAT}",
        f"- User: {HOME}\n- AI: {ROME}\n  - {ROME}\n- User: {CAT}\n- AI: {ROME}",
        f"Ich: {HOME}\nKI: {ROME}\nIch: {CAT}",
    ],
)
def test_only_your_turns_are_yours(note: str) -> None:
    assert said(note) == [HOME, CAT]
    assert len(blank_other_speakers(note)) == len(note)


def test_one_turn_of_each_is_enough_where_a_page_announces_both() -> None:
    assert said(f"You said:\n{HOME}\nChatGPT said:\n{ROME}") == [HOME]
    assert said(f"Vous avez dit :\n{HOME}\nChatGPT a dit :\n{ROME}") == [HOME]


@pytest.mark.parametrize(
    "note",
    [
        f"ChatGPT said: look at the fuse.\n\n{HOME}",
        "User: admin\nAssistant: Maria Lopez",
        f"User: {HOME}\n\nUser: {CAT}\n\nAssistant: {ROME}",
        f"Me: {HOME}\n\nAnna: {ROME}\n\nMe: {CAT}",
        f"**User: {HOME}\n\nAssistant**: {ROME}\n\n**User: {CAT}",
        f"I met the user. You know the assistant.\n\nAssistant to the mayor.\n\n{HOME}",
        f"```\nHuman: a\nAssistant: b\nHuman: c\n```\n{HOME}",
        f"- ````\n  ```\n  Human: a\n  Assistant: b\n  Human: c\n  ````\n- {HOME}",
    ],
)
def test_where_the_structure_is_not_clear_nothing_is_taken_from_you(note: str) -> None:
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
