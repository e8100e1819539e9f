"""SECURITY.md names a test for every threat, and misses none of what the web door promises."""

import re
from pathlib import Path

import pytest

from requirements import load

_ROOT = Path(__file__).resolve().parents[2]
_ROW = re.compile(
    r"^\| (?P<threat>[^|]+) \| (?P<measure>[^|]+) \| `(?P<id>http:[a-z-]+)` \| `(?P<file>[^`]+)::(?P<test>[^`]+)` \|$",
    re.MULTILINE,
)
_ROWS = list(_ROW.finditer((_ROOT / "SECURITY.md").read_text(encoding="utf-8")))
_SECTION = "design, 8 Web: security"


@pytest.mark.requirement("http:threats")
@pytest.mark.parametrize("row", _ROWS, ids=[row["id"] for row in _ROWS])
def test_every_threat_names_a_test_that_shows_its_measure(row: "re.Match[str]") -> None:
    source = (_ROOT / row["file"]).read_text(encoding="utf-8")
    found = re.search(rf"((?:^@.*\n|^(?! |async def|def).*\n)*)^(?:async )?def {row['test']}\(", source, re.MULTILINE)
    assert found, f"{row['file']} has no {row['test']}"
    before = source[: found.end()].rpartition("\n\n\n")[2]
    assert f'"{row["id"]}"' in before, f"{row['test']} does not cite {row['id']}"


@pytest.mark.requirement("http:threats")
def test_everything_the_web_door_promises_for_security_is_told_there() -> None:
    promised = {each.id for each in load().values() if each.source == _SECTION}
    assert len(promised) > 15
    assert promised - {row["id"] for row in _ROWS} == set()
    lines = (_ROOT / "SECURITY.md").read_text(encoding="utf-8").count("| `http:")
    assert len(_ROWS) == lines, "a row of the table is not written like the others"
