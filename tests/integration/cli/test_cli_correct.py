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


@pytest.mark.requirement("ruling:A21")
def test_the_new_words_of_a_thought_are_read_for_what_they_name(voice: Voice) -> None:
    old = voice.remember("Marta Silva lives in Porto.")
    assert voice.ok("correct", old, "Marta Silva lives in Faro.", "--dry-run").err == ""
    said = voice.ok("correct", old, "Marta Silva lives in Faro.")
    assert "the new words name 1 entity and 1 relation waiting for review: `voice kg review`" in said.err
    assert "Marta Silva --lives_in--> Faro" in voice.ok("kg", "candidates", "--kind", "relation").out


@pytest.mark.parametrize(
    "command", [["correct", "ID", "It is."], ["kg", "stage", "ID"], ["kg", "add", "entity", "X", "--from", "ID"]]
)
def test_of_a_row_that_is_gone_it_is_said_what_became_of_it(voice: Voice, command: list[str]) -> None:
    old = voice.remember("Marta lives in Porto now.")
    voice.ok("forget", "--id", old, "--yes")
    assert f"{old} is gone: it was forgotten on" in voice.refused(*(old if word == "ID" else word for word in command))


def test_an_edge_is_pointed_elsewhere_since_a_day(voice: Voice, is_as_documented: Documented) -> None:
    for name in ("Anna", "Kiln Co", "Clay Co"):
        voice.ok("kg", "add", "entity", name)
    old = voice.ok("kg", "add", "relation", "Anna", "works_at", "Kiln Co").out.strip()
    is_as_documented("cli/correct", voice.ok("correct", old, "--to", "clay co", "--since", "2026-01-01", "--json"))
    shown = voice.ok("kg", "show", "Anna").out
    assert "Anna --works_at--> Clay Co" in shown
    assert "[true from 2026-01-01]" in shown


@pytest.mark.parametrize(("words", "said"), TABLES["what_cannot_be_corrected_is_told_in_one_line"])
def test_what_cannot_be_corrected_is_told_in_one_line(told: Voice, words: list[str], said: str) -> None:
    assert said in told.refused("correct", *words)


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


def test_a_question_is_asked_of_what_was_known_then(voice: Voice) -> None:
    voice.ok("correct", voice.remember("Marta lives in Porto now."), "Marta lives in Lisbon now.")
    ran = voice("ask", "Where does Marta live now?", "--as-of", "2020-01-01", "--plain")
    assert ran.code == 3  # nothing was known yet
    assert "as of 2020-01-01: Where does Marta" in voice.ok("sessions", "list").out
    assert "starts a new session" in voice.refused("ask", "Where does Marta live now?", "--as-of", "2020-01-01", "-c")


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


def test_what_still_says_the_old_words_is_shown_beside_a_correction(voice: Voice, is_as_documented: Documented) -> None:
    voice.ok("kg", "add", "entity", "Anna", "--type", "person", "--description", "A potter from Bergen.")
    for name in ("Bergen", "Lisbon", "Cork"):
        voice.ok("kg", "add", "entity", name)
    voice.ok("remember", "Anna lives in Bergen. Anna likes Bergen.")
    note = voice.ok("retrieve", "Anna lives in Bergen", "--lexical-only", "--mix", "0").out.split()[4]
    lives = voice.ok("kg", "add", "relation", "Anna", "lives_in", "Bergen", "--from", note).out.strip()
    voice.ok("kg", "add", "relation", "Anna", "likes", "Bergen", "--from", note)
    voice.ok("kg", "add", "observation", "Anna lives in Cork.", "--about", "Anna")
    voice.ok("kg", "add", "observation", "Anna lives in Oslo.", "--about", "Anna", "--private")
    shown = voice.ok("kg", "show", "Anna").out
    anna = shown.split()[2].rstrip(":")
    old = next(line for line in shown.splitlines() if " Anna lives in Bergen. o:" in line).split()[-1]
    before = voice.ok("export", "-").out
    dry = voice.ok("correct", old, "Anna lives in Lisbon.", "--dry-run", "--json")
    is_as_documented("cli/correct", dry)
    still = {anna: "A potter from Bergen.", lives: "Anna --lives_in--> Bergen", note: "Anna lives in Bergen."}
    assert dry.json["contradicts"] == [], "whether two sentences exclude each other no structure tells"
    assert {one["id"]: one["said"] for one in dry.json["still_says"]} == still
    assert voice.ok("export", "-").out == before
    assert voice.ok("correct", old, "Anna lives in Lisbon.").out.splitlines()[1:] == [
        f"    {row_id} still says this; correct it as well: {words}" for row_id, words in still.items()
    ]
