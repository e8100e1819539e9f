"""`voice review`: what programs noted is approved or declined, whole, by sentence and by filter."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from cli_runner import SETTINGS, Documented, Voice
from played_turns import tell
from voice.bootstrap import Services
from voice.core.records import Origin

pytestmark = pytest.mark.requirement("ruling:J2")
ZITHER = "The zither is mended by Ines Prates in Faro. The bill was 80 euros."
QUERN = "The quern stands in the barn of Tomas Vidal."
WHO = "Who mends the zither?"


def noted(voice: Voice, *texts: str, by: str = "codex-mcp-client", **fields: object) -> list[str]:
    """Let a program note texts, and return their ids."""

    async def note(services: Services) -> list[str]:
        return [*await tell(services, *texts, origin=Origin.TOOL, noted_by=by, **fields)]

    voice.ok("retrieve", "anything")
    return voice.within(note)


def states(voice: Voice) -> dict[str, str]:
    return {each["id"]: each["state"] for each in voice.ok("review", "--state", "all", "--json").json["notes"]}


def test_notes_are_listed_with_their_sentences_by_number(voice: Voice, is_as_documented: Documented) -> None:
    assert "no program has noted anything yet" in voice.ok("review", "--list", "--state", "all").err
    (zither,) = noted(voice, ZITHER)
    shown = voice.ok("review", "--list")
    ran = voice.ok("review", "--json")
    is_as_documented("cli/review-list", ran)
    assert f"{zither}  codex-mcp-client, " in shown.out
    assert "    1. The zither is mended by Ines Prates in Faro." in shown.out
    assert "    2. The bill was 80 euros." in shown.out
    assert ran.json["total"] == 1
    voice.ok("config", "time.timezone", "Asia/Tokyo")
    local = datetime.fromisoformat(ran.json["notes"][0]["noted_at"]).astimezone(ZoneInfo("Asia/Tokyo"))
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
    assert (unsure.code, "preview it with --dry-run, then confirm with --yes" in unsure.err) == (2, True)
    voice.settings(f"{SETTINGS}odd = 1\n")
    tried = voice.ok(*chosen, "--dry-run")
    assert ("would be approved" in tried.out, tried.err.count("unknown key")) == (True, 1)
    assert set(states(voice).values()) == {"waiting"}
    done = voice.ok(*chosen, "--yes", "--json")
    is_as_documented("cli/review", done)
    assert {each["id"] for each in done.json["notes"]} == set(ids)
    assert states(voice) == {**dict.fromkeys(ids, "approved"), other: "waiting"}
    assert "Ines Prates" in voice.ok("ask", WHO).out
    assert "Tomas Vidal" in voice.ok("ask", "Where does the quern stand?").out
    nothing = voice(*chosen, "--yes")
    said = "no note matches; `voice review --list --state all` lists what programs noted"
    assert (nothing.code, said in nothing.err) == (2, True)


def test_one_sentence_is_approved_by_its_number_and_a_refusal_names_what_waits(voice: Voice) -> None:
    (zither,) = noted(voice, ZITHER)
    refused = voice("ask", WHO)
    assert f"n agent noted this (codex-mcp-client: {zither}). Approve it to let it count" in refused.out + refused.err
    done = voice.ok("review", zither, "--approve", "--sentence", "1").out
    assert done == f"{zither} partly\n1 statement can be cited now\n"
    assert "Ines Prates" in voice.ok("ask", WHO).out
    assert "80 euros" not in voice("ask", "How much was the bill?").out
    assert "✓ 1. The zither" in voice.ok("review", "--list", "--state", "partly").out


def test_line_by_line_each_note_is_answered(voice: Voice) -> None:
    ids = noted(voice, ZITHER, QUERN, "The samovar is from Tula.", "The lathe is loud.", "The anvil is old.")
    answers = b"a\nwhat\n9\n1\nd\ns\nq\n"
    done = voice.ok("review", stdin=answers).err
    assert [said for said in ("1 of 5", "the answers are", "has no sentence 9") if said not in done] == []
    found = states(voice)
    assert sorted(found.values()) == ["approved", "approved", "declined", "waiting", "waiting"]
    assert set(found) == set(ids)
    assert "1 of 2" in voice.ok("review", stdin=b"").err
    voice.ok("review", "--decline", "--yes")
    assert "no notes of programs wait for review" in voice.ok("review").err
