"""Every kind of file that can be imported is read in time that grows with its length, whatever stands in it."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import pytest

from cpu_growth import Measured, Run, Work, dearest, measured, unbounded
from hostile_texts import NEAR, PIECES, hostile
from voice.adapters.files.opening import open_reading
from voice.core.errors import VoiceError
from voice.core.interchange.lines import ParsedLine, ThoughtLine
from voice.ports.files import FileFormat, ReadRequest

pytestmark = pytest.mark.requirement("bounded:files")
_MESSAGE: Final = {"author": {"role": "user"}, "create_time": 1.0}
_ENVELOPE: Final = "From ida@example.org Tue Mar  5 12:00:00 2024\nFrom: Ida <ida@example.org>\nSubject: Kiln"


def _chatgpt(text: str) -> str:
    message = _MESSAGE | {"content": {"content_type": "text", "parts": [text]}}
    return json.dumps([{"current_node": "a", "mapping": {"a": {"id": "a", "parent": None, "message": message}}}])


_HOLDING: Final[Mapping[FileFormat, Callable[[str], str]]] = {
    FileFormat.MARKDOWN: lambda text: f"---\ntitle: Kiln\n---\n{text}",
    FileFormat.OBSIDIAN: lambda text: f"# Kiln\n{text}",
    FileFormat.CHATGPT: _chatgpt,
    FileFormat.CLAUDE: lambda text: json.dumps([{"chat_messages": [{"sender": "human", "text": text}]}]),
    FileFormat.MBOX: lambda text: f"{_ENVELOPE}\n\n{text}\n",
    FileFormat.JSONL: lambda text: json.dumps({"content": text}),
    FileFormat.TEXT: lambda text: text,
}
"""By formats: a file whose words a text is."""
_OTHERS: Final[Mapping[str, tuple[FileFormat, Callable[[str], str]]]] = {
    "front matter": (FileFormat.MARKDOWN, lambda text: f"---\ntitle: {text}\n---\nKiln."),
    "a mail in HTML": (
        FileFormat.MBOX,
        lambda text: f"{_ENVELOPE}\nContent-Type: text/html\n\n<p>Kiln</p>{text}\n",
    ),
    "the subject of a mail": (FileFormat.MBOX, lambda text: f"{_ENVELOPE} {text}\n\nThe kiln is in the shed.\n"),
}
"""Other places of a file that a text may stand in."""
_PLACES: Final = {
    **{f"{kind} that is nothing but": (kind, str) for kind in FileFormat},
    **{f"{kind} that holds": (kind, holding) for kind, holding in _HOLDING.items()},
    **_OTHERS,
}


def _read(path: Path, kind: FileFormat) -> list[object]:
    reading = open_reading(ReadRequest(path=f"{path}", format=kind))
    try:
        return list(reading.lines)
    finally:
        reading.close()


def _reading(folder: Path, place: str, piece: str) -> Work:
    kind, written = _PLACES[place]
    path = folder / "note.md"

    def work(chars: int) -> Run:
        path.write_text(written(hostile(piece, chars)), encoding="utf-8", newline="")
        return run

    def run() -> None:
        try:
            _read(path, kind)
        except VoiceError:
            return

    return work


def _growths(folder: Path, place: str, pieces: Iterable[str], *, longest: int, enough: float) -> dict[str, Measured]:
    works = {piece: _reading(folder, place, PIECES[piece]) for piece in pieces}
    most = dearest(works, most=2, chars=longest // 4)
    return {piece: measured(works[piece], longest=longest, enough=enough) for piece in most}


@pytest.mark.parametrize("place", _PLACES)
def test_a_file_takes_no_longer_than_its_text_grows(place: str, tmp_path: Path) -> None:
    growths = _growths(tmp_path, place, NEAR, longest=4_000, enough=0.05)
    assert growths
    assert unbounded(growths) == {}


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("place", _PLACES)
def test_a_file_takes_no_longer_than_its_text_grows_to_a_hundred_thousand_characters(
    place: str, tmp_path: Path
) -> None:
    growths = _growths(tmp_path, place, PIECES, longest=100_000, enough=0.25)
    assert growths
    assert unbounded(growths) == {}


@pytest.mark.parametrize("kind", _HOLDING)
def test_what_a_file_holds_is_read(kind: FileFormat, tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text(_HOLDING[kind]("The kiln is in the shed."), encoding="utf-8")
    lines = (line.record for line in _read(path, kind) if isinstance(line, ParsedLine))
    thoughts = [line for line in lines if isinstance(line, ThoughtLine)]
    assert [thought.content for thought in thoughts if "The kiln is in the shed." in thought.content]
