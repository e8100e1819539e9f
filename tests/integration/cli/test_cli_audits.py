"""Answers and prompts that were stored, audited and replayed on the command line."""

import pytest

from cli_runner import Documented, Voice, bury

QUESTION = "Where is the kiln?"


@pytest.mark.requirement("promise:9")
def test_an_audit_ends_with_seven_once_something_fell(told: Voice, is_as_documented: Documented) -> None:
    assert "nothing to verify" in told.ok("sessions", "audit").out
    told.ok("ask", QUESTION)
    assert "all" not in told.ok("sessions", "audit", "--all").out.splitlines()[0]
    (listed,) = told.ok("sessions", "list", "--json").json
    assert told.ok("sessions", "audit", "--all").out.startswith(f"✓ {listed['id'][:12]}  {QUESTION}  1 sentence of ")
    is_as_documented("cli/sessions-audit", told.ok("sessions", "audit", QUESTION, "--json"))
    bury(told)
    ran = told("sessions", "audit")
    assert (ran.code, "source removed" in ran.out, "Moved the kiln" in ran.out) == (7, True, True)
    document = told("sessions", "audit", "--json")
    is_as_documented("cli/sessions-audit", document)
    assert (document.code, document.json["grounded"]) == (7, False)
    assert told("sessions", "audit", QUESTION, "--all").code == 2
    assert told("sessions", "audit", "no such conversation").code == 2


@pytest.mark.requirement("promise:6", "promise:9")
def test_a_sentence_whose_words_went_with_another_row_is_said_not_to_be_judged_and_not_repeated(
    voice: Voice, is_as_documented: Documented
) -> None:
    voice.ok("remember", "The blue glaze needs cobalt and two firings.")
    voice.ok("remember", "Anna measured a blood pressure of 150 beside the blue glaze.")
    voice.ok("ask", "What do I know about the blue glaze?")
    voice.ok("redact", "--matching", "blood pressure", "--yes")
    ran = voice("sessions", "audit")
    assert (ran.code, "no longer supported" in ran.out) == (7, False)
    assert "sentence 1: source redacted  o:" in ran.out
    assert ran.out.splitlines()[0].endswith("  2 sentences of 1 answer: 2 with a source that was redacted")
    assert ran.out.count("it cannot be judged)") == 1
    assert ran.out.count("(not shown: a row it rests on was redacted)") == 1
    document = voice("sessions", "audit", "--private", "--json")
    is_as_documented("cli/sessions-audit", document)
    assert ("blood" in document.out, "redacted" in document.out) == (False, True)


@pytest.mark.requirement("ruling:D20")
def test_a_replay_proves_every_prompt_and_shows_none_unless_asked(told: Voice, is_as_documented: Documented) -> None:
    first = told.ok("ask", QUESTION, "--json").json
    told("ask", "Who won the marathon in Oslo?")
    ran = told.ok("sessions", "replay", QUESTION)
    assert "1 proven, 1 nothing was sent" in ran.out
    assert "Rules" not in ran.out
    is_as_documented("cli/sessions-replay", told.ok("sessions", "replay", first["id"], "--json"))
    shown = told.ok("sessions", "replay", first["id"], "--show")
    assert f"## Question\n{QUESTION}" in shown.out
    document = told.ok("sessions", "replay", first["id"], "--show", "--json")
    is_as_documented("cli/sessions-replay", document)
    assert QUESTION in document.out
    bury(told)
    gone = told("sessions", "replay", QUESTION)
    assert (gone.code, "was removed" in gone.out) == (8, True)
    assert told("sessions", "replay", "x:none").code == 2


@pytest.mark.requirement("promise:6")
def test_the_words_of_private_turns_are_audited_and_not_shown(voice: Voice) -> None:
    voice.ok("remember", "--private", "Moved the kiln to the shed.")
    turn = voice.ok("ask", QUESTION, "--private", "--json").json["id"]
    assert "the session's id" in voice("ask", QUESTION, "-s", "A private conversation").err
    for command in (["audit", "--json"], ["replay", turn, "--show", "--json"]):
        assert "Moved the kiln" not in voice.ok("sessions", *command).out
        assert "Moved the kiln" in voice.ok("sessions", *command, "--private").out
    assert "--private shows it" in voice.ok("sessions", "replay", turn, "--show").out
    bury(voice)
    assert "--private shows it" in voice("sessions", "audit").out
