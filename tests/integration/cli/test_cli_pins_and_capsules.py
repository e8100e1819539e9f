"""`voice pins`, `voice capsules`, and `voice remember` into them."""

import pytest

from cli_runner import Documented, Voice
from tables import tables

TABLES = tables(__file__)

KILN = "Moved the kiln to the shed."


def opened(voice: Voice, *arguments: str) -> str:
    return voice.ok("capsules", "open", "mend the kiln", "--json", *arguments).json["id"]


@pytest.mark.requirement("ruling:G.2d")
def test_a_row_is_pinned_listed_and_unpinned(voice: Voice, is_as_documented: Documented) -> None:
    row = voice.remember(KILN)
    ran = voice.ok("pins", "add", row, "--reason", "read first", "--for", "7d", "--json")
    is_as_documented("cli/pins-add", ran)
    listed = voice.ok("pins", "list", "--json")
    is_as_documented("cli/pins-list", listed)
    assert listed.json == [ran.json]
    shown = voice.ok("pins", "list").out
    assert (row in shown, "read first\n    " in shown, "until 20" in shown) == (True, True, True)
    removed = voice.ok("pins", "remove", row, "--json")
    is_as_documented("cli/pins-remove", removed)
    assert removed.json == {"removed": [listed.json[0]["id"]]}
    assert "no pin matches" in voice.refused("pins", "remove", row)
    assert "Nothing is pinned" in voice.ok("pins", "list").only_line


@pytest.mark.requirement("ruling:G.2d")
def test_a_pin_that_cannot_be_meant_is_refused(voice: Voice) -> None:
    row = voice.remember(KILN)
    for options, words in TABLES["a_pin_that_cannot_be_meant_is_refused"]:
        assert words in voice.refused("pins", "add", row, *options)
    assert "[unknown_id]" in voice.refused("pins", "add", "t:nothing", "--reason", "x")
    assert voice.ok("pins", "list", "--json").json == []
    voice.ok("pins", "add", row, "--reason", "read first", "--until", "2030-07-14")
    (pin,) = voice.ok("pins", "list", "--json").json
    assert pin["expires_at"] == "2030-07-13T23:00:00Z", "a day in the person's own zone"


@pytest.mark.requirement("ruling:G.2d")
def test_a_pin_on_a_private_summary_is_private_though_others_see_a_public_one(voice: Voice) -> None:
    capsule = opened(voice)
    voice.remember(KILN, "--capsule", capsule)
    voice.ok("capsules", "summarise", capsule, "--private", stdin=b"The thorn must not be told.\n")
    voice.ok("pins", "add", f"m:{capsule}", "--reason", "about the thorn", "--private")
    ran = voice.ok("pins", "list")
    assert (ran.out, ran.only_line) == ("", "voice: 1 private pin left out; --private lists them")
    assert "thorn" not in voice.ok("recall", "kiln", "--json").out
    assert "about the thorn" in voice.ok("pins", "list", "--private").out
    voice.ok("capsules", "summarise", capsule, stdin=b"It fires again.\n")
    assert "thorn" not in voice.ok("pins", "list").out


@pytest.mark.requirement("ruling:A18")
def test_pins_and_capsules_of_a_scope_are_listed_in_it(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(voice.home)
    row = voice.remember(KILN, "--scope", "repo=/r", "--scope", "session=s")
    voice.ok("pins", "add", row, "--reason", "x")
    capsule = opened(voice, "--scope", "repo=/r")
    for what, name in (("pins", row), ("capsules", capsule)):
        assert "[scope_required]" in voice(what, "list").only_line
        for options in (["--scope", "repo=/r"], ["--all-scopes"], ["--scope", "all"]):
            assert name in voice.ok(what, "list", *options).out
        assert name not in voice.ok(what, "list", "--scope", "repo=/other").out


def test_a_capsule_is_opened_filled_summed_up_shown_and_closed(voice: Voice, is_as_documented: Documented) -> None:
    ran = voice.ok("capsules", "open", "mend the kiln", "--json")
    is_as_documented("cli/capsules-open", ran)
    capsule = ran.json["id"]
    thought = voice.remember(KILN, "--kind", "tool_call", "--capsule", capsule)
    summed = voice.ok("capsules", "summarise", capsule, "--confidence", "0.5", "--json", stdin=b"It fires again.\n")
    is_as_documented("cli/capsules-open", summed)
    shown = voice.ok("capsules", "show", capsule[:12], "--json")
    is_as_documented("cli/capsules-show", shown)
    summary, (inside,) = shown.json["summary"], shown.json["thoughts"]
    assert (summary["content"], summary["confidence"], summary["evidence_refs"]) == ("It fires again.", 0.5, [thought])
    assert (inside["id"], inside["kind"], inside["content"]) == (thought, "tool_call", KILN)
    text = voice.ok("capsules", "show", capsule).out
    assert ("confidence 0.50, rests on 1 row)" in text, "tool_call" in text) == (True, True)
    closed = [voice.ok("capsules", "close", capsule, "--json") for _ in range(2)]
    is_as_documented("cli/capsules-open", closed[0])
    assert closed[0].json == closed[1].json
    listed = voice.ok("capsules", "list", "--json")
    is_as_documented("cli/capsules-list", listed)
    assert listed.json == [closed[0].json]
    assert "has a summary" in voice.ok("capsules", "list", "--status", "closed").out
    assert "No capsules" in voice.ok("capsules", "list", "--status", "open").only_line


def test_a_closed_or_unknown_capsule_takes_nothing(voice: Voice) -> None:
    capsule = opened(voice)
    assert "need --summary" in voice("capsules", "close", capsule, "--confidence", "0.2").only_line
    voice.ok("capsules", "close", capsule, "--summary", "It fires.")
    assert "It fires." in voice.ok("capsules", "show", capsule).out
    before = voice.ok("export", "-").out
    for arguments, code in TABLES["a_closed_or_unknown_capsule_takes_nothing"]:
        assert f"[{code}]" in voice.refused(*(capsule if word == "CLOSED" else word for word in arguments))
    assert voice.ok("export", "-").out == before


@pytest.mark.requirement("ruling:H.5")
def test_what_is_private_in_a_capsule_is_shown_only_when_asked_for(voice: Voice) -> None:
    capsule = opened(voice)
    voice.remember(KILN, "--private", "--capsule", capsule)
    voice.ok("capsules", "summarise", capsule, "It fires again.")
    ran = voice.ok("capsules", "show", capsule)
    assert "1 private thought left out" in ran.only_line
    assert ("fires" in ran.out, KILN in ran.out) == (False, False)
    whole = voice.ok("capsules", "show", capsule, "--private").out
    assert ("fires" in whole, KILN in whole) == (True, True)
