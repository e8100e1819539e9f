"""The page on file formats shows files that can be read, and names every field there is."""

import io
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import cast

from voice.adapters.files.opening import open_reading, read_own_jsonl
from voice.core.interchange.build import EntityNames, build_entity, build_row
from voice.core.interchange.memory_lines import EntityLine, ParsedLine, ThoughtLine
from voice.core.interchange.origin import Arrival, Entrance
from voice.core.records import Entity, Observation, Relation, Thought, Tombstone
from voice.core.text.instants import parse_instant
from voice.ports.files import ReadRequest

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = (_ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
_SCHEMA = cast(
    "dict[str, object]",
    json.loads((_ROOT / "src" / "voice" / "schemas" / "memory.schema.json").read_text(encoding="utf-8")),
)


def _example(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", _PAGE, flags=re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_the_hand_written_file_it_shows_can_be_imported() -> None:
    read = list(read_own_jsonl(io.BytesIO(_example("jsonl").encode())))
    lines = [line.record for line in read if isinstance(line, ParsedLine)]
    assert len(lines) == len(read) == 6
    owner = Arrival(entrance=Entrance.CLI, now=parse_instant("2026-03-20"))
    names = EntityNames(build_entity(line, owner) for line in lines if isinstance(line, EntityLine))
    kinds = [type(build_row(line, owner, names)) for line in lines if not isinstance(line, Tombstone)]
    assert kinds == [Thought, Thought, Entity, Entity, Observation, Relation]


def test_the_note_it_shows_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(_example("markdown"), encoding="utf-8")
    (line,) = open_reading(ReadRequest(path=str(tmp_path / "note.md"))).lines
    assert isinstance(line, ParsedLine)
    assert line.where == "note.md"
    assert isinstance(line.record, ThoughtLine)
    assert line.record.is_private
    assert line.record.content.startswith("# The roof\n\n")


def test_the_page_names_the_schema_and_that_has_exactly_the_fields_of_the_rows_but_what_a_store_assigns() -> None:
    assert f"`{_SCHEMA['$id']}`" in _PAGE
    definitions = cast("dict[str, dict[str, dict[str, object]]]", _SCHEMA["$defs"])
    by_hand = {"observation": {"entities"}, "relation": {"source", "target"}}
    for row in (Thought, Entity, Observation, Relation, Tombstone):
        kind = row.__name__.lower()
        stored = {field.name for field in fields(row)} - {"seq", "revision", "embedding_status"}
        undated = set[str]() if row is Tombstone else {"entered_at"}
        assert set(definitions[kind]["properties"]) == stored | by_hand.get(kind, set()) | undated | {"type"}
