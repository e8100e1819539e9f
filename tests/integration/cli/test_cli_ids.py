"""Ids on the command line: as much of the beginning as means one, and never a guess."""

import json

import pytest

from cli_runner import Ran, Voice
from tables import tables

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("cli:ids:beginning")


@pytest.fixture
def kept(voice: Voice) -> Voice:
    """A memory of thoughts under ids that were chosen: two begin alike, one does not."""
    said = {"t:abcd1": "The kiln is blue.", "t:abcd2": "The wheel is old.", "t:wxyz1": "The shelf is new."}
    lines = [json.dumps({"type": "thought", "id": row_id, "content": text}) for row_id, text in said.items()]
    voice.ok("import", "-", stdin="\n".join(lines).encode())
    return voice


def refused(ran: Ran) -> str:
    assert (ran.code, ran.out) == (2, "")
    return ran.only_line


@pytest.mark.parametrize("dots", ["", "…", "..."])
def test_a_beginning_does_what_the_whole_id_does(kept: Voice, dots: str) -> None:
    short = f"t:wxyz{dots}"
    assert kept.ok("pins", "add", short, "--reason", "it matters").out.split()[1] == "t:wxyz1"
    assert kept.ok("removals", "mark", short).out.startswith("marked 1 thought")
    assert kept.ok("removals", "unmark", short).out == "unmarked 1 thought and 1 dependent row\n"
    assert "would replace t:wxyz1" in kept.ok("correct", short, "The shelf is red.", "--dry-run").out
    assert "would forget t:wxyz1" in kept.ok("forget", "--id", short, "--dry-run").out
    assert "redacted t:wxyz1" in kept.ok("redact", "--id", short, "--yes").out


def test_candidates_entities_and_pins_go_by_a_beginning(kept: Voice) -> None:
    kept.ok("remember", "Anna Lund ordered forty bricks.")
    found = kept.ok("kg", "candidates", "--json").json["candidates"]
    waiting = next(each["id"] for each in found)
    assert kept.ok("kg", "edit", waiting[:8], "--name", "Anna Lund", "--dry-run").out.startswith(waiting)
    assert kept.ok("kg", "reject", f"{waiting[:8]}…", "--dry-run").out.startswith(waiting)
    approved = kept.ok("kg", "approve", f"{waiting[:8]}…").out
    assert approved.startswith(waiting)
    entity = approved.split()[-1]
    assert entity in kept.ok("kg", "show", entity[:-4]).out
    pin = kept.ok("pins", "add", f"{entity[:-4]}…", "--reason", "a friend").out.split()[0]
    assert kept.ok("pins", "remove", pin[:-4]).out == f"{pin} is removed\n"


@pytest.mark.requirement("cli:ids:never-guess")
@pytest.mark.parametrize("command", TABLES["what_could_mean_several_does_nothing_and_lists_them"])
def test_what_could_mean_several_does_nothing_and_lists_them(kept: Voice, command: tuple[str, ...]) -> None:
    before = kept.ok("export", "-").out
    assert "could mean several: t:abcd1, t:abcd2; use more of the id" in refused(kept(*command))
    assert kept.ok("export", "-").out == before


@pytest.mark.requirement("cli:ids:never-guess")
def test_what_means_nothing_or_is_too_short_says_so(kept: Voice) -> None:
    assert "no id begins with 't:nope'" in refused(kept("correct", "t:nope…", "The kiln is red."))
    assert "at least 4 characters" in refused(kept("forget", "--id", "t:wxy…", "--yes"))
    assert "t:wxy" in refused(kept("forget", "--id", "t:wxy", "--yes"))


def test_the_statement_of_a_note_is_corrected_by_the_beginning_that_was_copied(kept: Voice) -> None:
    rows = [json.loads(line) for line in kept.ok("export", "-").out.splitlines()]
    row_id = next(row["id"] for row in rows if row.get("type") == "observation" and "shelf" in row["text"])
    assert f"replaces {row_id}" in kept.ok("correct", f"{row_id[:-3]}…", "The shelf is red.").out
