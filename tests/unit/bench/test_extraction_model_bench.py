"""How a model that reads notes is measured beside the rules, with readings that are given."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from bench.extraction_model import main, report_on
from bench.extraction_notes import LabelledNote, read_notes

from voice.core.graph.review.extraction_results import EntityType, Extracted, ExtractedEntity, ExtractedRelation
from voice.core.records import Provenance
from voice.services.graph.model_extraction import ModelRead

TEXT = "Paula brought Zorp. Paula works at Quux GmbH."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    def labelled(name: str, kind: str) -> dict[str, Any]:
        at = TEXT.index(name)
        return {"name": name, "type": kind, "aliases": [], "mentions": [[at, at + len(name)]]}

    note = {
        "id": "n1",
        "half": "held_out",
        "language": "en",
        "created_at": "2025-06-05T12:00:00Z",
        "speaker": None,
        "text": TEXT,
        "entities": [labelled("Paula", "person"), labelled("Quux GmbH", "organisation"), labelled("Zorp", "tool")],
        "relations": [
            {"source": "Paula", "type": "works_at", "target": "Quux GmbH", "valid_from": None, "valid_until": None}
        ],
        "observations": [],
    }
    path = tmp_path / "notes.jsonl"
    path.write_text(json.dumps(note), encoding="utf-8")
    return path


def found_in(note: LabelledNote, name: str, kind: EntityType) -> ExtractedEntity:
    at = TEXT.index(name)
    here = Provenance(thought_id=note.thought.id, start=at, end=at + len(name))
    return ExtractedEntity(name=name, entity_type=kind, confidence=0.7, mentions=(here,))


def share(report: dict[str, object], way: str, kind: str) -> tuple[float | None, float | None]:
    own = cast("dict[str, dict[str, dict[str, float | None]]]", report)[way][kind]
    return own["precision"], own["recall"]


def test_the_model_is_scored_alone_and_beside_the_rules_whose_findings_count_once(data: Path) -> None:
    (note,) = read_notes(data)
    zorp, paula = found_in(note, "Zorp", "tool"), found_in(note, "Paula", "place")
    works = ExtractedRelation(
        source="Paula", rel_type="works_at", target="Quux GmbH", confidence=0.6, mentions=zorp.mentions
    )
    elsewhere = ExtractedEntity(
        name="Oslo", entity_type="place", confidence=0.7, mentions=(Provenance(thought_id="t:other", start=0, end=4),)
    )
    read = ModelRead(found=(Extracted(entities=(zorp, paula, elsewhere), relations=(works,)),), unsupported=2)
    report = report_on([note], read)
    assert share(report, "rules", "entities") == (1.0, 0.6667)
    assert share(report, "llm", "entities") == (0.5, 0.3333)
    assert share(report, "both", "entities") == (1.0, 1.0)
    assert share(report, "rules", "relations") == share(report, "both", "relations") == (1.0, 1.0)
    assert (report["unsupported"], report["unread"], report["notes"]) == (2, 0, 1)


def test_what_cannot_be_read_and_replies_that_are_not_there_are_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away = ["--cache", str(tmp_path / "cache"), "--rejudge"]
    assert main(["--data", str(tmp_path / "none.jsonl"), *away]) == 2
    assert main(["--data", str(data), *away]) == 5
    told = capsys.readouterr()
    assert (told.out, told.err.count("bench.extraction_model: ")) == ("", 2)
