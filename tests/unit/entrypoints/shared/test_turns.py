"""What is said of memories that were kept out of a prompt."""

from types import SimpleNamespace
from typing import cast

import pytest

from voice.entrypoints.shared.sessions import quarantine_note
from voice.services.turn.ask import Turn


def turn(kept_out: tuple[str, ...], provider: str = "gemini", **lexical: float) -> Turn:
    """Return a turn that found rows, each with how well the question's words met it."""
    found = [SimpleNamespace(id=f"o:{name}", lexical=value) for name, value in lexical.items()]
    made = SimpleNamespace(
        plan=SimpleNamespace(quarantined=kept_out),
        selection=SimpleNamespace(snippets=found),
        exchange=SimpleNamespace(provider=provider),
    )
    return cast("Turn", made)


@pytest.mark.requirement("ruling:D22", "promise:9")
def test_a_row_that_shares_no_word_with_the_question_is_not_noted_beside_the_answer_but_a_pinned_one_is() -> None:
    assert quarantine_note(turn(("o:oven",), oven=0.0, bicycle=0.4)) is None
    assert quarantine_note(turn((), oven=0.3)) is None
    said = quarantine_note(turn(("o:oven", "o:stove"), oven=0.3, stove=0.0)) or ""
    assert said.startswith("1 memory reads like instructions to a model and stays out of the prompt")
    assert "o:oven." in said
    assert "o:stove" not in said
    pinned = quarantine_note(turn(("o:pinned", "o:oven"), oven=0.2)) or ""
    assert pinned.startswith("2 memories read like instructions to a model and stay out of the prompt")


@pytest.mark.requirement("ruling:D22", "promise:9")
def test_where_no_model_is_asked_nothing_is_said_of_a_prompt() -> None:
    said = quarantine_note(turn(("o:oven",), "extractive", oven=0.3)) or ""
    assert said.startswith("1 memory reads like instructions to a model and stays out of the answer: o:oven. ")
    assert "prompt" not in said
