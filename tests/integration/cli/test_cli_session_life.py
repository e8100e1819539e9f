"""`voice sessions edit | fork | diff | delete`, and what list and show say of them."""

import json

import pytest

from cli_runner import Documented, Voice

pytestmark = pytest.mark.requirement("sessions:lifecycle", "sessions:fork")


@pytest.fixture
def told(voice: Voice) -> str:
    """Hold two conversations, one of them forked, and return the id of the one that was."""
    voice.ok("remember", "Moved the kiln to the shed behind the house.")
    voice.ok("remember", "The blue glaze needs cobalt and two firings.")
    voice.ok("remember", "The safe opens with 4711, said Anna.", "--private")
    voice.ok("ask", "Where did I move the kiln?", "--new", "the kiln")
    voice.ok("ask", "What does the blue glaze need?")
    (session,) = voice.ok("sessions", "list", "--json").json
    voice.ok("sessions", "fork", session["id"], "--at", "1", "--topic", "another kiln")
    voice.ok("ask", "What opens the safe?", "--private")
    return session["id"]


def listed(voice: Voice, *options: str) -> list[str]:
    return [each["thread_topic"] for each in voice.ok("sessions", "list", "--json", *options).json]


def test_each_change_says_what_the_conversation_has_become_and_a_list_is_narrowed_to_it(
    voice: Voice, told: str, is_as_documented: Documented
) -> None:
    for command, said in (
        (("the kiln", "--topic", "the oven"), "open  the oven"),
        ((told, "--topic-status", "abandoned"), "open, topic abandoned  the oven"),
        (("the oven", "--status", "closed"), "closed, topic abandoned  the oven"),
        (("the oven", "--topic", "a", "--topic-status", "resolved"), "closed, topic resolved  a"),
    ):
        assert voice.ok("sessions", "edit", *command).out == f"{told}  {said}\n"
    is_as_documented("cli/sessions-change", voice.ok("sessions", "edit", told, "--topic-status", "open", "--json"))
    assert "say what to change" in voice("sessions", "edit", told).only_line
    shown = voice.ok("sessions", "list").out
    assert ("  a fork, open  another kiln\n" in shown, f"  {'closed':<12}  a\n" in shown) == (True, True), shown
    is_as_documented("cli/sessions-list", voice.ok("sessions", "list", "--json"))
    assert listed(voice, "--status", "closed") == ["a"]
    nothing = voice.ok("sessions", "list", "--status", "expired")
    assert (nothing.out, nothing.err) == ("", "No conversations match.\n")
    taken = voice.ok("sessions", "edit", told, "--topic", "Another kiln")
    assert "has the same topic; name each by its id" in taken.only_line
    assert voice("sessions", "show", "another kiln").code == 2


def test_a_fork_says_what_it_shares_and_is_compared_turn_beside_turn(
    voice: Voice, told: str, is_as_documented: Documented
) -> None:
    shown = voice.ok("sessions", "diff", told, "another kiln").out
    assert "the first turn is shared\n\nturn 2\nA > What does the blue glaze need?\nA   The blue glaze" in shown
    assert shown.endswith("\nB   private; --private shows it\n")
    assert ("Anna" in shown, "safe" in shown) == (False, False)
    swapped = voice.ok("sessions", "diff", "another kiln", told).out
    assert "turn 2\nA   private; --private shows it\nB > What does the blue glaze need?\nB   The blue" in swapped
    everything = voice.ok("sessions", "diff", told, "another kiln", "--private").out
    assert "A > What does the blue glaze need?\nB > What opens the safe?\n" in everything
    for options in ((), ("--private",)):
        document = voice.ok("sessions", "diff", told, "another kiln", "--json", *options)
        is_as_documented("cli/sessions-diff", document)
        assert ("Anna" in document.out) == bool(options)
    made = voice.ok("sessions", "fork", "the kiln", "--json")
    is_as_documented("cli/sessions-change", made)
    assert made.json["forked_from"] == {"session_id": told, "turn": 2}
    assert made.json["thread_topic"] == "from turn 2: the kiln"
    shown = voice.ok("sessions", "show", "another kiln", "--plain", "--private").out
    assert f"Turn 1 is shared with {told}." in shown
    assert shown.count("\nturn ") == 2
    more = voice.ok("sessions", "show", made.json["id"], "--plain").out
    assert f"Turns 1 to 2 are shared with {told}." in more
    assert "give a number from 1 to 2" in voice.refused("sessions", "fork", "the kiln", "--at", "3")


def test_nothing_is_deleted_without_a_word(voice: Voice, told: str, is_as_documented: Documented) -> None:
    silent = voice("sessions", "delete", "another kiln")
    assert (silent.code, "--dry-run" in silent.err, "--yes" in silent.err) == (2, True, True)
    blocked = voice.refused("sessions", "delete", told, "--yes")
    assert ("another kiln" in blocked, "--with-forks" in blocked) == (True, True)
    for options in (("--with-forks",), ()):
        dry = voice.ok("sessions", "delete", told, *options, "--dry-run")
        assert [line[:12] for line in dry.out.splitlines()] == ["would delete", "would delete"]
        assert ("delete them together: --with-forks" in " ".join(dry.err.split())) is not bool(options)
        told_so = voice.ok("sessions", "delete", told, *options, "--dry-run", "--json")
        is_as_documented("cli/sessions-delete", told_so)
        assert told_so.json["needs_with_forks"] is not bool(options)
    typed = voice.typed("delet\n", "sessions", "delete", "another kiln")
    refusal = 'voice: you did not type "delete", so nothing was deleted [invalid_params]'
    assert (typed.code, refusal in typed.err, sorted(listed(voice))) == (2, True, ["another kiln", "the kiln"])
    assert voice.typed("delete\n", "sessions", "delete", "another kiln").code == 0
    assert listed(voice) == ["the kiln"]


def test_what_is_deleted_is_listed_nowhere_and_counted_still(
    voice: Voice, told: str, is_as_documented: Documented
) -> None:
    before = voice.ok("report", "--by", "prompt", "--json").json
    gone = voice.ok("sessions", "delete", told, "--with-forks", "--yes", "--json")
    is_as_documented("cli/sessions-delete", gone)
    assert gone.json["turns"] == 3
    assert listed(voice) == []
    assert voice.ok("report", "--by", "prompt", "--json").json == before
    assert "deleted" in voice.ok("report").out
    again = voice.ok("sessions", "delete", told, "--yes", "--json")
    is_as_documented("cli/sessions-delete", again)
    assert again.json == {"sessions": [], "turns": 0, "deleted": False, "dry_run": False, "needs_with_forks": False}
    assert "deleted before" in voice.ok("sessions", "delete", told).out
    for command in (("show", told), ("replay", told), ("audit", told)):
        assert "was deleted" in voice.refused("sessions", *command)
    voice.ok("maintain", "verify")
    voice.ok("maintain", "backup", str(voice.home / "after.backup"))
    kept = (voice.home / "after.backup").read_text(encoding="utf-8")
    exchanges = [json.loads(line)["value"] for line in kept.splitlines() if '"kind":"exchanges"' in line]
    assert len(exchanges) == 3
    assert not [each for each in exchanges if each["my_query"] or each["answer"] or each["sources"] or each["link"]]
    assert "another kiln" not in kept
