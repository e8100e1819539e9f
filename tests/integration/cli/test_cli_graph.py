"""The knowledge graph by hand: `kg`."""

import pytest

from cli_runner import Documented, Voice
from tables import tables

TABLES = tables(__file__)


@pytest.mark.requirement("ruling:C10")
def test_an_entity_with_its_relation_and_observation_is_entered_and_shown(
    voice: Voice, is_as_documented: Documented
) -> None:
    thought = voice.remember("Anna Lund fires the kiln at cone 6.", "--tag", "studio", "--at", "2025-03-01")
    named = ["Anna Lund", "--type", "person", "--alias", "Anna"]
    anna = voice.ok("kg", "add", "entity", *named, "--from", thought, "--json")
    is_as_documented("cli/kg-add", anna)
    assert (anna.json["row"]["trust"], anna.json["row"]["tags"]) == ("green", ["studio"])
    voice.ok("kg", "add", "entity", "Kiln", "--description", "The big one.")
    edge = voice.ok("kg", "add", "relation", "anna", "works with", "Kiln", "--valid-from", "2025-01-01", "--json")
    is_as_documented("cli/kg-add", edge)
    quoted = ["--from", thought, "--quote", "cone 6", "--valid-from", "2025-01-01", "--valid-until", "2026-01-01"]
    seen = voice.ok("kg", "add", "observation", "Anna fires at cone 6.", "--about", "Anna", *quoted, "--json")
    is_as_documented("cli/kg-add", seen)
    assert seen.json["row"]["provenance"] == [{"thought_id": thought, "start": 28, "end": 34}]
    is_as_documented("cli/kg-show", voice.ok("kg", "show", "ANNA", "--json"))
    shown = voice.ok("kg", "show", "Anna Lund").out
    assert "Anna Lund (person) e:" in shown
    assert "also: Anna" in shown
    assert "Anna Lund --works_with--> Kiln" in shown
    assert "[true from 2025-01-01]" in shown
    assert "2025-03-01 Anna fires at cone 6. o:" in shown
    assert "[true from 2025-01-01 until 2026-01-01]" in shown
    assert "Kiln (concept) e:" in voice.ok("kg", "show", "kiln").out


@pytest.mark.requirement("promise:6")
def test_private_rows_of_the_graph_are_shown_only_when_asked_for(voice: Voice, is_as_documented: Documented) -> None:
    voice.ok("kg", "add", "entity", "Anna", "--type", "person")
    voice.ok("kg", "add", "entity", "Vault", "--private")
    voice.ok("kg", "add", "relation", "Anna", "opens", "Vault")
    voice.ok("kg", "add", "observation", "Anna hides the key.", "--about", "Anna", "--private")
    is_as_documented("cli/kg-list", voice.ok("kg", "list", "--json"))
    assert "Vault" not in voice.ok("kg", "list").out
    assert "Vault" in voice.ok("kg", "list", "--private").out
    assert voice("kg", "show", "Vault").code == 2
    public, everything = voice.ok("kg", "show", "Anna").out, voice.ok("kg", "show", "Anna", "--private").out
    assert [(word in public, word in everything) for word in ("Vault", "hides")] == [(False, True)] * 2
    voice.ok("kg", "merge", "Vault", "Anna", "--private")
    assert ["Anna" in voice.ok("kg", "merge", "--list", *more).out for more in ((), ("--private",))] == [False, True]


def test_what_cannot_be_meant_is_said_in_one_line(voice: Voice) -> None:
    for arguments, said in TABLES["what_cannot_be_meant_is_said_in_one_line"]:
        assert said in voice.refused("kg", *arguments)


@pytest.mark.requirement("promise:6")
def test_entities_that_are_perhaps_one_are_suggested_and_two_persons_stay_two(
    voice: Voice, is_as_documented: Documented
) -> None:
    none = voice.ok("kg", "duplicates")
    assert (none.out, "No duplicates" in none.only_line) == ("", True)
    voice.ok("kg", "add", "entity", "Surreal DB", "--type", "tool")
    voice.ok("kg", "add", "entity", "SurrealDB", "--type", "tool")
    voice.ok("kg", "add", "entity", "Beth", "--type", "person", "--description", "Buys glazes as a customer.")
    voice.ok("kg", "add", "entity", "Beth", "--type", "concept", "--description", "Sells houses for an agency.")
    voice.ok("kg", "add", "entity", "Surreal-DB", "--type", "concept", "--private")
    is_as_documented("cli/kg-duplicates", voice.ok("kg", "duplicates", "--private", "--json"))
    (line,) = voice.ok("kg", "duplicates").out.splitlines()
    assert line.startswith("0.85")
    assert line.endswith("spelled alike")
    assert "Beth" not in line
    assert len(voice.ok("kg", "duplicates", "--private").out.splitlines()) == 3
