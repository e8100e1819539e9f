"""Memory files behind their port: found out, read in batches, written whole or not at all."""

import gzip
import io
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from read_files import lay_out
from store_values import thought
from tables import tables
from voice.adapters.files.detection import command_for, detect_format
from voice.adapters.files.memory_files import LocalMemoryFiles, pending_file
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import BadLine, Exported, ParsedLine, render_header, render_line
from voice.ports.files import FileFormat, MemoryFiles, ReadBatch, ReadRequest

_OWN = render_header() + b"\n"


def _thoughts(count: int) -> list[Exported]:
    return [thought(f"{n:04}", f"Note {n}.") for n in range(count)]


async def _stream(rows: list[Exported]) -> AsyncIterator[Exported]:
    for row in rows:
        yield row


def _write(path: Path, count: int, before: Callable[[int], object]) -> None:
    with pending_file(path) as lines:
        before(lines._stream.fileno())  # pyright: ignore[reportPrivateUsage] - no other way to fill a disk
        lines.write(_thoughts(count))


async def _read(request: ReadRequest) -> list[ReadBatch]:
    files: MemoryFiles = LocalMemoryFiles()
    return [batch async for batch in files.read(request)]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.jsonl", _OWN, FileFormat.OWN),
        ("a.txt", b"\xef\xbb\xbf\n" + _OWN, FileFormat.OWN),
        ("a.json", b'{"type":"thought","content":"a"}', FileFormat.OWN),
        ("a", b'broken\n{"type":"thought","content":"a"}\n', FileFormat.OWN),
        ("a", _OWN + b'{"type":"thought","content":"' + b"a" * 100_000 + b'"}\n', FileFormat.OWN),
        ("a", b'{"format":"memory-bench/1","corpora":[]}', FileFormat.MEMORY_BENCH),
        ("a", b'{\n "name": "x",\n "format" : "memory-bench/1",' + b" " * 70_000, FileFormat.MEMORY_BENCH),
        ("a.md", b"anything", FileFormat.MARKDOWN),
    ],
)
async def test_a_file_is_known_by_what_stands_in_it(
    tmp_path: Path, name: str, content: bytes, found: FileFormat
) -> None:
    (tmp_path / name).write_bytes(content)
    assert await LocalMemoryFiles().detect(str(tmp_path / name)) is found


async def test_a_folder_is_notes_and_standard_input_is_ours(tmp_path: Path) -> None:
    assert await LocalMemoryFiles().detect(str(tmp_path)) is FileFormat.MARKDOWN
    assert await LocalMemoryFiles().detect("-") is FileFormat.OWN


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n", b"hello", b'{"a":1}'])
def test_what_is_none_of_ours_is_refused_with_what_can_be_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(DataFileError, match=r"memory-bench/1 files, Markdown notes and folders"):
        detect_format(tmp_path / "a")


def test_a_file_of_another_version_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"format":"inner-voice-memory/9"}')
    with pytest.raises(DataFileError, match="another version"):
        detect_format(tmp_path / "a")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="No such file"):
        detect_format(tmp_path / "a")


async def test_a_file_is_read_in_batches_that_say_how_far_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with pending_file(path) as lines:
        lines.write(_thoughts(5))
    batches = await _read(ReadRequest(path=str(path), batch=2))
    assert [len(batch.lines) for batch in batches] == [2, 2, 1]
    assert batches[-1].done == batches[-1].total == path.stat().st_size
    assert batches[0].done < batches[1].done


async def test_notes_and_items_are_counted_one_by_one(tmp_path: Path) -> None:
    notes = lay_out(tmp_path / "notes", {"a.md": "x", "b.md": "x"})
    (batch,) = await _read(ReadRequest(path=str(notes)))
    assert (batch.done, batch.total) == (2, 2)
    bench = {"format": "memory-bench/1", "corpora": [{"id": "c", "items": [{"id": "1", "text": "x"}, 2]}]}
    (tmp_path / "bench.json").write_text(json.dumps(bench), encoding="utf-8")
    (batch,) = await _read(ReadRequest(path=str(tmp_path / "bench.json"), corpus="c"))
    assert [type(line) for line in batch.lines] == [ParsedLine, BadLine]
    assert (batch.done, batch.total) == (2, 2)


async def test_standard_input_is_read_without_a_total(monkeypatch: pytest.MonkeyPatch) -> None:
    for source, kind in ((_OWN + b'{"type":"thought","content":"a"}\n', None), (b"# Kiln\n\na", FileFormat.MARKDOWN)):
        stdin = io.TextIOWrapper(io.BytesIO(source))
        monkeypatch.setattr(sys, "stdin", stdin)
        (batch,) = await _read(ReadRequest(path="-", format=kind))
        assert (len(batch.lines), batch.done, batch.total) == (1, 1, None)
        assert isinstance(line := batch.lines[0], ParsedLine)
        assert getattr(line.record, "source_ref", None) is None
        assert not stdin.closed


@pytest.mark.parametrize(
    ("source", "said"),
    [(gzip.compress(bytes(257) + b"ustar", mtime=0), "is an archive"), (b"# Kiln\n\na", "name its format")],
)
async def test_piped_input_that_is_not_an_export_is_refused_as_a_whole(
    monkeypatch: pytest.MonkeyPatch, source: bytes, said: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(source)))
    with pytest.raises(DataFileError, match=said):
        await _read(ReadRequest(path="-"))


@pytest.mark.parametrize("kind", list(FileFormat))
async def test_a_path_that_cannot_be_read_is_refused(tmp_path: Path, kind: FileFormat) -> None:
    if kind in {FileFormat.OBSIDIAN, FileFormat.LOGSEQ}:  # a note that is not there is one bad line among others
        (batch,) = await _read(ReadRequest(path=str(tmp_path / "none"), format=kind))
        assert isinstance(batch.lines[0], BadLine)
        return
    with pytest.raises(DataFileError, match="cannot read"):
        await _read(ReadRequest(path=str(tmp_path / "none"), format=kind))


async def test_a_disk_that_fails_in_the_middle_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def readinto(self, buffer: object, /) -> int:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Failing()))
    with pytest.raises(DataFileError, match="Input/output error"):
        await _read(ReadRequest(path="-"))


@pytest.mark.requirement("ruling:H.1")
async def test_an_export_is_complete_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    rows = _thoughts(600)
    report = await LocalMemoryFiles().write(str(path), _stream(rows))
    assert path.read_bytes() == b"".join(line + b"\n" for line in [render_header(), *map(render_line, rows)])
    assert (report.rows, report.bytes) == (600, path.stat().st_size)
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


async def test_the_export_of_an_empty_memory_is_a_header(tmp_path: Path) -> None:
    await LocalMemoryFiles().write(str(tmp_path / "out.jsonl"), _stream([]))
    assert (tmp_path / "out.jsonl").read_bytes() == _OWN


async def test_an_export_does_not_overwrite_unless_asked_to(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(DataFileError, match="already there"):
        await LocalMemoryFiles().write(str(path), _stream(_thoughts(1)))
    assert path.read_text(encoding="utf-8") == "mine"
    await LocalMemoryFiles().write(str(path), _stream(_thoughts(1)), overwrite=True)
    assert path.read_bytes().startswith(render_header())
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_appears_during_the_export_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with pytest.raises(DataFileError, match="already there"):
        _write(path, 1, lambda _: path.write_text("mine", encoding="utf-8"))
    assert path.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [path]


async def test_an_export_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with pytest.raises(ValueError, match="export_order"):
        await LocalMemoryFiles().write(str(path), _stream([*_thoughts(2), *_thoughts(1)]))
    assert list(tmp_path.iterdir()) == []


async def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"cannot write .* No such file or directory"):
        await LocalMemoryFiles().write(str(tmp_path / "none" / "out.jsonl"), _stream([]))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_said_and_leaves_nothing_behind(tmp_path: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    for count in (1, 5_000):  # seen when the file is flushed, and while it is written
        with pytest.raises(DataFileError, match="No space left"):
            _write(tmp_path / "out.jsonl", count, lambda file: os.dup2(full, file))
    os.close(full)
    assert list(tmp_path.iterdir()) == []


async def test_an_export_can_go_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    report = await LocalMemoryFiles().write("-", _stream(_thoughts(2)))
    assert capfdbinary.readouterr().out.splitlines() == [render_header(), *map(render_line, _thoughts(2))]
    assert (report.path, report.rows) == ("-", 2)


@pytest.mark.parametrize(
    "head", [b'\xef\xbb\xbf{\n  "format": "voice-session/1",\n  "session": {', b'{"format":"voice-session/1","x":1}']
)
def test_an_exported_conversation_is_told_with_the_command_that_brings_it_in(tmp_path: Path, head: bytes) -> None:
    (tmp_path / "talk.json").write_bytes(head)
    with pytest.raises(DataFileError, match="`voice sessions import`"):
        detect_format(tmp_path / "talk.json")


@pytest.mark.parametrize(
    ("head", "command"),
    [(_OWN.decode(), "voice import"), *tables(__file__)["what_this_program_wrote_is_known_by_how_it_begins"]],
)
def test_what_this_program_wrote_is_known_by_how_it_begins(head: str, command: str | None) -> None:
    assert command_for(head.encode()) == command
