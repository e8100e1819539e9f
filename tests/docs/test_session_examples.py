"""The exported conversation that ships as an example is what the program writes and what docs/sessions.md says."""

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from reference.session_schema import session_schema

from voice.adapters.files.session_file import parse_session

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "sessions" / "piano-tuner.json"
PAGE = ROOT / "docs" / "sessions.md"
SCHEMA = ROOT / "src" / "voice" / "schemas" / "session.schema.json"
pytestmark = pytest.mark.requirement("sessions:portable")
Document = dict[str, list[dict[str, dict[str, object]]]]


@pytest.mark.slow
async def test_the_example_is_what_the_program_writes_today() -> None:
    """`python tools/example_sessions.py` writes it again."""
    spec = importlib.util.spec_from_file_location("example_sessions", ROOT / "tools" / "example_sessions.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    for name, text in cast("dict[str, str]", await tool.written()).items():
        assert (ROOT / "sessions" / name).read_text(encoding="utf-8") == text, name


def test_the_example_can_be_imported_and_holds_a_private_turn_without_its_words() -> None:
    arrival = parse_session(EXAMPLE.read_bytes(), EXAMPLE.name)
    assert [each.status for each in arrival.exchanges] == ["answered", "refused", "answered", "answered", "answered"]
    assert [each.index for each in arrival.exchanges if each.redacted] == [4]
    assert arrival.is_sealed_by(bytes(range(32)))


def test_the_published_schema_is_that_of_the_types() -> None:
    """`make docs` writes it again."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == session_schema()


def test_the_ten_lines_of_the_page_check_a_file() -> None:
    code = next(re.finditer(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))[1]
    names: dict[str, object] = {}
    exec(code, names)
    holds = cast("Callable[[Document], bool]", names["holds"])
    document = cast("Document", json.loads(EXAMPLE.read_text(encoding="utf-8")))
    assert holds(document)
    document["exchanges"][2]["values"]["answer"] = "No."
    assert not holds(document)
