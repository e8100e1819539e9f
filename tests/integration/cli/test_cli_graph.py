"""The knowledge graph by hand: `kg`.

The knowledge graph for other programs and for the eye: `kg export`, `kg graph`.
`voice kg merge`, `unmerge` and `merges`.
"""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import cast
from xml.etree import ElementTree as ET

import pytest

from cli_runner import Ran, Voice, run_command

Documented = Callable[[str, Ran], None]


def row_of(ran: Ran) -> dict[str, object]:
    return cast("dict[str, dict[str, object]]", ran.json)["row"]


@pytest.mark.requirement("ruling:C10")
def test_an_entity_with_its_relation_and_observation_is_entered_and_shown(
    voice: Voice, is_as_documented: Documented
) -> None:
    thought = voice.ok(
        "remember", "Anna Lund fires the kiln at cone 6.", "--tag", "studio", "--at", "2025-03-01"
    ).out.split()[0]
    anna = voice.ok(
        "kg", "add", "entity", "Anna Lund", "--type", "person", "--alias", "Anna", "--from", thought, "--json"
    )
    is_as_documented("cli/kg-add", anna)
    assert (row_of(anna)["trust"], row_of(anna)["tags"]) == ("green", ["studio"])
    voice.ok("kg", "add", "entity", "Kiln", "--description", "The big one.")
    edge = voice.ok("kg", "add", "relation", "anna", "works with", "Kiln", "--valid-from", "2025-01-01", "--json")
    is_as_documented("cli/kg-add", edge)
    quoted = ["--from", thought, "--quote", "cone 6", "--valid-from", "2025-01-01", "--valid-until", "2026-01-01"]
    seen = voice.ok("kg", "add", "observation", "Anna fires at cone 6.", "--about", "Anna", *quoted, "--json")
    is_as_documented("cli/kg-add", seen)
    assert row_of(seen)["provenance"] == [{"thought_id": thought, "start": 28, "end": 34}]
    is_as_documented("cli/kg-show", voice.ok("kg", "show", "ANNA", "--json"))
    shown = voice.ok("kg", "show", "Anna Lund").out
    assert "Anna Lund (person) e:" in shown
    assert "also: Anna" in shown
    assert "Anna Lund --works_with--> Kiln" in shown
    assert "[true from 2025-01-01]" in shown
    assert "2025-03-01 Anna fires at cone 6. o:" in shown
    assert "[true from 2025-01-01 until 2026-01-01]" in shown
    assert "Kiln (concept) e:" in voice.ok("kg", "show", "kiln").out


def test_entities_are_listed_by_name_and_type(voice: Voice, is_as_documented: Documented) -> None:
    empty = voice.ok("kg", "list")
    assert (empty.out, "No entities" in empty.only_line) == ("", True)
    voice.ok("kg", "add", "entity", "Zoe", "--type", "person")
    voice.ok("kg", "add", "entity", "Anna", "--type", "Person", "--alias", "Annie")
    voice.ok("kg", "add", "entity", "Kiln", "--type", "tool")
    is_as_documented("cli/kg-list", voice.ok("kg", "list", "--json"))
    lines = voice.ok("kg", "list", "--type", "person").out.splitlines()
    assert [line.split("  ")[-1].strip() for line in lines] == ["Anna (also Annie)", "Zoe"]


@pytest.mark.requirement("promise:6")
def test_private_rows_of_the_graph_are_shown_only_when_asked_for(voice: Voice) -> None:
    voice.ok("kg", "add", "entity", "Anna", "--type", "person")
    voice.ok("kg", "add", "entity", "Vault", "--private")
    voice.ok("kg", "add", "relation", "Anna", "opens", "Vault")
    voice.ok("kg", "add", "observation", "Anna hides the key.", "--about", "Anna", "--private")
    assert "Vault" not in voice.ok("kg", "list").out
    assert "Vault" in voice.ok("kg", "list", "--private").out
    assert voice("kg", "show", "Vault").code == 2
    public, everything = voice.ok("kg", "show", "Anna").out, voice.ok("kg", "show", "Anna", "--private").out
    assert [word in public for word in ("Vault", "hides")] == [False, False]
    assert [word in everything for word in ("Vault", "hides")] == [True, True]


def test_a_name_that_could_mean_two_is_an_error_that_lists_them(voice: Voice) -> None:
    one = voice.ok("kg", "add", "entity", "Anna", "--type", "person").out.strip()
    other = voice.ok("kg", "add", "entity", "Anna", "--type", "boat").out.strip()
    ran = voice("kg", "show", "Anna")
    assert ran.code == 2
    assert one in ran.only_line
    assert other in ran.only_line
    assert "(person)" in voice.ok("kg", "show", one).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "entity", "  "], "must not be empty"),
        (["add", "observation", "x", "--about", "Nobody"], "add it first with `voice kg add entity`"),
        (["add", "observation", "x", "--from", "t:nothing"], "there is no thought t:nothing"),
        (["add", "observation", "x", "--quote", "words"], "--quote needs exactly one thought"),
        (["add", "observation", "x", "--valid-from", "2025", "--valid-until", "2024-01-01"], "not understood"),
        (["add", "observation", "x", "--valid-from", "2025-01-01", "--valid-until", "2025-01-01"], "must be later"),
        (["show", "Nobody"], "no entity called 'Nobody'; `voice kg list` shows those there are"),
    ],
)
def test_what_cannot_be_meant_is_said_in_one_line(voice: Voice, arguments: list[str], said: str) -> None:
    ran = voice("kg", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.only_line


def test_an_observation_can_be_piped_in(voice: Voice) -> None:
    voice.ok("kg", "add", "observation", "-", stdin=b"The kiln fires at cone 6.\n")
    assert "The kiln fires at cone 6." in voice.ok("export", "-").out


@pytest.mark.requirement("promise:6")
def test_entities_that_are_perhaps_one_are_suggested_and_two_persons_stay_two(
    voice: Voice, is_as_documented: Documented
) -> None:
    none = voice.ok("kg", "duplicates")
    assert (none.out, "No two entities" in none.only_line) == ("", True)
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


@pytest.fixture
def filled(voice: Voice) -> Voice:
    voice.ok("kg", "add", "entity", "Anna Lund", "--type", "person", "--alias", "Anna")
    voice.ok("kg", "add", "entity", "Kiln", "--type", "tool")
    voice.ok("kg", "add", "entity", "Porto", "--type", "place")
    voice.ok("kg", "add", "entity", "Vault", "--private")
    voice.ok("kg", "add", "relation", "Anna", "fires", "Kiln")
    voice.ok("kg", "add", "relation", "Kiln", "stands_in", "Porto")
    voice.ok("kg", "add", "relation", "Anna", "opens", "Vault")
    voice.ok("kg", "add", "observation", "Anna fires at cone 6.", "--about", "Anna", "--about", "Kiln")
    return voice


def test_the_graph_is_printed_or_written_to_a_file_of_ones_own(
    filled: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    printed = filled.ok("kg", "export")
    assert {each.get("name") for each in json.loads(printed.out)["@graph"]} >= {"Anna Lund", "Kiln", "Porto"}
    assert printed.only_line == "voice: 1 private row is left out; --private lets it out"
    path = tmp_path / "graph.jsonld"
    told = filled.ok("kg", "export", "--out", str(path))
    assert told.out == f"3 entities, 2 relations, 1 observation, {len(path.read_bytes()):,} bytes in {path}\n"
    assert path.read_text(encoding="utf-8") == printed.out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    ran = filled.ok("kg", "export", "--out", str(path), "--force", "--json")
    is_as_documented("cli/kg-export", ran)
    assert cast("dict[str, object]", ran.json)["private_left_out"] == 1


def test_what_graphml_has_no_place_for_is_told_and_not_counted(filled: Voice, tmp_path: Path) -> None:
    filled.ok("kg", "add", "observation", "It rained.")
    for name, count, notes in (("a.jsonld", 2, 1), ("a.graphml", 1, 2)):
        ran = filled.ok("kg", "export", "--out", str(tmp_path / name), "--json")
        assert (cast("dict[str, object]", ran.json)["observations"], len(ran.err.splitlines())) == (count, notes)
    assert "1 observation about no entity is left out; JSON-LD has them" in ran.err


def test_a_file_that_is_there_is_not_replaced_unasked(filled: Voice, tmp_path: Path) -> None:
    path = tmp_path / "graph.graphml"
    path.write_text("mine", encoding="utf-8")
    for command in (["export"], ["graph", "Anna"]):
        ran = filled("kg", *command, "--out", str(path))
        assert (ran.code, path.read_text(encoding="utf-8")) == (2, "mine")
        assert "--force" in ran.err


def test_the_name_of_the_file_says_what_is_written(filled: Voice, tmp_path: Path) -> None:
    for name, options, is_xml in (
        ("a.graphml", [], True),
        ("b.XML", [], True),
        ("c.json", [], False),
        ("d.txt", [], False),
        ("e.txt", ["--format", "graphml"], True),
    ):
        filled.ok("kg", "export", "--out", str(tmp_path / name), *options)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<?xml") is is_xml


def test_only_what_lies_around_an_entity_is_written(filled: Voice) -> None:
    def names(*options: str) -> set[str]:
        text = filled.ok("kg", "export", "--format", "graphml", *options).out
        return {each.text or "" for each in ET.fromstring(text).iter() if each.get("key") == "node.label"}

    assert names("--around", "Porto") == {"Porto", "Kiln", "Anna fires at cone 6."}
    assert names("--around", "Porto", "--hops", "2") == {"Porto", "Kiln", "Anna Lund", "Anna fires at cone 6."}
    assert "Vault" in names("--around", "Anna", "--private")


@pytest.mark.requirement("promise:6")
def test_private_rows_leave_only_when_that_is_asked_for(filled: Voice) -> None:
    for command in (["export"], ["export", "--format", "graphml"], ["graph", "Anna"]):
        assert "Vault" not in filled.ok("kg", *command).out
        allowed = filled.ok("kg", *command, "--private")
        assert ("Vault" in allowed.out, allowed.err) == (True, "")


def test_a_page_is_drawn_and_written(filled: Voice, tmp_path: Path, is_as_documented: Documented) -> None:
    path = tmp_path / "anna.html"
    told = filled.ok("kg", "graph", "Anna", "--out", str(path))
    assert told.out == f"3 entities, 2 relations, 1 observation in {path}\n"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    cut = filled.ok("kg", "graph", "Anna", "--most", "2", "--out", str(path), "--force")
    assert cut.out.startswith(
        "2 entities, 1 relation, 1 observation (1 less connected left out; --most sets how many) in"
    )
    ran = filled.ok("kg", "graph", "Anna", "--hops", "1", "--out", str(path), "--force", "--json")
    is_as_documented("cli/kg-graph", ran)
    assert cast("dict[str, object]", ran.json)["entities"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["export", "--hops", "2"], "--around"),
        (["export", "--json"], "--out"),
        (["graph", "Anna", "--json"], "--out"),
        (["graph", "Nobody"], "Nobody"),
        (["graph", "Vault"], "Vault"),
        (["export", "--around", "Nobody"], "Nobody"),
        (["export", "--out", "no/such/folder/x.jsonld"], "in a directory that is there"),
        (["graph", "Anna", "--hops", "0"], "--hops"),
    ],
)
def test_an_export_that_cannot_be_meant_is_said_in_one_line(filled: Voice, arguments: list[str], said: str) -> None:
    ran = filled("kg", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err.splitlines()[-1]


def test_the_page_is_shown_in_the_browser_from_a_file_nobody_else_can_enter(filled: Voice, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{shown}"\n', encoding="utf-8")
    browser.chmod(0o700)
    env = {"BROWSER": str(browser), "TMPDIR": str(tmp_path)}
    ran = run_command("kg", "graph", "Anna", "--open", "--json", home=filled.home, env=env)
    assert ran.code == 0, ran
    told = cast("dict[str, object]", ran.json)
    place = Path(str(told["path"]))
    assert (told["opened"], shown.read_text(encoding="utf-8")) == (True, place.as_uri())
    assert (place.parent.parent, stat.S_IMODE(place.parent.stat().st_mode)) == (tmp_path, 0o700)


def test_without_a_browser_the_file_is_named(filled: Voice, tmp_path: Path) -> None:
    path = tmp_path / "anna.html"
    env = {"BROWSER": "false", "DISPLAY": "", "WAYLAND_DISPLAY": "", "PATH": str(tmp_path)}
    ran = run_command("kg", "graph", "Anna", "--out", str(path), "--open", home=filled.home, env=env)
    assert ran.code == 0, ran
    assert f"no browser could be opened; open {path} yourself" in ran.err


def test_an_empty_graph_is_written_all_the_same(voice: Voice) -> None:
    voice.ok("remember", "It rained.")
    assert len(json.loads(voice.ok("kg", "export").out)["@graph"]) >= 1


@pytest.mark.requirement("ruling:F.6")
def test_two_are_merged_listed_and_taken_apart(voice: Voice, is_as_documented: Documented) -> None:
    one = voice.ok("kg", "add", "entity", "Anna Lund", "--type", "person").out.strip()
    two = voice.ok("kg", "add", "entity", "Anna", "--type", "person").out.strip()
    voice.ok("kg", "add", "observation", "Anna fires at cone 6.", "--about", two)
    suggested = voice.ok("kg", "duplicates")
    assert "Anna Lund (person)" in suggested.out
    assert "voice kg merge" in suggested.err
    assert "nothing was merged" in voice.ok("kg", "merges").err
    dry = voice.ok("kg", "merge", "Anna Lund", "Anna", "--dry-run")
    assert dry.out == f"Anna ({two}) would become part of Anna Lund ({one}), 1 row moved along\n"
    is_as_documented("cli/kg-merge", voice.ok("kg", "merge", one, two, "--dry-run", "--json"))
    done = voice.ok("kg", "merge", "Anna Lund", "Anna", "--reason", "the same person")
    merge_id = done.out.split()[0]
    assert done.out == f"{merge_id}  Anna ({two}) is part of Anna Lund ({one}), 1 row moved along\n"
    shown = voice.ok("kg", "show", "Anna").out
    assert shown.startswith(f"Anna Lund (person) {one}")
    assert "also: Anna" in shown
    listed = voice.ok("kg", "merges", "--json")
    is_as_documented("cli/kg-merges", listed)
    assert cast("list[dict[str, object]]", listed.json)[0]["id"] == merge_id
    voice.ok("kg", "add", "observation", "She moved to Faro.", "--about", one)
    is_as_documented("cli/kg-merge", voice.ok("kg", "unmerge", merge_id, "--dry-run", "--json"))
    back = voice.ok("kg", "unmerge", merge_id)
    assert back.out == f"{merge_id}  Anna ({two}) is no longer part of Anna Lund ({one}), 1 row moved back\n"
    assert f"said since and still about {one}" in back.err
    assert "taken back" in voice.ok("kg", "merges").out
    assert {"Anna", "Anna Lund"} <= {line.split("  ")[-1].split(" ", 1)[-1].strip() for line in _listed(voice)}


@pytest.mark.requirement("ruling:F.6")
def test_a_relation_between_the_two_is_told_as_ended_and_a_thing_of_another_kind_as_what_it_is(voice: Voice) -> None:
    voice.ok("kg", "add", "entity", "Anna", "--type", "person")
    voice.ok("kg", "add", "entity", "Faro", "--type", "place")
    voice.ok("kg", "add", "relation", "Anna", "lives_in", "Faro")
    dry = voice.ok("kg", "merge", "Anna", "Faro", "--dry-run")
    assert dry.out.endswith(", 1 relation between the two ended\n")
    assert dry.only_line == "voice: a place would become part of a person"
    done = voice.ok("kg", "merge", "Anna", "Faro")
    merge_id = done.out.split()[0]
    assert done.only_line == f"voice: a place became part of a person; if that is wrong: voice kg unmerge {merge_id}"
    assert voice.ok("kg", "unmerge", merge_id).out.endswith(", 1 relation again\n")


@pytest.mark.requirement("ruling:F.6")
def test_what_an_entity_was_before_is_told_by_its_name_and_kind(voice: Voice) -> None:
    voice.ok("kg", "add", "entity", "Anna Lund", "--type", "person")
    voice.ok("kg", "add", "entity", "Anna", "--type", "person", "--alias", "Ann")
    voice.ok("kg", "merge", "Anna Lund", "Anna")

    past = [line for line in voice.ok("kg", "show", "Anna Lund").out.splitlines() if line.startswith("before: ")]
    assert sorted(line.split(" e:")[0] for line in past) == [
        "before: Anna (person, also Ann)",
        "before: Anna Lund (person)",
    ]


def _listed(voice: Voice) -> list[str]:
    return voice.ok("kg", "list").out.splitlines()


@pytest.mark.requirement("ruling:F.6")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["merge", "Anna", "Anna"], "nothing to merge"),
        (["merge", "Anna", "Nobody"], "Nobody"),
        (["unmerge", "m:nowhere"], "there is no merge 'm:nowhere'; `voice kg merges` lists those there are"),
    ],
)
def test_what_cannot_be_merged_is_told_in_one_line(voice: Voice, words: list[str], told: str) -> None:
    voice.ok("kg", "add", "entity", "Anna", "--type", "person")
    ran = voice("kg", *words)
    assert (ran.code, told in ran.only_line) == (2, True), ran
