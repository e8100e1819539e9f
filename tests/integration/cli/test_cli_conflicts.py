"""`voice conflicts`: what cannot both hold, and what becomes of it."""

from pathlib import Path
from typing import Any

import pytest

from cli_runner import Documented, Voice
from synced_folders import write

pytestmark = pytest.mark.requirement("conflicts:command")
HOT, HOTTER = "The kiln fires at 1200 degrees.", "The kiln fires at 1250 degrees."
NOTES = {
    "Kiln.md": f"# Kiln\n\n{HOT}\n",
    "Shed.md": f"# Shed\n\n{HOTTER} The door is green.\n",
    "People.md": "---\ndate: 2026-05-01\n---\nAnna Lund lives in Porto.\n",
    "Letters.md": "---\ndate: 2024-02-01\n---\nAnna Lund lives in Lisbon.\n",
    "2026-03-01.md": "The river stood at 3 metres by the old mill.\n",
    "2026-03-02.md": "The river stood at 4 metres by the old mill.\n",
}
"""Two pairs that cannot both hold, and a journal that is of its days."""


@pytest.fixture
def studio(voice: Voice, tmp_path: Path) -> Voice:
    """A memory with the notes."""
    voice.ok("import", str(write(tmp_path / "studio", NOTES)))
    return voice


def pairs(voice: Voice, *options: str) -> list[dict[str, Any]]:
    """Return the pairs that `voice conflicts` lists."""
    return voice.ok("conflicts", *options, "--json").json["conflicts"]


def about_kiln(voice: Voice) -> str:
    """Return the id of the pair about the kiln."""
    return pairs(voice, "--about", "kiln")[0]["id"]


def test_pairs_are_listed_with_dates_and_places_and_wait_unless_told_otherwise(
    studio: Voice, is_as_documented: Documented
) -> None:
    shown = studio.ok("conflicts", "--no-review").out
    assert pairs(studio, "--waiting") == []
    ran = studio.ok("conflicts", "--json")
    is_as_documented("cli/conflicts", ran)
    number, name = ran.json["conflicts"]
    assert (number["difference"], number["is_change"]) == ("number", False)
    assert (name["difference"], name["is_change"]) == ("name", True)
    assert (ran.json["put_up"], len(pairs(studio, "--waiting"))) == (2, 2)
    assert "they differ in a number" in shown
    assert "1  undated  Kiln.md:3" in shown
    assert "the later statement may have ended the earlier one" in shown
    assert "1  2024-02-01  Letters.md:4" in shown
    assert "2  2026-05-01  People.md:4" in shown
    assert "river" not in shown


def test_pairs_are_about_something_and_since_a_time(studio: Voice) -> None:
    studio.ok("kg", "add", "entity", "Anna Lund")
    (anna,), (kiln,) = pairs(studio, "--about", "Anna Lund"), pairs(studio, "--about", "kiln degrees")
    assert anna["sides"][1]["said"] == "Anna Lund lives in Porto."
    assert [side["said"] for side in kiln["sides"]] == [HOT, HOTTER]
    assert len(pairs(studio, "--about", kiln["sides"][0]["id"])) == 1
    assert len(pairs(studio, "--since", "2026-04-01")) == 1
    assert pairs(studio, "--since", "2026-06-01") == []
    assert "1 more" in studio.ok("conflicts", "--limit", "1").err
    nothing, unseen = studio.ok("conflicts", "--about", "zither").err.splitlines()
    assert nothing.startswith("voice: no conflicts found; compared 6 entries for the same words")
    assert "conflicts in other words are not compared; --verify" in unseen


@pytest.mark.requirement("conflicts:settle")
def test_one_side_is_right_and_the_other_says_so_from_then_on(studio: Voice, is_as_documented: Documented) -> None:
    pair = about_kiln(studio)
    would = studio.ok("conflicts", pair[:10], "--correct", "1", "--dry-run")
    assert f"would be corrected: {HOTTER}\n    becomes: {HOT}\n" in would.out
    is_as_documented("cli/conflicts-resolved", studio.ok("conflicts", pair, "--correct", "1", "--dry-run", "--json"))
    refused = studio("conflicts", pair, "--correct", "1")
    assert (refused.code, "confirm with --yes" in refused.err, "would be corrected" in refused.err) == (2, True, True)
    assert "choose one of the two sides" in studio("conflicts", pair, "--correct", "3", "--yes").only_line
    assert len(pairs(studio, "--about", "kiln")) == 1
    is_as_documented("cli/conflicts-resolved", studio.ok("conflicts", pair, "--correct", "1", "--yes", "--json"))
    assert pairs(studio, "--about", "kiln") == []
    assert pair not in {each["id"] for each in pairs(studio, "--waiting")}
    found = studio.ok("retrieve", "How hot does the kiln fire?", "--lexical-only").out
    assert f"{HOT} The door is green." in found, "the other sentences of the entry stay"


@pytest.mark.requirement("conflicts:settle")
def test_one_side_has_ended(studio: Voice) -> None:
    (pair,) = pairs(studio, "--about", "Anna")
    done = studio.ok("conflicts", pair["id"], "--end", pair["sides"][0]["id"], "--yes")
    assert "ended: Anna Lund lives in Lisbon." in done.out
    assert pairs(studio, "--about", "Anna") == []
    would = studio.ok("conflicts", about_kiln(studio), "--end", "2", "--on", "2026-11-01", "--dry-run")
    assert "1 other sentence of the same entry would also end" in would.out


@pytest.mark.requirement("conflicts:settle")
def test_a_pair_that_both_hold_is_not_shown_again(studio: Voice, is_as_documented: Documented) -> None:
    pair = about_kiln(studio)
    is_as_documented("cli/conflicts-resolved", studio.ok("conflicts", pair, "--both", "--json"))
    after = studio.ok("conflicts", "--about", "kiln")
    assert after.out == ""
    assert "1 pair not shown, because you said that both are true" in after.err
    assert "there is no conflict" in studio("conflicts", pair, "--both").only_line


def test_what_cannot_be_meant_is_refused(voice: Voice) -> None:
    meant = ("--both", "--correct 1", "--waiting --about kiln", "d:1 --both --end 1", "d:1 --both --about kiln")
    for each in (*meant, "d:nothing --both"):
        assert voice("conflicts", *each.split()).code == 2


@pytest.mark.requirement("conflicts:settle")
def test_of_two_sentences_of_one_entry_the_wrong_one_goes(voice: Voice, tmp_path: Path) -> None:
    notes = {"Notes.md": f"Notes:\n- {HOT}\n- green door\n- {HOTTER}\n"}
    voice.ok("import", str(write(tmp_path / "notes", notes)))
    (pair,) = pairs(voice)
    assert [each["location"]["label"] for each in pair["sides"]] == ["Notes.md:2", "Notes.md:4"]
    one_entry = f"one entry says both; keep one: voice conflicts {pair['id']} --correct 1 (or 2)"
    assert one_entry in voice.ok("conflicts").out
    assert "ending it would end both" in voice("conflicts", pair["id"], "--end", "1", "--yes").only_line
    voice.ok("conflicts", pair["id"], "--correct", "2", "--yes")
    assert pairs(voice) == []
    assert HOTTER in voice.ok("retrieve", "door kiln", "--lexical-only").out


@pytest.mark.requirement("conflicts:settle", "conflicts:found")
def test_an_edge_that_is_wrong_is_replaced_by_the_one_that_is_right(voice: Voice) -> None:
    for name in ("Anna", "Porto", "Lisbon"):
        voice.ok("kg", "add", "entity", name)
    right = voice.ok("kg", "add", "relation", "Anna", "lives_in", "Porto").out.strip()
    wrong = voice.ok("kg", "add", "relation", "Anna", "lives_in", "Lisbon").out.strip()
    pair = pairs(voice)[0]
    assert pair["difference"] == "edge"
    voice.ok("conflicts", pair["id"], "--correct", right, "--dry-run")
    done = voice.ok("conflicts", pair["id"], "--correct", right, "--yes")
    assert done.out.startswith(f"{wrong}  corrected")
    shown = voice.ok("kg", "show", "Anna").out
    assert f"→ {right}" in shown
    assert pairs(voice) == []


@pytest.mark.requirement("conflicts:private")
def test_private_notes_are_compared_where_they_are_asked_for_alone(voice: Voice) -> None:
    voice.ok("remember", HOT)
    voice.ok("remember", HOTTER, "--private")
    assert pairs(voice) == []
    (pair,) = pairs(voice, "--private")
    assert pairs(voice, "--waiting") == []
    assert voice("conflicts", pair["id"], "--both").code == 2
    voice.ok("conflicts", pair["id"], "--both", "--private")
