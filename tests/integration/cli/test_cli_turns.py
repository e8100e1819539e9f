"""Asking, and looking at what was asked: `ask`, `chat`, `retrieve`, `sessions`, `report`, `prompts`."""

import csv
import json

import pytest

from cli_runner import SETTINGS, Documented, Voice

QUESTION = "Where is the kiln?"


@pytest.mark.requirement("grounding:markup")
def test_a_search_shows_links_and_emphasis_by_their_words_and_json_as_they_are_written(voice: Voice) -> None:
    voice.ok("remember", "The **kiln** is in the [shed](https://x.org/a).")
    assert "The kiln is in the shed." in voice.ok("retrieve", "kiln").out
    assert "The **kiln** is in the [shed](https://x.org/a)." in voice.ok("retrieve", "kiln", "--json").out


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
@pytest.mark.parametrize(
    ("arguments", "stdin", "topic"),
    [
        (["--new", QUESTION], b"", QUESTION),
        (["--new", QUESTION, "--private"], b"", "a private conversation"),
        (["--new", "the kiln"], QUESTION.encode(), "the kiln"),
        (["--new", "the kiln", QUESTION], b"", "the kiln"),
    ],
)
def test_new_starts_a_session_and_holds_the_question_where_nothing_else_does(
    told: Voice, arguments: list[str], stdin: bytes, topic: str
) -> None:
    told.ok("ask", "Who fired the kiln?")
    answer = told.ok("ask", *arguments, "--json", stdin=stdin).json
    assert "Moved the kiln to the shed." in answer["answer"]
    session = told.ok("sessions", "show", answer["session_id"], "--private", "--json").json
    assert (session["thread_topic"], session["total_exchanges"]) == (topic, 1)


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


@pytest.mark.requirement("sessions:idempotency")
def test_another_question_under_the_same_key_is_refused_in_one_line(told: Voice) -> None:
    told.ok("ask", QUESTION, "--idempotency-key", "call 1")
    said = told.refused("ask", "Who moved the kiln?", "--idempotency-key", "call 1")
    assert ("used for another question" in said, said.endswith("[key_reused]")) == (True, True)


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


@pytest.mark.requirement("ruling:A22", "s3:api:response", "s3:api:limit", "s3:api:order")
def test_the_short_shape_takes_s3s_parameters(told: Voice, is_as_documented: Documented) -> None:
    ran = told.ok("ask", QUESTION, "--json", "--shape", "nlq", "--limit", "5", "--order", "created_at_asc")
    is_as_documented("cli/ask-nlq", ran)
    assert ran.json.keys() == {"answer", "sources"}


def test_an_explained_answer_says_how_it_was_read(told: Voice, is_as_documented: Documented) -> None:
    ran = told.ok("ask", QUESTION, "--json", "--explain", "--limit", "7")
    is_as_documented("cli/ask-reading", ran)
    search = ran.json["search"]
    assert (search["limit"], search["partial"]) == (7, False)


def test_a_question_can_be_piped_in_and_continued(told: Voice) -> None:
    first = told.ok("ask", "--new", "the kiln", "--json", stdin=QUESTION.encode()).json
    second = told.ok("ask", "-c", QUESTION, "--json").json
    third = told.ok("ask", "-s", "the kiln", QUESTION, "--json").json
    assert [each["session_id"] for each in (second, third)] == [first["session_id"]] * 2
    assert [each["index"] for each in (first, second, third)] == [0, 1, 2]


def test_there_is_nothing_to_continue_before_the_first_question(told: Voice) -> None:
    assert "[no_session]" in told.refused("ask", "-c", QUESTION)


@pytest.mark.parametrize("options", [["-c", "--new", "x"], ["-c", "-s", "x"], ["-s", "x", "--new", "y"]])
def test_a_question_goes_into_one_session(told: Voice, options: list[str]) -> None:
    assert "choose one of" in told.refused("ask", QUESTION, *options)


@pytest.mark.requirement("ruling:A8")
@pytest.mark.parametrize("command", [["ask", QUESTION], ["chat"], ["retrieve", "kiln"], ["organise", "kiln"]])
def test_asking_is_switched_off_until_it_is_switched_on(told: Voice, command: list[str]) -> None:
    told.settings(SETTINGS.replace("enabled = true", ""))
    said = told.refused(*command, code=4)
    assert ("[feature_disabled]" in said, "SURR_ENABLE_INNER_VOICE=1" in said) == (True, True)


@pytest.mark.requirement("ruling:A23")
def test_a_model_without_its_key_says_what_to_set_and_falls_back_to_nothing(told: Voice) -> None:
    assert "OPENAI_API_KEY" in told.refused("ask", QUESTION, "-m", "openai/gpt-5", code=4)


@pytest.mark.requirement("ruling:A9")
def test_snippets_come_in_the_published_form(told: Voice, is_as_documented: Documented) -> None:
    is_as_documented("retrieve", told.ok("retrieve", "Moved the kiln to the shed.", "--floor", "0", "--json"))
    explained = told.ok("retrieve", "Moved the kiln to the shed.", "--floor", "0", "--json", "--explain")
    is_as_documented("retrieve-explain", explained)


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


def test_sessions_are_listed_and_shown(told: Voice, is_as_documented: Documented) -> None:
    empty = told.ok("sessions", "list")
    assert (empty.out, "No conversations yet" in empty.only_line) == ("", True)
    told.ok("ask", "--new", "the kiln", QUESTION)
    is_as_documented("cli/sessions-list", told.ok("sessions", "list", "--json"))
    assert "1 turn  open  the kiln" in told.ok("sessions", "list").out
    shown = told.ok("sessions", "show", "the kiln").out
    assert "the kiln (s:" in shown
    assert f"> {QUESTION}" in shown
    assert "✓ Moved the kiln to the shed." in shown


def test_a_report_comes_as_table_json_and_csv(told: Voice, is_as_documented: Documented) -> None:
    told.ok("ask", QUESTION)
    told("ask", "Who won the marathon in Oslo?")
    is_as_documented("cli/report", told.ok("report", "--json", "--by", "model"))
    table = told.ok("report", "--since", "today").out
    assert "refused or failed: " in table
    rows = list(csv.reader(told.ok("report", "tokens", "--csv", "--by", "day").out.splitlines()))
    assert rows[0][:2] == ["day", "turns"]
    assert rows[-1][:2] == ["total", "2"]
    assert "total" in told.ok("report", "cost").out


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


def test_json_holds_nothing_that_steers_a_terminal(voice: Voice) -> None:
    voice.ok("remember", "The word \u202eevil\u202c and \x9b31m are in here.")
    ran = voice.ok("retrieve", "The word evil", "--floor", "0", "--json")
    assert not set(ran.out) & set("\x9b\u202e\u202c")
    assert "\u202eevil" in json.dumps(ran.json, ensure_ascii=False)


def test_an_answer_comes_in_the_form_that_was_asked_for(told: Voice, is_as_documented: Documented) -> None:
    assert told.ok("ask", QUESTION, "--format", "text").out.startswith("✓ Moved the kiln to the shed. [1]")
    assert "**Sources:**" in told.ok("ask", QUESTION, "--format", "markdown").out
    is_as_documented("cli/ask", told.ok("ask", QUESTION, "--format", "json"))
    plain = told.ok("ask", QUESTION, "--plain").out
    assert plain.startswith("Sentence 1, quoted from source 1: Moved the kiln to the shed.\n")
    assert plain in told.ok("sessions", "show", QUESTION, "--plain").out
    assert told.ok("chat", "--plain", stdin=f"{QUESTION}\n\n".encode()).out == plain


@pytest.mark.parametrize(
    "options", [["--json", "--format", "text"], ["--plain", "--json"], ["--plain", "--format", "markdown"]]
)
def test_forms_that_exclude_one_another_are_a_usage_error(told: Voice, options: list[str]) -> None:
    assert told("ask", QUESTION, *options).code == 2
