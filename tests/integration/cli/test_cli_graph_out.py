"""The knowledge graph for other programs and for the eye: `kg export`, `kg graph`."""

import json
import stat
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from cli_runner import Documented, Voice, run_command
from tables import tables

TABLES = tables(__file__)


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
    assert printed.only_line == "voice: 2 private rows are left out; --private includes them"
    path = tmp_path / "graph.jsonld"
    told = filled.ok("kg", "export", "--out", str(path))
    assert told.out == f"3 entities, 2 relations, 1 observation, {len(path.read_bytes()):,} bytes in {path}\n"
    assert path.read_text(encoding="utf-8") == printed.out
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = filled("kg", "export", "--out", str(path))
    assert (again.code, path.read_text(encoding="utf-8") == printed.out, "--force" in again.err) == (2, True, True)
    filled.ok("kg", "add", "observation", "It rained.")
    ran = filled.ok("kg", "export", "--out", str(path), "--force", "--json")
    is_as_documented("cli/kg-export", ran)
    assert (ran.json["private_left_out"], ran.json["observations"], len(ran.err.splitlines())) == (2, 2, 1)
    ran = filled.ok("kg", "export", "--out", str(path.with_suffix(".XML")), "--json")
    assert (ran.json["observations"], len(ran.err.splitlines())) == (1, 2)
    assert "1 observation about no entity is left out; JSON-LD has them" in ran.err
    assert path.with_suffix(".XML").read_text(encoding="utf-8").startswith("<?xml")


def test_only_what_lies_around_an_entity_is_written(filled: Voice) -> None:
    def names(*options: str) -> set[str]:
        text = filled.ok("kg", "export", "--format", "graphml", *options).out
        return {each.text or "" for each in ET.fromstring(text).iter() if each.get("key") == "node.label"}

    assert names("--around", "Porto") == {"Porto", "Kiln", "Anna fires at cone 6."}
    assert names("--around", "Porto", "--hops", "2") == {"Porto", "Kiln", "Anna Lund", "Anna fires at cone 6."}
    for arguments, said in TABLES["what_cannot_be_meant_is_said_in_one_line"]:
        ran = filled("kg", *arguments)
        assert (ran.code, bool(ran.out)) == (2, "--json" in arguments)
        assert said in ran.err.splitlines()[-1]


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
    cut = filled.ok("kg", "graph", "Anna", "--most", "2", "--out", str(path), "--force").out
    assert cut.startswith("2 entities, 1 relation, 1 observation (1 less connected left out; --most sets how many) in")
    ran = filled.ok("kg", "graph", "Anna", "--hops", "1", "--out", str(path), "--force", "--json")
    is_as_documented("cli/kg-graph", ran)
    assert ran.json["entities"] == 2
    refused = filled("kg", "graph", "Anna", "--out", str(path))
    assert (refused.code, "--force" in refused.err) == (2, True)


def test_the_page_is_shown_in_the_browser_from_a_file_nobody_else_can_enter(filled: Voice, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{shown}"\n', encoding="utf-8")
    browser.chmod(0o700)
    env = {"BROWSER": str(browser), "TMPDIR": str(tmp_path)}
    ran = run_command("kg", "graph", "Anna", "--open", "--json", home=filled.home, env=env)
    assert ran.code == 0, ran
    place = Path(ran.json["path"])
    assert (ran.json["opened"], shown.read_text(encoding="utf-8")) == (True, place.as_uri())
    assert (place.parent.parent, stat.S_IMODE(place.parent.stat().st_mode)) == (tmp_path, 0o700)
    browser.write_text("#!/bin/sh\nfalse\n", encoding="utf-8")
    ran = run_command("kg", "graph", "Anna", "--open", home=filled.home, env={**env, "DISPLAY": "", "PATH": ""})
    assert (ran.code, "could not open a browser; open " in ran.err) == (0, True), ran
