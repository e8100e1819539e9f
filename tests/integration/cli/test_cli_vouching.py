"""`voice review`: what programs noted is approved or declined, whole, by sentence and by filter."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import cast
from zoneinfo import ZoneInfo

import pytest

from cli_runner import Ran, Voice
from played_turns import tell
from tables import tables
from voice.bootstrap import open_services
from voice.core.records import Origin
from voice.core.settings.values import EmbedSettings, Settings

TABLES = tables(__file__)

Documented = Callable[[str, Ran], None]
pytestmark = pytest.mark.requirement("ruling:J2")
ZITHER = "The zither is mended by Ines Prates in Faro. The bill was 80 euros."
QUERN = "The quern stands in the barn of Tomas Vidal."
WHO = "Who mends the zither?"


def noted(voice: Voice, *texts: str, by: str = "codex-mcp-client", **fields: object) -> list[str]:
    """Let a program note texts, and return their ids."""

    async def note() -> list[str]:
        settings = replace(Settings(), embed=EmbedSettings(provider="hash"))
        async with open_services(settings, voice.home) as services:
            return [*await tell(services, *texts, origin=Origin.TOOL, noted_by=by, **fields)]

    voice.ok("retrieve", "anything")
    return asyncio.run(note())


def members(ran: Ran) -> dict[str, object]:
    return cast("dict[str, object]", ran.json)


def states(voice: Voice) -> dict[str, object]:
    listed = cast("list[dict[str, object]]", members(voice.ok("review", "--state", "all", "--json"))["notes"])
    return {str(each["id"]): each["state"] for each in listed}


def test_notes_are_listed_with_their_sentences_by_number(voice: Voice, is_as_documented: Documented) -> None:
    assert "no program has noted anything yet" in voice.ok("review", "--list", "--state", "all").err
    (zither,) = noted(voice, ZITHER)
    shown = voice.ok("review", "--list")
    ran = voice.ok("review", "--json")
    is_as_documented("cli/review-list", ran)
    assert f"{zither}  codex-mcp-client, " in shown.out
    assert "    1. The zither is mended by Ines Prates in Faro." in shown.out
    assert "    2. The bill was 80 euros." in shown.out
    assert members(ran)["total"] == 1
    voice.ok("config", "time.timezone", "Asia/Tokyo")
    at = cast("list[dict[str, str]]", members(ran)["notes"])[0]["noted_at"]
    local = datetime.fromisoformat(at).astimezone(ZoneInfo("Asia/Tokyo"))
    assert f", {local:%Y-%m-%d %H:%M}  [" in voice.ok("review", "--list").out
    none = voice.ok("review", "--list", "--from", "gemini")
    assert (none.out, "no note matches" in none.err) == ("", True)
    (quern,) = noted(voice, QUERN, is_private=True)
    assert voice.ok("review", "--list", "--private").out.count("[waiting, private]") == 1
    assert quern not in voice.ok("review", "--list", "--private", zither).out
    assert voice.ok("review", zither, stdin=b"s\n").err.startswith(f"1 of 1\n{zither}")
    assert f"no program noted {quern}, or it is private" in voice("review", quern, "--list").err


def test_all_of_one_program_of_this_week_is_approved_in_one_act_once_that_is_confirmed(
    voice: Voice, is_as_documented: Documented
) -> None:
    ids = noted(voice, ZITHER, QUERN)
    (other,) = noted(voice, "The samovar is from Tula.", by="gemini-cli")
    chosen = ("review", "--from", "codex", "--since", "this week", "--approve")
    unsure = voice(*chosen)
    assert unsure.code == 2
    assert "preview it with --dry-run, then confirm with --yes" in unsure.err
    with (voice.home / "voice.toml").open("a", encoding="utf-8") as settings:
        settings.write("odd = 1\n")
    tried = voice.ok(*chosen, "--dry-run")
    assert ("would be approved" in tried.out, tried.err.count("unknown key")) == (True, 1)
    assert set(states(voice).values()) == {"waiting"}
    done = voice.ok(*chosen, "--yes", "--json")
    is_as_documented("cli/review", done)
    assert {str(each["id"]) for each in cast("list[dict[str, object]]", members(done)["notes"])} == set(ids)
    assert states(voice) == {**dict.fromkeys(ids, "approved"), other: "waiting"}
    assert "Ines Prates" in voice.ok("ask", WHO).out
    assert "Tomas Vidal" in voice.ok("ask", "Where does the quern stand?").out
    nothing = voice(*chosen, "--yes")
    assert nothing.code == 2
    assert "no note matches; `voice review --list --state all` lists what programs noted" in nothing.err


def test_one_sentence_is_approved_by_its_number_and_a_refusal_names_what_waits(voice: Voice) -> None:
    (zither,) = noted(voice, ZITHER)
    refused = voice("ask", WHO)
    assert f"n agent noted this (codex-mcp-client: {zither}). Approve it to let it count" in refused.out + refused.err
    done = voice.ok("review", zither, "--approve", "--sentence", "1")
    assert done.out == f"{zither} partly\n1 statement can be cited now\n"
    assert "Ines Prates" in voice.ok("ask", WHO).out
    assert "80 euros" not in voice("ask", "How much was the bill?").out
    assert "✓ 1. The zither" in voice.ok("review", "--list", "--state", "partly").out


def test_what_is_declined_is_found_no_more(voice: Voice) -> None:
    zither, quern = noted(voice, ZITHER, QUERN)
    assert voice.ok("review", zither, "--decline").out == f"{zither} declined\n"
    assert states(voice) == {zither: "declined", quern: "waiting"}
    assert zither not in voice.ok("retrieve", "zither", "--json", "--mix", "0").out
    assert quern in voice.ok("retrieve", "quern", "--json", "--mix", "0").out


def test_line_by_line_each_note_is_answered(voice: Voice) -> None:
    ids = noted(voice, ZITHER, QUERN, "The samovar is from Tula.", "The lathe is loud.", "The anvil is old.")
    answers = b"a\nwhat\n9\n1\nd\ns\nq\n"
    done = voice.ok("review", stdin=answers)
    assert "1 of 5" in done.err
    assert "the answers are" in done.err
    assert "has no sentence 9" in done.err
    assert sorted(str(each) for each in states(voice).values()) == [
        "approved", "approved", "declined", "waiting", "waiting",
    ]  # fmt: skip
    assert set(states(voice)) == set(ids)
    left = voice.ok("review", stdin=b"")
    assert "1 of 2" in left.err
    voice.ok("review", "--decline", "--yes")
    assert "no notes of programs wait for review" in voice.ok("review").err


@pytest.mark.parametrize(("options", "said"), TABLES["what_cannot_be_meant_says_what_to_type"])
def test_what_cannot_be_meant_says_what_to_type(voice: Voice, options: tuple[str, ...], said: str) -> None:
    ran = voice("review", *options)
    assert (ran.code, said in ran.err) == (2, True), ran


def test_a_persons_own_note_is_none_to_vouch_for(voice: Voice) -> None:
    own = str(members(voice.ok("remember", "The kiln is hot.", "--json"))["id"])
    ran = voice("review", own, "--approve")
    assert (ran.code, "is not a note of a program that waits for your approval" in ran.err) == (2, True)
