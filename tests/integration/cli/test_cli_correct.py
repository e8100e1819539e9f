"""`voice correct`: the new value takes the place of the old one, which stays."""

import pytest

from cli_runner import Documented, Voice
from tables import tables

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:F.6")


def test_a_thought_is_corrected_and_found_in_its_new_words(voice: Voice, is_as_documented: Documented) -> None:
    old = voice.remember("Marta lives in Porto now.")
    voice.ok("pins", "add", old, "--reason", "Porto!")
    said = voice.ok("correct", old, "-", "--reason", "she moved", "--dry-run", stdin=b"Marta lives in Lisbon now.")
    assert said.out == f"would replace {old}: 1 sentence replaced, 1 pin moved\n"
    dry = voice.ok("correct", old, "Marta lives in Lisbon now.", "--dry-run", "--json")
    is_as_documented("cli/correct", dry)
    done = voice.ok("correct", old, "Marta lives in Lisbon now.", "--reason", "she moved")
    new = done.out.split()[0]
    assert done.out == f"{new}  replaces {old}, 1 sentence replaced, 1 pin moved\n"
    voice.ok("remember", "We expect 35 people. It has a piano.\n\nOnly 40 people fit.")
    assert ", 1 sentence replaced" in voice.ok("correct", "expect 35 people", "expect 38 people", "--yes").out
    found = voice.ok("retrieve", "Where does Marta live now?", "--lexical-only").out
    assert "Lisbon" in found
    assert "Porto" not in found
    again = voice.ok("correct", old, "Marta lives in Lisbon now.", "--json")
    is_as_documented("cli/correct", again)
    assert (again.json["id"], again.json["replaced"], again.json["repeated"]) == (new, old, True)
    assert f"you already corrected {old} like this" in voice.ok("correct", old, "Marta lives in Lisbon now.").only_line


def test_of_a_row_that_is_gone_it_is_said_what_became_of_it(voice: Voice) -> None:
    old = voice.remember("Marta lives in Porto now.")
    voice.ok("forget", "--id", old, "--yes")
    for command in (["correct", old, "It is."], ["kg", "stage", old], ["kg", "add", "entity", "X", "--from", old]):
        assert f"{old} is gone: it was forgotten on" in voice.refused(*command)


def test_what_cannot_be_corrected_is_told_in_one_line(told: Voice) -> None:
    for words, said in TABLES["what_cannot_be_corrected_is_told_in_one_line"]:
        assert said in told.refused("correct", *words)
    assert "there are no new words" in told.refused("correct", told.remember("Anna came by."), "")


def test_what_was_corrected_is_shown_with_its_reason_and_asked_for_by_its_day(
    voice: Voice, is_as_documented: Documented
) -> None:
    voice.ok("kg", "add", "entity", "Anna", "--description", "A potter.")
    voice.ok("kg", "add", "entity", "Kiln")
    edge = voice.ok("kg", "add", "relation", "Anna", "owns", "Kiln").out.strip()
    old = voice.ok("kg", "add", "observation", "Anna fires at cone 6.", "--about", "Anna").out.strip()
    anna = voice.ok("kg", "show", "Anna").out.split()[2].rstrip(":")
    voice.ok("correct", anna, "A baker.")
    voice.ok("correct", edge, "--until", "2026-01-01")
    new = voice.ok("correct", old, "Anna fires at cone 10.", "--reason", "misheard").out.split()[0]
    is_as_documented("cli/kg-show", voice.ok("kg", "show", "Anna", "--json"))
    shown = voice.ok("kg", "show", "Anna").out
    assert "before: Anna (concept): A potter. " in shown.replace("  ", " ")
    assert "before: Anna --owns--> Kiln" in shown
    told = next(line for line in shown.splitlines() if line.startswith("before: Anna fires at cone 6."))
    assert ("by human: misheard)" in told, told.endswith(f"→ {new}")) == (True, True)
    assert "did not exist then" in voice("kg", "show", "Anna", "--as-of", "2020-01-01").only_line
    asked = ("retrieve", "At what cone does Anna fire?", "--lexical-only")
    assert "cone 10" in voice.ok(*asked).out
    assert "cone" not in voice(*asked, "--as-of", "2020-01-01").out


def test_what_ages_is_shown_as_sure_as_it_still_is_and_stays_as_it_was_recorded(
    voice: Voice, is_as_documented: Documented, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Anna", "Kiln Co", "Porto"):
        voice.ok("kg", "add", "entity", name)
    works = voice.ok("kg", "add", "relation", "Anna", "works_at", "Kiln Co", "--at", "2000-01-01").out.strip()
    voice.ok("kg", "add", "relation", "Anna", "born_in", "Porto", "--at", "2000-01-01")
    fires = voice.ok("kg", "add", "observation", "Anna fires.", "--about", "Anna", "--at", "2000-01-01").out.strip()
    before = voice.ok("export", "-").out
    asked = ("retrieve", "Anna fires.", "--lexical-only", "--explain", "--json")
    plain = voice.ok("kg", "show", "Anna").out
    assert ("sure now" in plain, "sure now" in voice.ok("retrieve", "Anna fires.").out) == (False, False)
    is_as_documented("retrieve-explain", voice.ok(*asked))
    monkeypatch.setenv("SURR_CONFIDENCE_HALF_LIVES", "relation=30, born_in=never, observation=30")
    told = " (0 % sure now, 100 % when recorded)"
    assert sorted(line.removesuffix(told) for line in voice.ok("kg", "show", "Anna").out.splitlines()) == sorted(
        plain.splitlines()
    )
    assert voice.ok("kg", "show", "Anna").out.count(told) == 2
    shown = voice.ok("kg", "show", "Anna", "--json")
    is_as_documented("cli/kg-show", shown)
    assert shown.json["confidence"] == {row_id: {"recorded": 1.0, "now": 0.0} for row_id in (works, fires)}
    explained = voice.ok(*asked)
    is_as_documented("retrieve-explain", explained)
    (snippet,) = (one for one in explained.json["snippets"] if one["id"] == fires)
    assert snippet["confidence"] == {"recorded": 1.0, "now": 0.0}
    assert "0 % sure now, 100 % when recorded" in voice.ok("retrieve", "Anna fires.", "--lexical-only").out
    assert voice.ok("export", "-").out == before
