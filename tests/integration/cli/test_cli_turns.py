"""Asking, and looking at what was asked: `ask`, `chat`, `retrieve`, `sessions`, `report`, `prompts`."""

import pytest

from cli_runner import SETTINGS, Documented, Voice

QUESTION = "Where is the kiln?"


@pytest.mark.requirement("promise:1")
def test_an_answer_is_printed_with_its_sources_and_kept(told: Voice, is_as_documented: Documented) -> None:
    ran = told.ok("ask", QUESTION, "--json")
    is_as_documented("cli/ask", ran)
    answer = ran.json
    assert answer["status"] == "answered"
    assert "Moved the kiln to the shed." in answer["answer"]
    shown = told.ok("sessions", "show", answer["session_id"], "--json")
    is_as_documented("cli/sessions-show", shown)
    (kept,) = shown.json["exchanges"]
    assert {**kept, "replayed": False, "skipped": [], "warnings": []} == answer


@pytest.mark.requirement("cli:ask:new")
def test_new_starts_a_session_and_holds_the_question_where_nothing_else_does(told: Voice) -> None:
    assert "[no_session]" in told.refused("ask", "-c", QUESTION)
    told.ok("ask", "Who fired the kiln?")
    for arguments, stdin, topic in (
        (["--new", QUESTION], b"", QUESTION),
        (["--new", QUESTION, "--private"], b"", "a private conversation"),
        (["--new", "the kiln"], QUESTION.encode(), "the kiln"),
    ):
        answer = told.ok("ask", *arguments, "--json", stdin=stdin).json
        assert "Moved the kiln to the shed." in answer["answer"]
        session = told.ok("sessions", "show", answer["session_id"], "--private", "--json").json
        assert (session["thread_topic"], session["total_exchanges"]) == (topic, 1)
    assert "choose one of" in told.refused("ask", QUESTION, "-c", "--new", "x")
    assert told("ask", QUESTION, "--plain", "--json").code == 2


@pytest.mark.requirement("sessions:idempotency")
def test_the_same_question_under_the_same_key_gets_its_first_answer(told: Voice, is_as_documented: Documented) -> None:
    first = told.ok("ask", QUESTION, "--json", "--idempotency-key", "call 1")
    told.ok("remember", "The kiln went back to the house, the shed is empty.")
    again = told.ok("ask", QUESTION, "--json", "--idempotency-key", "call 1")
    read = told.ok("ask", QUESTION, "--idempotency-key", "call 1")
    is_as_documented("cli/ask", again)
    assert {**again.json, "replayed": False} == first.json
    assert again.json["replayed"] is True
    assert "Moved the kiln to the shed." in read.out
    assert "you already asked this with the same idempotency key" in read.only_line


def test_a_plain_answer_lists_its_sources(told: Voice) -> None:
    ran = told.ok("ask", QUESTION)
    assert ran.out.startswith("Moved the kiln to the shed.")
    assert "**Sources:**\n1. [o:" in ran.out
    assert ran.err == ""


@pytest.mark.requirement("promise:2")
def test_a_refusal_is_an_answer_with_an_exit_code_of_its_own(told: Voice, is_as_documented: Documented) -> None:
    ran = told("ask", "Who won the marathon in Oslo?", "--json")
    assert ran.code == 3
    is_as_documented("cli/ask", ran)
    assert ran.json["sentences"] == []


def test_a_question_can_be_piped_in_and_continued(told: Voice) -> None:
    first = told.ok("ask", "--new", "the kiln", "--json", stdin=QUESTION.encode()).json
    second = told.ok("ask", "-c", QUESTION, "--json").json
    third = told.ok("ask", "-s", "the kiln", QUESTION, "--json").json
    assert [each["session_id"] for each in (second, third)] == [first["session_id"]] * 2
    assert [each["index"] for each in (first, second, third)] == [0, 1, 2]


@pytest.mark.requirement("ruling:A8")
def test_asking_is_switched_off_until_it_is_switched_on(told: Voice) -> None:
    told.settings(SETTINGS.replace("enabled = true", ""))
    for command in (["ask", QUESTION], ["chat"], ["retrieve", "kiln"], ["organise", "kiln"]):
        said = told.refused(*command, code=4)
        assert ("[feature_disabled]" in said, "SURR_ENABLE_INNER_VOICE=1" in said) == (True, True)


def test_snippets_are_printed_with_their_ids_and_what_was_left_out(told: Voice) -> None:
    shown = told.ok("retrieve", "Moved the kiln to the shed.", "--explain", "-k", "1", "--floor", "0.9").out
    assert ("Moved the kiln to the shed." in shown, "left out" in shown) == (True, True)
    assert "Nothing found" in told.ok("retrieve", "zebra crossing", "--floor", "1", "--tag", "no-such-tag").out


@pytest.mark.requirement("promise:6")
def test_private_rows_are_shown_only_when_asked_for(voice: Voice) -> None:
    voice.ok("remember", "The safe opens with 4711.", "--private")
    assert "4711" not in voice.ok("retrieve", "The safe opens with 4711.").out
    assert "4711" in voice.ok("retrieve", "The safe opens with 4711.", "--private").out
    assert "4711" not in voice("ask", "What opens the safe?").out
    assert "4711" in voice("ask", "What opens the safe?", "--private").out


@pytest.mark.requirement("prompts:registry")
def test_prompts_are_shown_and_listed_with_where_each_is_used_and_which_is_current(
    voice: Voice, is_as_documented: Documented
) -> None:
    shown = voice.ok("prompts", "show", "answer", "--json")
    is_as_documented("cli/prompts-show", shown)
    assert shown.json["text"] == voice.ok("prompts", "show", "answer.v4").out
    told = voice.ok("prompts", "list").out
    assert "earlier  owner voice  used by ask, chat, stance synthesize (voice/services/turn/ask.py)" in told
    listed = voice.ok("prompts", "list", "--json")
    is_as_documented("cli/prompts-list", listed)
    assert {each["name"] for each in listed.json if each["current"]} == {each["name"] for each in listed.json}


def test_an_answer_comes_in_the_form_that_was_asked_for(told: Voice, is_as_documented: Documented) -> None:
    assert told.ok("ask", QUESTION, "--format", "text").out.startswith("✓ Moved the kiln to the shed. [1]")
    assert "**Sources:**" in told.ok("ask", QUESTION, "--format", "markdown").out
    is_as_documented("cli/ask", told.ok("ask", QUESTION, "--format", "json"))
    is_as_documented("cli/ask-nlq", told.ok("ask", QUESTION, "--json", "--shape", "nlq", "--order", "created_at_asc"))
    is_as_documented("cli/ask-reading", told.ok("ask", QUESTION, "--json", "--explain", "--limit", "7"))
    plain = told.ok("ask", QUESTION, "--plain").out
    assert plain.startswith("Sentence 1, quoted from source 1: Moved the kiln to the shed.\n")
    assert plain in told.ok("sessions", "show", QUESTION, "--plain").out
    assert told.ok("chat", "--plain", stdin=f"{QUESTION}\n\n".encode()).out == plain
