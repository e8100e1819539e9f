"""The example memory keeps what its README promises: counts, exact spans, privacy, and questions that fit."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import NotRequired, TypedDict, cast
from zoneinfo import ZoneInfo

import pytest

from voice.adapters.files.memory_files import pending_file
from voice.adapters.files.opening import read_own_jsonl
from voice.adapters.files.packaged_data import EXAMPLE_NOW, EXAMPLE_ZONE, example_memory, example_questions
from voice.core.graph.thoughts.distillation import distil
from voice.core.interchange.build import EntityNames, SourceThoughts, build_row, build_thought
from voice.core.interchange.memory_lines import ParsedLine, ThoughtLine, export_order
from voice.core.interchange.origin import Arrival, Entrance
from voice.core.records import Entity, Observation, Origin, Relation, Row, RowStatus, Thought, Tombstone, TrustTier
from voice.core.text.instants import has_date

_OWNER = Arrival(entrance=Entrance.CLI, now=datetime(2030, 1, 1, tzinfo=UTC))


class _Window(TypedDict):
    start: str
    end: str


class _Question(TypedDict):
    id: str
    question: str
    category: str
    language: str
    stance: str
    answer: str | None
    evidence: list[str]
    unanswerable: bool
    needs_private: bool
    when: NotRequired[str | None]
    window: _Window | None


def _import(path: Path) -> dict[str, Row]:
    """Read a file the way an import does: thoughts, then entities, then what refers to them."""
    with path.open("rb") as stream:
        read = list(read_own_jsonl(stream))
    lines = [line.record for line in read if isinstance(line, ParsedLine) and not line.unknown_fields]
    assert len(lines) == len(read)
    thoughts = {t.id: t for t in (build_thought(line, _OWNER) for line in lines if isinstance(line, ThoughtLine))}
    rows: dict[str, Row] = dict(thoughts)
    names = EntityNames()
    for line in lines:
        assert not isinstance(line, Tombstone)
        row = build_row(line, _OWNER, names, SourceThoughts(thoughts=thoughts))
        rows[row.id] = row
        if isinstance(row, Entity):
            names.add(row)
    return rows


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    return _import(example_memory())


@pytest.fixture(scope="module")
def questions() -> list[_Question]:
    data = cast("dict[str, object]", json.loads(example_questions().read_text(encoding="utf-8")))
    assert data["format"] == "inner-voice-questions/1"
    assert datetime.fromisoformat(str(data["now"])) == EXAMPLE_NOW
    assert data["zone"] == EXAMPLE_ZONE
    return cast("list[_Question]", data["questions"])


def test_it_holds_what_its_readme_promises(rows: dict[str, Row]) -> None:
    counts = Counter(type(row) for row in rows.values())
    assert counts == {Thought: 185, Entity: 53, Relation: 66, Observation: 51}
    origins = Counter(row.origin for row in rows.values() if isinstance(row, Thought))
    assert origins == {Origin.HUMAN: 166, Origin.LOGGED: 12, Origin.TOOL: 6, Origin.MODEL: 1}
    assert sum(row.is_private for row in rows.values() if isinstance(row, Thought)) == 13


@pytest.mark.requirement("promise:8")
def test_exporting_what_was_imported_gives_the_file_itself(rows: dict[str, Row], tmp_path: Path) -> None:
    once, twice = tmp_path / "once.jsonl", tmp_path / "twice.jsonl"
    for path, kept in ((once, rows), (twice, None)):
        with pending_file(path) as lines:
            lines.write(sorted((_import(once) if kept is None else kept).values(), key=export_order))
    assert once.read_bytes() == example_memory().read_bytes()
    assert twice.read_bytes() == once.read_bytes()


@pytest.mark.requirement("ruling:C13", "ruling:F.5")
def test_every_graph_row_rests_on_spans_that_are_whole_words(rows: dict[str, Row]) -> None:
    for row in rows.values():
        if isinstance(row, Thought):
            continue
        assert row.provenance, row.id
        for span in row.provenance:
            thought = rows[span.thought_id]
            assert isinstance(thought, Thought)
            text = thought.content[span.start : span.end]
            assert text == text.strip(), row.id
            assert text, row.id
            around = thought.content[max(span.start - 1, 0) : span.start] + thought.content[span.end : span.end + 1]
            assert not any(char.isalnum() for char in around), (row.id, text)


@pytest.mark.requirement("ruling:C10")
def test_what_rests_on_private_thoughts_is_private(rows: dict[str, Row]) -> None:
    private = {row.id for row in rows.values() if row.is_private and not isinstance(row, Thought)}
    assert private == {"e:sampaio", "o:ear", "r:sampaio-treats-clara"}


def test_nothing_rests_on_the_hostile_page_or_on_the_assistants_mistake(rows: dict[str, Row]) -> None:
    hostile, wrong = rows["t:260109-web-pinblock"], rows["t:251015-assistant-wrong"]
    assert isinstance(hostile, Thought)
    assert isinstance(wrong, Thought)
    assert "ignore the rules" in hostile.content
    assert (hostile.trust, wrong.trust) == (TrustTier.AMBER, TrustTier.RED)
    used = {span.thought_id for row in rows.values() if not isinstance(row, Thought) for span in row.provenance}
    assert {hostile.id, wrong.id}.isdisjoint(used)


@pytest.mark.requirement("ruling:F.5")
def test_what_was_superseded_names_its_successor_and_ends_where_that_is_known(rows: dict[str, Row]) -> None:
    superseded = [row for row in rows.values() if row.status is RowStatus.SUPERSEDED]
    assert len(superseded) >= 15
    for row in superseded:
        assert not isinstance(row, Thought)
        assert row.valid_until is not None
        successor = rows[row.superseded_by or ""]
        assert type(successor) is type(row)
        assert successor.status is RowStatus.ACTIVE or row.id == "o:delivery-1"


def test_the_notes_lie_within_one_year_before_the_questions(rows: dict[str, Row]) -> None:
    told = [row for row in rows.values() if isinstance(row, Thought) and has_date(row.created_at)]
    dates = [row.created_at for row in told]
    assert min(dates) > datetime(2025, 3, 1, tzinfo=UTC)
    assert max(dates) < EXAMPLE_NOW


def test_there_are_questions_of_every_kind(questions: list[_Question]) -> None:
    kinds = Counter(question["category"] for question in questions)
    assert kinds == {
        "several": 10,
        "fact": 14,
        "time": 8,
        "contradiction": 5,
        "private": 3,
        "outline": 4,
        "undated": 3,
        "unanswerable": 8,
    }
    assert len({question["id"] for question in questions}) == len(questions)
    assert {question["stance"] for question in questions} == {"synthesize", "challenge"}


def test_the_evidence_of_a_question_is_there_visible_and_in_its_window(
    questions: list[_Question], rows: dict[str, Row]
) -> None:
    for question in questions:
        assert bool(question["evidence"]) != question["unanswerable"], question["id"]
        evidence = [rows[key] for key in question["evidence"]]
        assert all(isinstance(row, Thought) for row in evidence)
        assert any(row.is_private for row in evidence) == question["needs_private"], question["id"]
        window = question["window"]
        if window is not None:
            start, end = (datetime.fromisoformat(window[side]) for side in ("start", "end"))
            assert all(start <= row.created_at < end for row in evidence), question["id"]
            assert start.astimezone(ZoneInfo(EXAMPLE_ZONE)).hour == 0


@pytest.mark.requirement("ruling:I1")
def test_a_part_of_it_is_outlines_whose_sentences_stand_under_headings_and_bullets(rows: dict[str, Row]) -> None:
    outlines = [row for row in rows.values() if isinstance(row, Thought) and (row.source_ref or "").endswith(".md")]
    paths = {statement.text: statement.context_path for row in outlines for statement in distil(row)}
    assert len(outlines) == 8
    assert paths["He has Dra. Inês's number."] == ("2026-03-02", "São Miguel", "Fuga", "She stays with Sr. Aníbal.")


@pytest.mark.requirement("ruling:I2")
def test_four_of_its_notes_have_no_day_but_the_one_they_came_in(rows: dict[str, Row]) -> None:
    undated = {row.id: row for row in rows.values() if isinstance(row, Thought) and not has_date(row.created_at)}
    assert set(undated) == {"t:note-boiler", "t:note-books", "t:note-lent", "t:note-zimtsterne"}
    assert all(has_date(row.recorded_at) for row in undated.values())


def test_answers_from_several_sources_have_several(questions: list[_Question]) -> None:
    assert all(len(q["evidence"]) >= 2 for q in questions if q["category"] in {"several", "contradiction"})
