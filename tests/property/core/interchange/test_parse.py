"""Laws of `inner-voice-memory/1`: a row and its line are one thing in two forms; no bytes whatever break the reader."""

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.protocols import Validator

from voice.adapters.files.opening import read_own_jsonl
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.build import SourceThoughts, build_row
from voice.core.interchange.memory_lines import (
    BadLine,
    Exported,
    HeaderLine,
    ParsedLine,
    export_order,
    render_header,
    render_line,
)
from voice.core.interchange.origin import Arrival, Entrance
from voice.core.interchange.parse import parse_line
from voice.core.records import (
    EmbeddingStatus,
    Entity,
    Observation,
    Origin,
    Provenance,
    Relation,
    RowStatus,
    Scope,
    Thought,
    Tombstone,
    TrustTier,
)
from voice.core.text.instants import parse_instant, render_instant
from voice.core.vouch import Vouch

_FILE = Path(__file__).parents[4] / "src" / "voice" / "schemas" / "memory.schema.json"
_DEFINITIONS = cast("dict[str, dict[str, dict[str, object]]]", json.loads(_FILE.read_text(encoding="utf-8"))["$defs"])
_SCHEMA: Validator = jsonschema.Draft202012Validator(json.loads(_FILE.read_text(encoding="utf-8")))
_OWNER = Arrival(entrance=Entrance.CLI, now=datetime(2026, 3, 20, tzinfo=UTC))
_GONE = SourceThoughts(gone=frozenset({"t:gone"}))

_chars = st.characters(exclude_characters="\x00", exclude_categories=["Cs"])
_text = st.text(_chars, max_size=40)
_words = _text.filter(str.strip)
_instant = st.datetimes(datetime(2, 1, 2), datetime(9998, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 - bounds are naive by contract
_keys = st.text("abcXYZ019_.~-", min_size=1, max_size=12)
_scope = st.builds(
    Scope,
    session_id=st.none() | _words,
    repo_id=st.none() | _words,
    agent_id=st.none() | _words,
    user_id=st.none() | _words,
)
_share = st.floats(0, 1)


def _ids(prefix: str) -> st.SearchStrategy[str]:
    return _keys.map(lambda key: f"{prefix}:{key}")


_common = {
    "created_at": _instant,
    "recorded_at": _instant,
    "origin": st.sampled_from(Origin),
    "tags": st.lists(_words, max_size=3).map(tuple),
    "is_private": st.booleans(),
    "scope": _scope,
    "status": st.sampled_from(RowStatus),
    "seq": st.integers(0, 99),
    "revision": st.integers(1, 99),
    "embedding_status": st.sampled_from(EmbeddingStatus),
    "superseded_at": st.none() | _instant,
    "superseded_reason": st.none() | _text,
    "superseded_author": st.none() | st.sampled_from(Origin),
    "away": st.lists(_instant, max_size=4).map(tuple),
}
_graph = {
    **_common,
    "provenance": st.lists(
        st.builds(Provenance, thought_id=st.just("t:gone"), start=st.integers(0, 9), end=st.integers(9, 99)), max_size=2
    ).map(tuple),
    "trust": st.sampled_from(TrustTier),
    "confidence": _share,
    "valid_from": st.none() | _instant,
    "valid_until": st.none() | _instant,
}
_notes = st.builds(
    Thought,
    **_common,
    id=_ids("t"),
    content=_words,
    kind=_text,
    speaker=st.none() | _text,
    thread=st.none() | _text,
    source_ref=st.none() | _text,
    summary_of=st.lists(_ids("t"), max_size=2).map(tuple),
    pipeline=st.none() | st.just("import"),
    significance=_share,
    access_count=st.integers(0, 2**53),
    last_accessed=st.none() | _instant,
    submode=st.none() | _text,
    injected_memories=st.lists(_ids("t"), max_size=2).map(tuple),
    enriched_content=st.none() | _text,
    injection_scale=st.integers(0, 9),
    framework_enhanced=st.none() | st.booleans(),
    framework_analysis=st.none() | _text,
    removal_marked_at=st.none() | _instant,
    noted_by=st.none() | _words,
    vouched_at=st.none() | _instant,
    unfound=st.lists(_words, max_size=2).map(tuple),
    superseded_by=st.none() | _ids("t"),
)
_vouching: list[dict[str, object]] = [
    {},
    {"vouched": Vouch.WAITING},
    {"vouched": Vouch.APPROVED},
    {"vouched": Vouch.PARTLY, "vouched_spans": (0, 8)},
]
_thoughts = st.tuples(_notes, st.sampled_from(_vouching)).map(lambda drawn: replace(drawn[0], **cast("Any", drawn[1])))
_entities = st.builds(
    Entity,
    **_graph,
    id=_ids("e"),
    name=_words,
    entity_type=_text,
    description=_text,
    aliases=st.lists(_words, max_size=2).map(tuple),
    superseded_by=st.none() | _ids("e"),
)
_observations = st.builds(
    Observation,
    **_graph,
    id=_ids("o"),
    text=_words,
    entity_ids=st.lists(_ids("e"), max_size=2).map(tuple),
    speaker=st.none() | _text,
    thread=st.none() | _text,
    superseded_by=st.none() | _ids("o"),
)
_relations = st.builds(
    Relation,
    **_graph,
    id=_ids("r"),
    source_id=_ids("e"),
    target_id=_ids("e"),
    rel_type=_words,
    description=_text,
    superseded_by=st.none() | _ids("r"),
)
_tombstones = st.builds(
    Tombstone,
    row_id=_ids("o"),
    keyed_hash=_words,
    reason=st.sampled_from(["forgotten", "finalised", "redacted"]),
    at=_instant,
    seq=st.integers(0, 9),
)
_rows: st.SearchStrategy[Exported] = st.one_of(_thoughts, _entities, _observations, _relations, _tombstones)


def _read_back(line: bytes) -> Exported:
    record, unknown = parse_line(line)
    assert unknown == ()
    assert not isinstance(record, HeaderLine)
    return record if isinstance(record, Tombstone) else build_row(record, _OWNER, lambda name: name, _GONE)


@pytest.mark.requirement("promise:8")
@given(_rows)
def test_writing_reading_and_writing_a_row_gives_the_same_bytes(row: Exported) -> None:
    line = render_line(row)
    assert b"\n" not in line
    assert render_line(_read_back(line)) == line


@given(_rows)
def test_reading_a_written_row_gives_the_row_but_for_what_a_store_assigns(row: Exported) -> None:
    read = _read_back(render_line(row))
    if isinstance(row, Tombstone):
        assert read == replace(row, seq=0)
    else:
        assert read == replace(row, seq=0, revision=1, embedding_status=EmbeddingStatus.PENDING)


@given(_rows)
def test_every_written_row_obeys_the_published_schema(row: Exported) -> None:
    _SCHEMA.validate(json.loads(render_line(row)))


def test_a_value_that_has_no_rendering_is_never_written_as_something_else() -> None:
    thought = Thought(id="t:1", content="x", created_at=_OWNER.now, recorded_at=_OWNER.now, origin=Origin.HUMAN)
    with pytest.raises(TypeError, match="no rendering for bytes"):
        render_line(replace(thought, kind=b"note"))  # pyright: ignore[reportArgumentType] - the point of the test


def test_the_header_obeys_the_published_schema_and_is_read() -> None:
    _SCHEMA.validate(json.loads(render_header()))
    assert parse_line(render_header()) == (HeaderLine(), ())


@settings(max_examples=40)
@given(st.lists(_rows, max_size=5))
def test_an_export_has_one_order(rows: list[Exported]) -> None:
    kinds = [export_order(row)[0] for row in sorted(rows, key=export_order)]
    assert kinds == sorted(kinds)


@given(_instant)
def test_an_instant_survives_being_written(moment: datetime) -> None:
    assert parse_instant(render_instant(moment)) == moment


_KINDS = ["thought", "entity", "observation", "relation", "tombstone"]
_FIELDS = sorted({name for kind in _KINDS for name in _DEFINITIONS[kind]["properties"]} - {"type"})
_some: list[object] = [None, True, 0, -1, 0.5, float("inf"), 10**30, "", "t:1", "e:1", "active", "red", "redacted"]
_some += [[], {}, ["a"], [1], ["e:1"], {"user_id": "u"}, [{"thought_id": "t:1", "start": 0, "end": 1}], [{}]]
_values: st.SearchStrategy[object] = st.sampled_from(_some) | _instant.map(render_instant) | st.text()


@st.composite
def _almost_rows(draw: st.DrawFn) -> bytes:
    """An object with the right names and whatever values."""
    chosen = draw(st.lists(st.sampled_from(_FIELDS), unique=True, max_size=8))
    row = {name: draw(_values) for name in chosen}
    return json.dumps({"type": draw(st.sampled_from(_KINDS)), **row}).encode()


@given(st.binary() | _almost_rows())
def test_any_bytes_are_a_record_or_a_fault_that_is_said(raw: bytes) -> None:
    assert _fault(raw) != ""


_BEYOND_A_SCHEMA = ("date", "zone", "out of range", "NUL", "surrogate", "start <= end")
"""What JSON Schema cannot say: that a day exists, that a text is whole, that a span's ends are in order."""


@given(_almost_rows())
def test_what_the_schema_allows_the_reader_reads(raw: bytes) -> None:
    fault = _fault(raw)
    if fault is not None and _SCHEMA.is_valid(json.loads(raw)):
        assert any(word in fault for word in _BEYOND_A_SCHEMA), fault


def _fault(raw: bytes) -> str | None:
    try:
        parse_line(raw)
    except (InvalidParams, DataFileError) as error:
        return error.message
    return None


@settings(max_examples=50)
@given(st.lists(st.tuples(st.binary(), _rows), max_size=4))
def test_a_bad_line_harms_no_other(pairs: list[tuple[bytes, Exported]]) -> None:
    lines = [line for noise, row in pairs for line in (b"{" + noise.replace(b"\n", b""), render_line(row))]
    read = list(read_own_jsonl(io.BytesIO(b"\n".join([render_header(), *lines]))))
    assert len(read) == len(lines)
    wanted = {export_order(row) for _, row in pairs}
    assert sum(isinstance(line, ParsedLine) for line in read) == len(wanted)


@given(st.binary())
def test_no_stream_breaks_the_reader(data: bytes) -> None:
    for line in read_own_jsonl(io.BytesIO(data)):
        assert isinstance(line, BadLine)
        assert line.where.startswith("line ")
