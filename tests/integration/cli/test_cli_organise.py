"""`voice organise`, `voice kg stage`, and what `remember` and `import` put up for review."""

from pathlib import Path

import pytest

from cli_runner import SETTINGS, Documented, Voice
from synced_folders import write

ADA = "Ada Lund works at Kiln Co in Porto."
MARTA = "Marta Silva works at Kiln Co with Ada Lund."
SHED = "The kiln is in the shed."
ASKED = ("organise", "Who works at Kiln Co?", "--sim-thresh", "0.1", "-k", "3")


def waiting(voice: Voice) -> int:
    return voice.ok("kg", "candidates", "--private", "--json").json["total"]


@pytest.fixture
def told(voice: Voice) -> Voice:
    """Return a voice whose memory holds three notes, of which nothing was read as it came in."""
    voice.settings(f"{SETTINGS}[organise]\nauto_candidates = false\n")
    for text in (ADA, MARTA, SHED):
        voice.ok("remember", text, "--at", "2026-03-05")
    assert waiting(voice) == 0
    return voice


@pytest.mark.requirement("s1:acceptance:shapes", "s1:flow:7", "s1:test:1", "s1:test:2")
def test_an_answer_is_shown_with_its_sources_and_kept(told: Voice, is_as_documented: Documented) -> None:
    shown = told.ok(*ASKED)
    assert shown.out.startswith(f"{ADA}\n{MARTA}\n{SHED}\n 1. 0.")
    assert shown.out.splitlines()[-1].startswith("stored as t:")
    assert shown.err == ""
    for quoted, said in (("works at", ""), ("purple elephant", "voice: no passage contains “purple elephant”\n")):
        assert told.ok("organise", f'Who "{quoted}" Kiln Co?', *ASKED[2:], "--no-save").err == said
    told_json = told.ok(*ASKED, "--no-save", "--json")
    is_as_documented("organise", told_json)
    assert "saved_thought_id" not in told_json.json


@pytest.mark.requirement("ruling:A14")
def test_nothing_found_is_no_answer_and_says_what_to_do(told: Voice, is_as_documented: Documented) -> None:
    nothing = ("organise", "quantum chromodynamics", "--sim-thresh", "0.9")
    assert "lower --sim-thresh. Nothing was stored" in told.refused(*nothing, "--stage-kg", code=3)
    form = told(*nothing, "--json")
    is_as_documented("organise", form)
    assert (form.code, form.json["sources"]) == (3, [])


@pytest.mark.requirement("ruling:A21", "ruling:F.3")
def test_stored_notes_are_read_when_asked_for(told: Voice, is_as_documented: Documented) -> None:
    dry = told.ok("kg", "stage", "--dry-run")
    assert dry.out == "would be staged: 4 entities and 2 relations waiting for review: `voice kg review`\n"
    assert waiting(told) == 0
    done = told.ok("kg", "stage", "--json")
    is_as_documented("cli/kg-stage", done)
    assert (done.json["pending_entities"], done.json["pending_relations"]) == (4, 2)
    assert told.ok("kg", "stage").out == "staged: nothing new\n"
    every = told.ok("kg", "candidates", "--json").json["candidates"]
    told.ok("kg", "reject", *(each["id"] for each in every))
    again = told.ok("kg", "stage")
    assert (again.out, again.only_line) == ("staged: nothing new\n", "voice: 6 stay rejected")
    assert "there is no thought t:none" in told.refused("kg", "stage", "t:none")


@pytest.mark.requirement("ruling:A21")
def test_what_comes_in_waits_for_review(voice: Voice, tmp_path: Path, is_as_documented: Documented) -> None:
    told = voice.ok("remember", ADA)
    assert told.out.endswith("  stored; answers can cite 1 sentence, 4 candidates wait for review (voice kg review)\n")
    again = voice.ok("remember", MARTA, "--json")
    is_as_documented("cli/remember", again)
    assert (again.json["pending_entities"], again.json["pending_relations"]) == (1, 1)
    notes = write(tmp_path / "notes", {"notes.md": "Jonas Berg lives in Lisbon.\n"})
    brought = voice.ok("import", str(notes), "--json")
    is_as_documented("cli/import", brought)
    assert (brought.json["pending_entities"], brought.json["pending_relations"]) == (2, 1)


@pytest.mark.requirement("ruling:A21")
def test_where_no_language_model_is_set_up_it_is_said_and_what_is_kept_stays(voice: Voice) -> None:
    voice.ok("remember", ADA)
    asked = voice("kg", "stage", "--extractor", "llm")
    assert (asked.code != 0, "the offline provider reads no notes" in asked.only_line) == (True, True)
    assert voice.ok("kg", "stage", "--extractor", "rules").out == "staged: nothing new\n"
    voice.settings(f'{SETTINGS}[organise]\nextractor = "both"\n')
    kept = voice.ok("remember", MARTA)
    assert ("stored; " in kept.out, "the offline provider reads no notes" in kept.only_line) == (True, True)
    assert waiting(voice) == 6
