"""The bench of extraction counts what it says it counts, and its labelled notes are what the docs say."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench.extraction import main, measure
from bench.extraction_notes import read_notes

_NOTES = Path(__file__).resolve().parents[3] / "bench" / "data" / "extraction-notes.jsonl"


def _note(text: str, **labels: object) -> dict[str, Any]:
    return {
        "id": "n1",
        "half": "held_out",
        "language": "en",
        "created_at": "2025-06-05T12:00:00Z",
        "speaker": None,
        "text": text,
        "entities": [],
        "relations": [],
        "observations": [],
        **labels,
    }


def _entity(name: str, kind: str | None, start: int) -> dict[str, Any]:
    return {"name": name, "type": kind, "aliases": [], "mentions": [[start, start + len(name)]]}


def _written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_the_labelled_notes_are_a_hundred_of_which_forty_are_held_out() -> None:
    notes = list(read_notes(_NOTES))
    assert [len(notes), sum(note.half == "held_out" for note in notes)] == [100, 40]
    for note in notes:
        ends = {end for one in note.relations for end in (one.source, one.target)}
        assert ends <= {one.name for one in note.entities}


@pytest.mark.requirement("ruling:F.2")
def test_at_the_thresholds_nine_of_ten_entities_and_three_of_four_relations_are_right() -> None:
    figures: Any = measure([_NOTES], "held_out")
    assert figures["entities"]["precision"] >= 0.9
    assert figures["relations"]["precision"] >= 0.75


def test_right_wrong_and_missing_are_counted(tmp_path: Path) -> None:
    text = "Anna works at Siemens since May. Zorp is unknown."
    row = _note(
        text,
        entities=[_entity("Anna", "person", 0), _entity("Siemens", "place", 14), _entity("Zorp", None, 33)],
        relations=[
            {"source": "Anna", "type": "works_at", "target": "Siemens", "valid_from": None, "valid_until": None},
            {"source": "Anna", "type": "lives_in", "target": "Zorp", "valid_from": None, "valid_until": None},
        ],
        observations=[
            {"start": 0, "end": 32, "kind": "statement", "valid_from": "2025-05-01T00:00:00Z", "valid_until": None},
            {"start": 33, "end": 49, "kind": "none", "valid_from": None, "valid_until": None},
        ],
    )
    figures: Any = measure([_written(tmp_path / "notes.jsonl", row)], "all")
    assert figures["entities"] | {"n": 3, "read": 2, "precision": 0.5, "recall": 0.3333} == figures["entities"]
    assert figures["relations"] | {"n": 2, "read": 1, "precision": 1.0, "recall": 0.5} == figures["relations"]
    assert figures["observations"] | {"n": 1, "recall": 1.0, "bounds_right": 1} == figures["observations"]


def test_shares_of_checked_statements_and_evidence_have_no_precision(tmp_path: Path) -> None:
    sources = [{"id": "s1", "text": "Anna: I moved to Berlin with my two dogs last spring."}]
    rows = [
        {"id": "1", "set": "x", "answer": answer, "sources": sources, "label": label}
        for answer, label in (
            ("Anna moved to Berlin with her dogs", "supported"),
            ("Quantum chemistry puzzles everyone", "supported"),
            ("Anna moved to Rome", "unsupported"),
        )
    ]
    lines = _written(tmp_path / "checked.jsonl", *rows)
    item = {"id": "i1", "text": "Anna moved to Berlin.", "created_at": "2025-01-01T00:00:00Z", "speaker": "Anna"}
    other = item | {"id": "i2"}
    corpora = [{"id": "c", "items": [item, other], "questions": [{"evidence": ["i1"]}]}]
    memory = tmp_path / "memory.json"
    memory.write_text(json.dumps({"corpora": corpora}), encoding="utf-8")
    figures: Any = measure([lines, memory], "all")
    assert figures["observations"] == {"precision": None, "recall": 0.6667, "n": 3}
    assert figures["files"]["checked.jsonl"]["observations"]["recall"] == 0.5


@pytest.mark.parametrize("content", ["not json", '{"something": 1}', "[1]", '{"text": "x", "entities": []}'])
def test_a_file_in_no_known_format_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(content, encoding="utf-8")
    assert main(["--data", str(path), "--json"]) == 2
    assert "other.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("wish", [[], ["--json"], ["--misses"], ["--calibrate"]])
def test_it_prints_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str], wish: list[str]) -> None:
    row = _note("Zorp met Anna.", entities=[_entity("Zorp", "person", 0)])
    path = _written(tmp_path / "notes.jsonl", row)
    assert main(["--data", str(path), "--half", "all", *wish]) == 0
    assert capsys.readouterr().out
