"""`voice organise`, `voice kg stage`, and what `remember` and `import` put up for review."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from cli_runner import SETTINGS, Ran, Voice

Documented = Callable[[str, Ran], None]
ADA = "Ada Lund works at Kiln Co in Porto."
MARTA = "Marta Silva works at Kiln Co with Ada Lund."
SHED = "The kiln is in the shed."
ASKED = ("organise", "Who works at Kiln Co?", "--sim-thresh", "0.1", "-k", "3")


def members(ran: Ran) -> dict[str, object]:
    return cast("dict[str, object]", ran.json)


def waiting(voice: Voice) -> int:
    return cast("int", members(voice.ok("kg", "candidates", "--private", "--json"))["total"])


@pytest.fixture
def by_hand(new_home: Path) -> None:
    """Let nothing be read that comes in."""
    (new_home / "voice.toml").write_text(f"{SETTINGS}[organise]\nauto_candidates = false\n", encoding="utf-8")


@pytest.fixture
def told(voice: Voice, by_hand: None) -> Voice:
    for text in (ADA, MARTA, SHED):
        voice.ok("remember", text, "--at", "2026-03-05")
    assert (by_hand, waiting(voice)) == (None, 0)
    return voice


@pytest.mark.requirement("s1:acceptance:shapes", "s1:flow:7", "s1:test:1", "s1:test:2")
def test_an_answer_is_shown_with_its_sources_and_kept(told: Voice, is_as_documented: Documented) -> None:
    shown = told.ok(*ASKED)
    assert shown.out.startswith(f"{ADA}\n{MARTA}\n{SHED}\n 1. 0.")
    assert shown.out.splitlines()[-1].startswith("stored as t:")
    assert shown.err == ""
    told_json = told.ok(*ASKED, "--no-save", "--json")
    is_as_documented("organise", told_json)
    assert "saved_thought_id" not in members(told_json)


@pytest.mark.requirement("s1:test:3", "s1:test:4", "s1:param:auto_mark_removal")
def test_a_dry_run_says_what_would_wait_and_be_marked(told: Voice, is_as_documented: Documented) -> None:
    dry = told.ok(*ASKED, "--stage-kg", "--auto-mark-removal", "--dry-run")
    assert "would be staged: 4 entities and 2 relations waiting for review: `voice kg review`" in dry.out
    assert "would be marked for removal: 2 notes" in dry.out
    assert "nothing was staged from 1 of the sources" in dry.only_line
    assert waiting(told) == 0
    done = told.ok(*ASKED, "--stage-kg", "--auto-mark-removal", "--json")
    is_as_documented("organise", done)
    assert members(done)["staged"] == {"pending_entities": 4, "pending_relationships": 2}
    assert (members(done)["marked_for_removal"], waiting(told)) == (2, 6)
    assert len(cast("list[object]", members(told.ok("removals", "list", "--json"))["candidates"])) == 2
    assert "\nstaged: nothing\n" in told.ok(*ASKED, "--stage-kg").out


@pytest.mark.requirement("ruling:A14")
def test_nothing_found_is_no_answer_and_says_what_to_do(told: Voice, is_as_documented: Documented) -> None:
    nothing = told("organise", "quantum chromodynamics", "--sim-thresh", "0.9", "--stage-kg")
    assert (nothing.code, nothing.out) == (3, "")
    assert "lower --sim-thresh. Nothing was stored" in nothing.only_line
    form = told("organise", "quantum chromodynamics", "--sim-thresh", "0.9", "--json")
    is_as_documented("organise", form)
    assert (form.code, members(form)["sources"]) == (3, [])


@pytest.mark.requirement("s1:param:content")
def test_what_cannot_be_meant_is_one_line(told: Voice) -> None:
    empty = told("organise", " ")
    assert (empty.code, "[invalid_params]" in empty.only_line) == (2, True)
    clamped = told.ok("organise", "kiln", "-k", "99", "--sim-thresh", "0", stdin=b"")
    assert "top_k 99 is out of range; using 50" in clamped.only_line
    piped = told.ok("organise", "-", "--sim-thresh", "0", "--no-save", stdin=b"Who works at Kiln Co?")
    assert piped.out.startswith(ADA)


@pytest.mark.requirement("ruling:A8")
def test_it_is_switched_off_like_everything_that_asks(new_home: Path, voice: Voice) -> None:
    (new_home / "voice.toml").write_text(SETTINGS.replace("enabled = true\n", ""), encoding="utf-8")
    off = voice("organise", "kiln")
    assert (off.code, "[feature_disabled]" in off.only_line) == (4, True)


@pytest.mark.requirement("ruling:A21", "ruling:F.3")
def test_stored_notes_are_read_when_asked_for(told: Voice, is_as_documented: Documented) -> None:
    dry = told.ok("kg", "stage", "--dry-run")
    assert dry.out == "would be staged: 4 entities and 2 relations waiting for review: `voice kg review`\n"
    assert waiting(told) == 0
    done = told.ok("kg", "stage", "--json")
    is_as_documented("cli/kg-stage", done)
    assert (members(done)["pending_entities"], members(done)["pending_relations"]) == (4, 2)
    assert told.ok("kg", "stage").out == "staged: nothing new\n"
    every = cast("list[dict[str, object]]", members(told.ok("kg", "candidates", "--json"))["candidates"])
    told.ok("kg", "reject", *(str(each["id"]) for each in every))
    again = told.ok("kg", "stage")
    assert (again.out, again.only_line) == ("staged: nothing new\n", "voice: 6 stay rejected")
    wrong = told("kg", "stage", "t:none")
    assert (wrong.code, "there is no thought t:none" in wrong.only_line) == (2, True)


@pytest.mark.requirement("ruling:A21")
def test_what_comes_in_waits_for_review(voice: Voice, tmp_path: Path, is_as_documented: Documented) -> None:
    told = voice.ok("remember", ADA)
    assert told.out.endswith("  stored; answers can cite 1 sentence, 4 candidates wait for review (voice kg review)\n")
    again = voice.ok("remember", MARTA, "--json")
    is_as_documented("cli/remember", again)
    assert (members(again)["pending_entities"], members(again)["pending_relations"]) == (1, 1)
    notes = tmp_path / "notes.md"
    notes.write_text("Jonas Berg lives in Lisbon.\n", encoding="utf-8")
    brought = voice.ok("import", str(notes), "--json")
    is_as_documented("cli/import", brought)
    assert (members(brought)["pending_entities"], members(brought)["pending_relations"]) == (2, 1)


@pytest.mark.requirement("ruling:I5:links")
def test_the_links_of_a_vault_are_in_the_graph_and_wait_for_nobody(voice: Voice, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Birch.md").write_text("Stands beside [[Alder]] at the gate.\n", encoding="utf-8")
    (vault / "Alder.md").write_text("Planted in the spring, in wet ground.\n", encoding="utf-8")
    brought = voice.ok("import", str(vault))
    assert "  links   1 between notes, now in the graph\n" in brought.out
    assert members(voice.ok("kg", "candidates", "--json"))["candidates"] == []
    assert voice.ok("doctor").code == 0
    assert "links_to" not in voice.ok("retrieve", "Birch links to Alder").out
    assert "Birch --links_to--> Alder" in voice.ok("kg", "show", "Birch").out
    assert "review" not in voice("import", str(vault)).out


@pytest.mark.requirement("ruling:A21")
def test_where_no_language_model_is_set_up_it_is_said_and_what_is_kept_stays(voice: Voice, new_home: Path) -> None:
    voice.ok("remember", ADA)
    asked = voice("kg", "stage", "--extractor", "llm")
    assert (asked.code != 0, "the offline provider reads no notes" in asked.only_line) == (True, True)
    assert voice.ok("kg", "stage", "--extractor", "rules").out == "staged: nothing new\n"
    (new_home / "voice.toml").write_text(f'{SETTINGS}[organise]\nextractor = "both"\n', encoding="utf-8")
    kept = voice.ok("remember", MARTA)
    assert "stored; " in kept.out
    assert "the offline provider reads no notes" in kept.only_line
    assert waiting(voice) == 6
