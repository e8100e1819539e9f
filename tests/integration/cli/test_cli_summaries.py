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


def test_a_conversation_is_shown_with_its_summary_and_the_turns_behind_each_line(
    folded: Voice, is_as_documented: Documented
) -> None:
    shown = folded.ok("sessions", "show", QUESTION)
    assert "Summary of 2 earlier turns (revision 1):" in shown.out
    assert "Moved the kiln to the shed.  (turns 1, 2)" in shown.out
    assert all(f"\nturn {number}  x:" in shown.out for number in (1, 2, 3, 4))
    document = folded.ok("sessions", "show", QUESTION, "--json")
    is_as_documented("cli/sessions-show", document)
    lines = document.json["rolling_summary"]["lines"]
    assert [line["turns"] for line in lines] == [[1, 2], [2]]
    assert all(line["row_ids"] and line["written_by"] == "answer" for line in lines)


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


def test_a_private_summary_is_not_shown_unless_it_is_asked_for(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW", "1")
    monkeypatch.setenv("SURR_INNER_VOICE_WINDOW_KEEP", "1")
    voice.ok("remember", "Moved the kiln to the shed.", "--private")
    for _ in range(2):
        voice.ok("ask", QUESTION, "--private")
    session = voice.ok("sessions", "list", "--json").json[0]["id"]
    for command in ("show", "summarise"):
        assert "Moved the kiln" not in voice.ok("sessions", command, session).out
        assert "Moved the kiln" in voice.ok("sessions", command, session, "--private").out


@pytest.mark.requirement("ruling:D20")
def test_a_replay_says_which_revision_of_the_summary_a_prompt_showed(folded: Voice) -> None:
    lines = [line for line in folded.ok("sessions", "replay", QUESTION).out.splitlines() if "x:" in line]
    assert ["(summary revision 1)" in line for line in lines] == [False, False, False, True]
