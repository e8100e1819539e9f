"""`voice chat`, its questions and its commands, with lines from a pipe."""

import pytest

from cli_runner import Voice

QUESTION = "Where is the kiln?"


def said_on(voice: Voice, *lines: str, options: tuple[str, ...] = ()) -> list[str]:
    """Return what a conversation says on stderr, line by line, without its greeting and its prompts."""
    ran = voice.ok("chat", *options, stdin="".join(f"{line}\n" for line in lines).encode())
    return [line.removeprefix("> ") for line in ran.err.replace("> > ", "> ").splitlines()[1:]]


@pytest.mark.requirement("cli:chat:lines")
def test_a_conversation_runs_line_by_line_to_the_end_and_an_empty_line_does_nothing(told: Voice) -> None:
    unasked = "x" * 30_000
    doubted = "/stance challenge\n\n  \nThe kiln is in the house."
    lines = f"{unasked}\n{QUESTION}\n{doubted}\n/new the shed\n{QUESTION}\n/help\n/what"
    ran = told.ok("chat", "--new", "the kiln", stdin=lines.encode())
    assert ran.out.count("Moved the kiln to the shed.") >= 2
    assert "[invalid_params]" in ran.err
    assert ran.err.count("/stance [synthesize|challenge|question]") == 1
    assert "the stance is challenge from now on" in ran.err
    assert "your next question starts a new conversation: the shed" in ran.err
    assert "voice: unknown command /what; /help lists the commands" in ran.err
    sessions = told.ok("sessions", "list", "--json").json
    assert {(each["thread_topic"], each["total_exchanges"]) for each in sessions} == {("the kiln", 2), ("the shed", 1)}


def test_a_conversation_is_left_by_a_word_and_ends_where_the_input_does(told: Voice) -> None:
    ran = told.ok("chat", stdin=f"/EXIT\n{QUESTION}\n".encode())
    assert (ran.out, ran.err.count("> "), "there is no" in ran.err) == ("", 1, False)
    assert told.ok("chat", stdin=b"\n").err.endswith("> \n")


@pytest.mark.requirement("cli:chat:lines")
def test_a_backslash_at_the_end_takes_the_next_line_along(told: Voice) -> None:
    ran = told.ok("chat", stdin=b"Where is \\\nthe kiln?\n")
    assert "Moved the kiln to the shed." in ran.out
    assert "> . > " in ran.err
    assert told.ok("chat", stdin=b"/new the \\").err.endswith("your next question starts a new conversation: the\n> \n")


def test_a_conversation_that_cannot_begin_ends_at_once(told: Voice) -> None:
    for options, said in (
        (("-s", "the kiln", "--new", "the shed"), "voice: choose one of -s ID and --new TOPIC"),
        (("-s", "nope"), "voice: there is no session 'nope'; `voice sessions list` shows them [unknown_id]\n"),
        (("--when", "blurb"), "voice: the time in `when` is unclear; "),
    ):
        ran = told("chat", *options, stdin=f"{QUESTION}\n".encode())
        assert (ran.code, ran.err.startswith(said)) == (2, True)


@pytest.mark.requirement("cli:chat:commands")
def test_the_sources_of_the_last_answer_are_opened_and_pinned_by_their_number(told: Voice) -> None:
    lines = (QUESTION, "/open 1", "/open 3", "/pin 1 she knows", "/pin 1", "Is the harbour deep?", "/forget 4", "")
    ran = told.ok("chat", stdin="\n".join(lines).encode())
    assert "«Moved the kiln to the shed.» Anna Lund fired the kiln at cone 6 on Friday." in ran.out
    assert "voice: the last answer has 1 source; choose 1" in ran.err
    assert "voice: say why it matters: /pin 1 REASON" in ran.err
    assert "voice: the last refusal shows 2 passages; choose 1 to 2" in ran.err
    (pin,) = told.ok("pins", "list", "--json").json
    assert pin["reason"] == "she knows"


@pytest.mark.requirement("cli:chat:commands")
def test_what_a_refusal_shows_is_opened_pinned_corrected_and_forgotten_by_its_number(told: Voice) -> None:
    deeds = ("/open 1", "/open 9", "/pin 1 she knows", "/correct --dry-run 1 It moved.", "/forget --dry-run 1")
    ran = told.ok("chat", stdin="\n".join(("Who is the mayor of Porto?", *deeds)).encode())
    closest, _, opened = ran.out.partition("Closest in your notes:**\n1. [")[2].partition("«")
    said = ("refusal shows 2 passages; choose 1 to 2", "is pinned", "becomes: It moved.", "would forget this sentence")
    assert closest.partition("]")[0] in opened
    assert [each for each in said if each not in f"{opened}{ran.err}"] == []


@pytest.mark.requirement("cli:chat:commands")
def test_an_answer_tells_why_it_stands_and_what_it_cost_also_in_a_later_run(told: Voice) -> None:
    now = told.ok("chat", stdin=f"{QUESTION}\n/why\n/cost\n".encode())
    later = told.ok("chat", stdin=b"/why\n/cost\n")
    for ran in (now, later):
        assert "✓ Moved the kiln to the shed. [1]\n    quoted word for word\n" in ran.out
        assert "this conversation: 1 turn, 0 tokens, $0.0000\n" in ran.out
        assert "the last answer: 0 tokens, $0.0000, extractive/extractive-1\n" in ran.out
    assert ("understood " in now.err, "understood " in later.err) == (True, False)


@pytest.mark.requirement("cli:chat:commands")
def test_conversations_are_listed_switched_forked_and_undone(told: Voice) -> None:
    told.ok("ask", QUESTION, "--new", "the shed")
    told.ok("sessions", "edit", "the shed", "--status", "closed")
    lines = (
        *(QUESTION, "/undo", QUESTION, "/switch the shed", "/fork 1 elsewhere", "Who fired the kiln?", "/undo"),
        *("/sessions 2", "/sessions none", "/switch nowhere"),
    )
    told_of = "\n".join(said_on(told, *lines, options=("--new", "the kiln")))
    assert "you are back before “Where is the kiln?”; the conversation with that question is stored as s:" in told_of
    assert "1 turn; it was closed and is open again" in told_of
    assert "you are in “elsewhere” (s:" in told_of
    assert "which shares 1 turn with s:" in told_of
    assert "you are back before “Who fired the kiln?”" in told_of
    assert "voice: give a number from 1 to 1,000, such as /sessions 10" in told_of
    assert "voice: there is no session 'nowhere'; /sessions shows them [unknown_id]" in told_of
    assert sorted(each["total_exchanges"] for each in told.ok("sessions", "list", "--json").json) == [1, 1, 1, 1, 2]


@pytest.mark.requirement("cli:chat:commands")
def test_where_nothing_was_asked_or_meant_each_command_says_so(told: Voice) -> None:
    looks, needs, options = (
        ("/why", "/open 1", "/pin 1 x", "/forget 1"),
        ("/cost", "/undo", "/fork"),
        ("--yes", "--in t:1"),
    )
    said = said_on(told, *looks, "/new x", *needs, *(f"/correct {each}" for each in options))
    assert said[:4] == ["voice: this conversation has no answer yet; ask a question first"] * 4
    assert said[5:8] == ["voice: this conversation has no question yet; ask one first"] * 3
    assert [each for each in said[8:10] if "/correct is incomplete; type /correct NUMBER|ID|" not in each] == []


@pytest.mark.requirement("cli:chat:commands")
def test_an_answer_from_private_notes_is_looked_at_only_where_they_were_asked_for(told: Voice) -> None:
    told.ok("remember", "The spare key hangs behind the stove.", "--private")
    lines = b"/open 1\n/why\n"
    shown = told.ok("chat", "--private", stdin=b"Where is the spare key?\n" + lines)
    assert "«The spare key hangs behind the stove.»" in shown.out
    kept = told.ok("chat", stdin=lines)
    assert kept.out == ""
    assert kept.err.count("voice: the last answer uses private notes; `voice chat --private` shows them") == 2


@pytest.mark.requirement("cli:chat:stance")
def test_a_new_thread_says_that_the_stance_goes_on(told: Voice) -> None:
    said = said_on(told, "/new the oven", "/stance challenge", "/new the shed", "/stance")
    begins = "your next question starts a new conversation: "
    assert said[0] == f"{begins}the oven"
    assert said[2].startswith(f"{begins}the shed; the stance stays challenge")
    assert "type /stance synthesize" in said[2]
    assert said[3].startswith("the stance is challenge;")


@pytest.mark.requirement("grounding:refusal:no-model")
def test_no_model_is_said_to_have_refused_where_none_was_asked(told: Voice) -> None:
    ran = told.ok("chat", stdin=b"/stance challenge\nThe kiln is in the shed.\n")
    assert "I found nothing in your memory that speaks against this" in ran.out
    assert "*Reason: no_sources*" in ran.out


@pytest.mark.requirement("answers:small-talk")
def test_small_talk_is_answered_without_a_tick_or_a_figure_of_proof_and_written_down(voice: Voice) -> None:
    for form in (("--format", "markdown"), ("--format", "text"), ("--plain",)):
        ran = voice.ok("ask", "Hi there!", *form)
        assert "Ask me about anything in your notes." in ran.out
        assert not [sign for sign in ("✓", "overage", "source", "prove") if sign in ran.out]
    assert "answered    no model call" in voice.ok("ask", "Hi there!", "--dry-run").out
    ran = voice.ok("chat", "--new", "the kiln", stdin=b"what can you do?\nbye\n")
    assert [said for said in ("I search your notes", "Goodbye.") if said not in ran.out] == []
    written = voice.ok("sessions", "export", "the kiln", "--format", "markdown").out
    assert ("Goodbye." in written, "Coverage" in written) == (True, False)


@pytest.mark.requirement("cli:chat:commands")
def test_a_source_is_corrected_in_its_note_shown_before_and_confirmed(voice: Voice) -> None:
    voice.ok("remember", "The drill is in the attic. Ben bought it in May.")
    asked = "What about the drill?"
    refused = said_on(voice, asked, "/correct 1 The drill is in the cellar.")
    several = "source 1 has 2 quoted sentences: type words of the right one instead of 1"
    assert [line for line in refused if several in line]
    refused = said_on(voice, asked, '/correct "the attic" "the cellar"')
    assert "    becomes: The drill is in the cellar." in refused
    assert "voice: this changes your note; preview it with --dry-run, then confirm with --yes" in refused
    assert "The drill is in the attic." in voice.ok("export", "-").out
    out = voice.ok("chat", stdin=f"{asked}\n/correct --yes 'the attic' 'the cellar'\n{asked}\n".encode()).out
    assert ("still says this" in out, "contradicts" in out) == (False, False)
    said = voice.ok("ask", asked).out
    assert ("The drill is in the cellar." in said, "attic" in said) == (True, False)
    assert "The drill is in the cellar. Ben bought it in May." in voice.ok("export", "-").out


@pytest.mark.requirement("cli:chat:commands")
def test_an_option_amid_the_words_confirms_nothing_and_is_stored_only_where_it_is_said(told: Voice) -> None:
    lines = ("/remember The oven is red. --yes", "/remember The {} flag skips the question.", "/pin 1 --yes it matters")
    amid = "/correct 1 Moved --yes the kiln to the barn."
    said = "\n".join(said_on(told, QUESTION, amid, "/remember --yes", *(line.format("--yes") for line in lines)))
    assert "voice: --yes is among your words; put it first: /correct --yes …" in said
    assert "--yes is not a note; type /remember TEXT. Nothing was stored" in said
    assert said.count("ignored --yes: this command does not ask you to confirm") == 2
    assert said.count("--yes is among your words, so voice stores it with them") == 1
    exported = told.ok("export", "-").out
    assert (exported.count("--yes") == exported.count("The --yes flag") > 0, "barn" in exported) == (True, False)
    assert '"reason": "it matters"' in told.ok("pins", "list", "--json").out
