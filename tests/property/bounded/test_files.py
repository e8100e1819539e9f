"""Every kind of file that can be imported is read in time that grows with its length, whatever stands in it."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import pytest

from cpu_growth import Measured, Run, Work, dearest, measured, unbounded
from generated_exports import FORMS, ID
from hostile_texts import NEAR, PIECES, hostile
from voice.adapters.files.opening import open_reading
from voice.core.errors import VoiceError
from voice.core.interchange.memory_lines import ParsedLine, ThoughtLine
from voice.ports.files import FileFormat, ReadRequest

pytestmark = pytest.mark.requirement("bounded:files")
_ENVELOPE: Final = "From ida@example.org Tue Mar  5 12:00:00 2024\nFrom: Ida <ida@example.org>\nSubject: Kiln"
_SAID: Final = "The kiln is in the shed."
_OTHERS: Final[Mapping[str, tuple[FileFormat, str, Callable[[str], str]]]] = {
    "front matter": (FileFormat.MARKDOWN, "note.md", lambda text: f"---\ntitle: {text}\n---\nKiln."),
    "a note behind its front matter": (FileFormat.MARKDOWN, "note.md", lambda text: f"---\ntitle: Kiln\n---\n{text}"),
    "a mail in HTML": (
        FileFormat.MBOX,
        "sent.mbox",
        lambda text: f"{_ENVELOPE}\nContent-Type: text/html\n\n<p>Kiln</p>{text}\n",
    ),
    "the subject of a mail": (
        FileFormat.MBOX,
        "sent.mbox",
        lambda text: f"{_ENVELOPE} {text}\n\nThe kiln is in the shed.\n",
    ),
    "a page of Notion in HTML": (
        FileFormat.NOTION,
        f"Kiln {ID.format(1)}.html",
        lambda text: (
            f'<html><body><article class="page"><h1 class="page-title">Kiln</h1>{text}</article></body></html>'
        ),
    ),
    "properties of a page of Logseq": (FileFormat.LOGSEQ, "pages/Kiln.md", lambda text: f"tags:: {text}\n\n- Kiln."),
    "the sender of a message": (
        FileFormat.WHATSAPP,
        "_chat.txt",
        lambda text: f"[05.03.24, 14:02:11] {text}: Kiln.\n[05.03.24, 14:02:12] Ida: Kiln.\n",
    ),
    "the title of a note of Evernote": (
        FileFormat.EVERNOTE,
        "notes.enex",
        lambda text: f"<en-export><note><title>{text}</title><content>Kiln</content></note></en-export>",
    ),
}
"""Other places of a file that a text may stand in: the format, the file's name, and how it is written."""
_PLACES: Final = (
    *(f"{kind} that is nothing but" for kind in FileFormat),
    *(f"{kind} that holds" for kind in FORMS),
    *_OTHERS,
)


def _written(folder: Path, place: str, text: str) -> tuple[FileFormat, Path]:
    """Write a file that a text stands in, and return what it is and the path to name."""
    if place in _OTHERS:
        kind, name, written = _OTHERS[place]
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(written(text), encoding="utf-8", newline="")
        return kind, folder
    kind = FileFormat(place.partition(" that ")[0])
    if place.endswith(" holds"):
        return kind, FORMS[kind].write(folder, [text], sorted)
    (folder / "note.md").write_text(text, encoding="utf-8", newline="")
    return kind, folder / "note.md"


def _read(path: Path, kind: FileFormat) -> list[object]:
    reading = open_reading(ReadRequest(path=f"{path}", format=kind))
    try:
        return list(reading.lines)
    finally:
        reading.close()


def _reading(folder: Path, place: str, piece: str) -> Work:
    def work(chars: int) -> Run:
        kind, path = _written(folder, place, hostile(piece, chars))
        return lambda: _tried(path, kind)

    return work


def _tried(path: Path, kind: FileFormat) -> None:
    """Read a file; what is refused was looked at."""
    try:
        _read(path, kind)
    except VoiceError:
        return


def _growths(folder: Path, place: str, pieces: Iterable[str], *, longest: int, enough: float) -> dict[str, Measured]:
    works = {piece: _reading(folder, place, PIECES[piece]) for piece in pieces}
    most = dearest(works, most=2, chars=min(longest // 4, 4_000))
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
    growths = _growths(tmp_path, place, PIECES, longest=100_000, enough=0.12)
    assert growths
    assert unbounded(growths) == {}


@pytest.mark.parametrize("place", [place for place in _PLACES if not place.endswith("nothing but")])
def test_what_a_file_holds_is_read(place: str, tmp_path: Path) -> None:
    kind, path = _written(tmp_path, place, _SAID)
    lines = (line.record for line in _read(path, kind) if isinstance(line, ParsedLine))
    thoughts = [line for line in lines if isinstance(line, ThoughtLine)]
    assert [thought for thought in thoughts if _SAID in repr(thought)]
