"""What a person sees of a conversation's summary, and how it is made again."""

import pytest

from cli_runner import Documented, Voice, bury

pytestmark = pytest.mark.requirement("sessions:summary")
QUESTION = "Where is the kiln?"


@pytest.fixture
def folded(told: Voice, monkeypatch: pytest.MonkeyPatch) -> Voice:
    """Return a voice that was asked four times in a conversation which folds after two."""
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW", "2")
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW_KEEP", "1")
    for question in (QUESTION, "Who fired the kiln?", QUESTION, "Who fired the kiln?"):
        told.ok("ask", question)
    return told


def test_a_summary_is_made_again_at_a_word_and_only_where_that_changes_it(
    folded: Voice, is_as_documented: Documented
) -> None:
    same = folded.ok("sessions", "summarise", QUESTION)
    assert same.err == "nothing to rewrite: the summary is up to date\n"
    assert "Moved the kiln to the shed.  (turns 1, 2)" in same.out
    bury(folded, "Moved the kiln")
    made = folded.ok("sessions", "summarise", QUESTION)
    assert made.err == "rewritten\n"
    assert "(revision 2)" in made.out
    assert "Moved the kiln" not in made.out
    bury(folded, "Anna")
    assert "no sentence of these turns still holds" in folded.ok("sessions", "summarise", QUESTION).out
    document = folded.ok("sessions", "summarise", QUESTION, "--json")
    is_as_documented("cli/sessions-summarise", document)
    assert document.json["changed"] is False
