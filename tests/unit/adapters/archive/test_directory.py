"""Archives: what is written comes back equal, and what was touched afterwards is refused."""

import json
import struct
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from jsonschema import Draft202012Validator, ValidationError

from cli_runner import SCHEMAS
from store_values import NOON, full_rows, thought
from voice.adapters.archive.directory import LocalArchives
from voice.core.errors import ConfigurationError, DataFileError, StoreUnavailable, VoiceError
from voice.core.records import Thought, VectorRow
from voice.ports.removal import Archive, ArchiveFormat

FORMS: list[ArchiveFormat] = ["jsonl", "parquet"]


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> ArchiveFormat:
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    return request.param


def archive(*more: Thought) -> Archive:
    whole, *derived = full_rows()
    assert isinstance(whole, Thought)
    return Archive(
        store_id="store",
        made_at=NOON,
        thoughts=(whole, *more),
        derived=tuple(row for row in derived if not isinstance(row, Thought)),
        vectors=(VectorRow(row_id=whole.id, model="m", dim=2, data=struct.pack("<2f", 1.0, -0.5)),),
    )


async def written(folder: Path, form: ArchiveFormat = "jsonl") -> Path:
    return Path((await LocalArchives().write(archive(), str(folder), form=form)).path)


@pytest.mark.requirement("ruling:F.10", "s1:maintenance:export_removals")
async def test_every_field_comes_back_from_either_format(tmp_path: Path, form: ArchiveFormat) -> None:
    files, made = LocalArchives(), archive(thought("2"), thought("line\n\x85\u2028", "A\r\nB\u2028C"))
    report = await files.write(made, str(tmp_path / "new" / "place"), form=form)
    path = Path(report.path)
    assert (path.name, report.format) == (f"removals-20250301T120000Z-4475948e.{form}", form)
    assert await files.read(report.path) == made
    assert (report.bytes, path.stat().st_mode & 0o777) == (path.stat().st_size, 0o600)
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_both_formats_hash_to_the_same(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    reports = [await LocalArchives().write(archive(), str(tmp_path), form=form) for form in FORMS]
    assert len({report.blake3 for report in reports}) == 1


async def test_a_name_is_never_used_twice_and_the_newest_is_listed_first(tmp_path: Path, form: ArchiveFormat) -> None:
    files = LocalArchives()
    assert await files.listed(str(tmp_path / "not there")) == []
    first, second = await written(tmp_path, form), await written(tmp_path, form)
    third = await files.write(replace(archive(), made_at=NOON.replace(year=2026)), str(tmp_path), form=form)
    (tmp_path / "notes.txt").write_text("mine")
    assert second.stem == f"{first.stem}-2"
    listed = await files.listed(str(tmp_path))
    assert listed[0] == third.path
    assert set(listed) == {str(first), str(second), third.path}


@pytest.mark.requirement("ruling:F.9")
async def test_a_changed_byte_anywhere_is_told(tmp_path: Path) -> None:
    files, path = LocalArchives(), await written(tmp_path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DataFileError):
            await files.read(str(path))


async def test_a_changed_byte_of_a_parquet_file_is_told_or_changes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    files, path = LocalArchives(), await written(tmp_path, "parquet")
    whole = path.read_bytes()
    told = 0
    for place in range(0, len(whole), 41):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            assert await files.read(str(path)) == archive()
        except DataFileError:
            told += 1
    assert told > 10


async def test_a_file_that_was_cut_is_told(tmp_path: Path, form: ArchiveFormat) -> None:
    files, path = LocalArchives(), await written(tmp_path, form)
    whole = path.read_bytes()
    for length in (0, 3, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(DataFileError):
            await files.read(str(path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\xff\xfe", "not an archive"),
        (b"[]\n", "line 1, cannot be read"),
        (b'{"format":"voice-backup"}\n', "not an archive"),
        (b'{"format":"voice-archive","version":1}\n', "cut short"),
        (b'{"format":"voice-archive"}\n{"kind":"thoughts"}\n{"end":"voice-archive"}\n', "line 2, does not hold a row"),
    ],
)
async def test_what_is_no_archive_is_told_in_a_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "removals-x.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataFileError, match=said):
        await LocalArchives().read(str(path))


async def test_a_file_whose_hashes_fit_and_whose_content_does_not_is_refused(tmp_path: Path) -> None:
    """Who forges the hashes as well can at most leave out what cannot be read: nothing of it is believed."""
    from blake3 import blake3

    def forged(header: dict[str, object], value: dict[str, object], kind: str = "thoughts", said: str = "") -> bytes:
        def text(members: Mapping[str, object]) -> str:
            return json.dumps(members, separators=(",", ":"), sort_keys=True) + "\n"

        digest = said or blake3(text(value)[:-1].encode()).hexdigest()
        body = text(header) + text({"hash": digest, "kind": kind, "value": value})
        end = {"blake3": blake3(body.encode()).hexdigest(), "end": "voice-archive", "lines": 1}
        return (body + text(end)).encode()

    header: dict[str, object] = {"format": "voice-archive", "version": 1, "store_id": "s", "counts": {"thoughts": 1}}
    sound: dict[str, object] = {**header, "made_at": "2026-01-01T00:00:00Z"}
    cases = [
        (forged({**sound, "version": 2}, {}), "another version"),
        (forged(header, {}), "first line"),
        (forged(sound, {"id": "t:1"}), "valid row"),
        (forged(sound, {}, said="0" * 64), "line 2, is not what was written"),
        (forged({**sound, "counts": {"planets": 1}}, {}, "planets"), "valid row"),
        (forged({**sound, "counts": {"vectors": 1}}, {}, "vectors"), "valid row"),
        (forged({**sound, "counts": {"thoughts": 2}}, {}), "was changed"),
    ]
    path = tmp_path / "removals-x.jsonl"
    for content, said in cases:
        path.write_bytes(content)
        with pytest.raises(DataFileError, match=said):
            await LocalArchives().read(str(path))


async def test_a_parquet_file_of_somebody_else_is_no_archive(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "removals-x.parquet"
    parquet.write_table(pyarrow.table({"kind": ["a"], "hash": ["b"], "value": ["c"]}), path)
    with pytest.raises(DataFileError, match="not an archive"):
        await LocalArchives().read(str(path))
    parquet.write_table(pyarrow.table({"name": ["a"]}), path)
    with pytest.raises(DataFileError, match=r"not an archive|cannot be read"):
        await LocalArchives().read(str(path))


async def test_without_its_package_parquet_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigurationError, match=r"inner-voice\[archive\].*--format jsonl"):
        await LocalArchives().write(archive(), str(tmp_path), form="parquet")
    assert list(tmp_path.iterdir()) == []


async def test_what_a_killed_process_left_half_written_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".removals-20250101T000000Z-4475948e-2.jsonl.0a0b0c0d.part").write_text("half")
    (tmp_path / ".mine.part").write_text("mine")
    report = await LocalArchives().write(archive(), str(tmp_path), form="jsonl")
    assert {path.name for path in tmp_path.iterdir()} == {".mine.part", Path(report.path).name}


@pytest.mark.requirement("ruling:F.9")
async def test_memories_that_share_a_directory_do_not_meet_in_a_name(tmp_path: Path) -> None:
    writing = tmp_path / ".removals-20250301T120000Z-cee450a2.jsonl.0a0b0c0d.part"
    writing.write_text("what another memory is writing")
    made = [archive(), replace(archive(), store_id="another")]
    reports = [await LocalArchives().write(each, str(tmp_path), form="jsonl") for each in made]
    assert [Path(report.path).name for report in reports] == [
        "removals-20250301T120000Z-4475948e.jsonl",
        "removals-20250301T120000Z-cee450a2.jsonl",
    ]
    assert [await LocalArchives().read(report.path) for report in reports] == made


async def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigurationError, match="SURR_ARCHIVE_DIR"):
        await LocalArchives().write(archive(), str(tmp_path / "file"), form="jsonl")
    with pytest.raises((ConfigurationError, StoreUnavailable), match="file"):
        await LocalArchives().write(archive(), str(tmp_path / "file" / "below"), form="jsonl")
    assert await LocalArchives().listed(str(tmp_path / "file")) == []


async def test_the_lines_are_as_the_schema_says(tmp_path: Path) -> None:
    schema = json.loads((SCHEMAS / "archive.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    path = Path((await LocalArchives().write(archive(thought("2")), str(tmp_path), form="jsonl")).path)
    lines = [cast("dict[str, object]", json.loads(line)) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    for line in lines:
        validator.validate(line)  # pyright: ignore[reportUnknownMemberType] - stubs leave it open
    assert lines[0]["schema"] == schema["$id"]
    with pytest.raises(ValidationError):
        validator.validate({"kind": "thoughts", "hash": "0" * 64})  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.requirement("forget:reach")
async def test_an_archive_is_removed_for_good_and_once(tmp_path: Path) -> None:
    files = LocalArchives()
    report = await files.write(archive(), str(tmp_path / "shelf"), form="jsonl")
    for _ in range(2):
        await files.remove(report.path)
        assert await files.listed(str(tmp_path / "shelf")) == []
    await files.remove(str(tmp_path / "nowhere" / "removals-1.jsonl"))
    (tmp_path / "removals-2.jsonl").mkdir()
    with pytest.raises(VoiceError, match="removals-2"):
        await files.remove(str(tmp_path / "removals-2.jsonl"))
