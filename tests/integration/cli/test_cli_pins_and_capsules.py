"""`voice pins`, `voice capsules`, and `voice remember` into them."""

from collections.abc import Callable, Mapping
from typing import cast

import pytest

from cli_runner import Ran, Voice
from tables import tables

TABLES = tables(__file__)

Documented = Callable[[str, Ran], None]
KILN = "Moved the kiln to the shed."


def remembered(voice: Voice, *arguments: str) -> str:
    return cast("dict[str, str]", voice.ok("remember", KILN, "--json", *arguments).json)["id"]


def opened(voice: Voice, *arguments: str) -> str:
    return cast("dict[str, str]", voice.ok("capsules", "open", "mend the kiln", "--json", *arguments).json)["id"]


def only(ran: Ran) -> Mapping[str, object]:
    (found,) = cast("list[Mapping[str, object]]", ran.json)
    return found


@pytest.mark.requirement("ruling:G.2d")
def test_a_row_is_pinned_listed_and_unpinned(voice: Voice, is_as_documented: Documented) -> None:
    row = remembered(voice)
    ran = voice.ok("pins", "add", row, "--reason", "read first", "--for", "7d", "--json")
    is_as_documented("cli/pins-add", ran)
    listed = voice.ok("pins", "list", "--json")
    is_as_documented("cli/pins-list", listed)
    assert only(listed) == ran.json
    shown = voice.ok("pins", "list").out
    assert (row in shown, "read first\n    " in shown, "until 20" in shown) == (True, True, True)
    removed = voice.ok("pins", "remove", row, "--json")
    is_as_documented("cli/pins-remove", removed)
    assert removed.json == {"removed": [only(listed)["id"]]}
    again = voice("pins", "remove", row)
    assert (again.code, "no pin matches" in again.only_line) == (2, True)
    assert "Nothing is pinned" in voice.ok("pins", "list").only_line


def test_pinning_and_removing_say_what_they_did(voice: Voice) -> None:
    row = remembered(voice)
    said = voice.ok("pins", "add", row, "--reason", "read first").out
    assert said.rstrip().endswith("is pinned until you remove the pin")
    assert voice.ok("pins", "remove", said.split()[0]).out == f"{said.split()[0]} is removed\n"


def test_a_pin_lasts_until_a_day_in_the_persons_own_zone(voice: Voice) -> None:
    row = remembered(voice)
    voice.ok("pins", "add", row, "--reason", "read first", "--until", "2030-07-14")
    assert only(voice.ok("pins", "list", "--json"))["expires_at"] == "2030-07-13T23:00:00Z"


@pytest.mark.requirement("ruling:G.2d")
@pytest.mark.parametrize(
    ("options", "words"),
    TABLES["a_pin_that_cannot_be_meant_is_refused"],
)
def test_a_pin_that_cannot_be_meant_is_refused(voice: Voice, options: list[str], words: str) -> None:
    ran = voice("pins", "add", remembered(voice), *options)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.only_line
    assert voice.ok("pins", "list", "--json").json == []


def test_an_unknown_target_is_a_failure_of_use(voice: Voice) -> None:
    remembered(voice)
    ran = voice("pins", "add", "t:nothing", "--reason", "x")
    assert (ran.code, "[unknown_id]" in ran.only_line) == (2, True)


@pytest.mark.requirement("ruling:H.5")
def test_a_private_row_is_pinned_and_listed_only_when_that_is_said(voice: Voice) -> None:
    row = remembered(voice, "--private")
    assert "--private" in voice("pins", "add", row, "--reason", "x").only_line
    voice.ok("pins", "add", row, "--reason", "x", "--private")
    ran = voice.ok("pins", "list")
    assert (ran.out, ran.only_line) == ("", "voice: 1 private pin left out; --private lists them")
    assert row in voice.ok("pins", "list", "--private").out


@pytest.mark.requirement("ruling:G.2d")
def test_a_pin_on_a_private_summary_is_private_though_others_see_a_public_one(voice: Voice) -> None:
    capsule = opened(voice)
    remembered(voice, "--capsule", capsule)
    voice.ok("capsules", "summarise", capsule, "--private", stdin=b"The thorn must not be told.\n")
    voice.ok("pins", "add", f"m:{capsule}", "--reason", "about the thorn", "--private")
    ran = voice.ok("pins", "list")
    assert (ran.out, ran.only_line) == ("", "voice: 1 private pin left out; --private lists them")
    assert "thorn" not in voice.ok("recall", "kiln", "--json").out
    assert "about the thorn" in voice.ok("pins", "list", "--private").out
    voice.ok("capsules", "summarise", capsule, stdin=b"It fires again.\n")
    assert "thorn" not in voice.ok("pins", "list").out


def test_who_pins_without_private_pins_the_summary_that_everybody_sees(voice: Voice) -> None:
    capsule = opened(voice)
    remembered(voice, "--capsule", capsule)
    voice.ok("capsules", "summarise", capsule, "--private", stdin=b"The thorn must not be told.\n")
    voice.ok("pins", "add", f"m:{capsule}", "--reason", "it fires")
    assert "it fires" in voice.ok("pins", "list").out


@pytest.mark.requirement("ruling:A18")
def test_pins_and_capsules_of_a_scope_are_listed_in_it(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(voice.home)
    row = remembered(voice, "--scope", "repo=/r", "--scope", "session=s")
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
    capsule = cast("dict[str, str]", ran.json)["id"]
    thought = remembered(voice, "--kind", "tool_call", "--capsule", capsule)
    summed = voice.ok("capsules", "summarise", capsule, "--confidence", "0.5", "--json", stdin=b"It fires again.\n")
    is_as_documented("cli/capsules-open", summed)
    shown = voice.ok("capsules", "show", capsule[:12], "--json")
    is_as_documented("cli/capsules-show", shown)
    found = cast("dict[str, object]", shown.json)
    summary = cast("dict[str, object]", found["summary"])
    (inside,) = cast("list[dict[str, object]]", found["thoughts"])
    assert (summary["content"], summary["confidence"], summary["evidence_refs"]) == ("It fires again.", 0.5, [thought])
    assert (inside["id"], inside["kind"], inside["content"]) == (thought, "tool_call", KILN)
    text = voice.ok("capsules", "show", capsule).out
    assert ("confidence 0.50, rests on 1 row)" in text, "tool_call" in text) == (True, True)
    closed = [voice.ok("capsules", "close", capsule, "--json") for _ in range(2)]
    is_as_documented("cli/capsules-open", closed[0])
    assert closed[0].json == closed[1].json
    listed = voice.ok("capsules", "list", "--json")
    is_as_documented("cli/capsules-list", listed)
    assert only(listed) == closed[0].json
    assert "has a summary" in voice.ok("capsules", "list", "--status", "closed").out
    assert "No capsules" in voice.ok("capsules", "list", "--status", "open").only_line


def test_a_capsule_can_be_closed_with_its_summary(voice: Voice) -> None:
    capsule, row = opened(voice), remembered(voice)
    ran = voice.ok("capsules", "close", capsule, "--summary", "It fires.", "--evidence", row)
    assert ran.out == f"{capsule}  mend the kiln  is closed\n"
    assert "It fires." in voice.ok("capsules", "show", capsule).out


@pytest.mark.parametrize("options", [["--evidence", "t:1"], ["--private"], ["--confidence", "0.2"]])
def test_what_says_something_about_no_summary_is_refused(voice: Voice, options: list[str]) -> None:
    assert "need --summary" in voice("capsules", "close", opened(voice), *options).only_line


def test_a_closed_or_unknown_capsule_takes_nothing(voice: Voice) -> None:
    capsule = opened(voice)
    voice.ok("capsules", "close", capsule)
    for arguments, code in (
        (["remember", KILN, "--capsule", capsule], "capsule_closed"),
        (["capsules", "summarise", capsule, "x"], "capsule_closed"),
        (["capsules", "close", capsule, "--summary", "x"], "capsule_closed"),
        (["remember", KILN, "--capsule", "c:none"], "unknown_id"),
        (["remember", KILN, "--capsule", capsule, "--thread", "house"], "invalid_params"),
        (["remember", KILN, "--kind", "two words"], "invalid_params"),
    ):
        ran = voice(*arguments)
        assert (ran.code, f"[{code}]" in ran.only_line) == (2, True)
    assert voice.ok("export", "-").out.count("\n") == 1


@pytest.mark.requirement("ruling:H.5")
def test_what_is_private_in_a_capsule_is_shown_only_when_asked_for(voice: Voice) -> None:
    capsule = opened(voice)
    remembered(voice, "--private", "--capsule", capsule)
    voice.ok("capsules", "summarise", capsule, "It fires again.")
    ran = voice.ok("capsules", "show", capsule)
    assert "1 private thought left out" in ran.only_line
    assert ("fires" in ran.out, KILN in ran.out) == (False, False)
    whole = voice.ok("capsules", "show", capsule, "--private").out
    assert ("fires" in whole, KILN in whole) == (True, True)


def test_pins_and_capsules_survive_a_backup(voice: Voice, tmp_path_factory: pytest.TempPathFactory) -> None:
    capsule = opened(voice)
    row = remembered(voice, "--capsule", capsule)
    voice.ok("pins", "add", row, "--reason", "read first")
    backup = tmp_path_factory.mktemp("backups") / "b.backup"
    voice.ok("maintain", "backup", str(backup))
    before = [voice.ok(*command, "--json").json for command in (["pins", "list"], ["capsules", "show", capsule])]
    (voice.home / "memory").rename(voice.home / "lost")
    voice.ok("maintain", "restore-backup", str(backup))
    after = [voice.ok(*command, "--json").json for command in (["pins", "list"], ["capsules", "show", capsule])]
    assert after == before
    assert voice.ok("maintain", "verify").out == "Voice read every record; every text, count and chain is right.\n"
