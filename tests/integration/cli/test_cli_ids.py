"""Ids on the command line: as much of the beginning as means one, and never a guess."""

import json

import pytest

from cli_runner import Ran, Voice

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


def test_a_beginning_does_what_the_whole_id_does(kept: Voice) -> None:
    assert kept.ok("pins", "add", "t:wxyz", "--reason", "it matters").out.split()[1] == "t:wxyz1"
    assert kept.ok("removals", "mark", "t:wxyz…").out.startswith("marked 1 thought")
    assert kept.ok("removals", "unmark", "t:wxyz...").out == "unmarked 1 thought and 1 dependent row\n"
    rows = [json.loads(line) for line in kept.ok("export", "-").out.splitlines()]
    row_id = next(row["id"] for row in rows if row.get("type") == "observation" and "shelf" in row["text"])
    assert f"replaces {row_id}" in kept.ok("correct", f"{row_id[:-3]}…", "The shelf is red.").out
    assert "would forget t:abcd1" in kept.ok("forget", "--id", "t:abcd1", "--dry-run").out
    assert "redacted t:wxyz1" in kept.ok("redact", "--id", "t:wxyz", "--yes").out


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
def test_what_could_mean_several_or_nothing_does_nothing_and_lists_them(kept: Voice) -> None:
    before = kept.ok("export", "-").out
    for command in (
        ("correct", "t:abcd", "Red."),
        ("redact", "--id", "t:abcd…", "--yes"),
        ("removals", "mark", "t:abcd"),
    ):
        assert "could mean several: t:abcd1, t:abcd2; use more of the id" in refused(kept(*command))
    assert "no id begins with 't:nope'" in refused(kept("correct", "t:nope…", "The kiln is red."))
    assert "at least 4 characters" in refused(kept("forget", "--id", "t:wxy…", "--yes"))
    assert "t:wxy" in refused(kept("forget", "--id", "t:wxy", "--yes"))
    assert kept.ok("export", "-").out == before
