"""What cannot come in is called what it is, with what can be done instead."""

import io
import zipfile
from pathlib import Path

import pytest

from tables import tables
from voice.adapters.files.detection import detect_format
from voice.core.errors import DataFileError
from voice.ports.files import FileFormat

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("imports:refused")


def document(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "<x/>")
    return out.getvalue()


KINDS: dict[str, tuple[str | list[str], str]] = TABLES["kinds"]
"""What stands in a file, as a text of its bytes or as the names in an archive, and what is said of it."""


@pytest.mark.parametrize("name", KINDS)
def test_a_file_is_called_what_it_is(tmp_path: Path, name: str) -> None:
    content, said = KINDS[name]
    (tmp_path / name).write_bytes(document(*content) if isinstance(content, list) else content.encode("latin-1"))
    with pytest.raises(DataFileError) as refused:
        detect_format(tmp_path / name)
    assert said in refused.value.message


@pytest.mark.parametrize("begins", ["MZ is a title.", "ID3 tags", "BEGIN:VCARD is how it begins.", "GIF89a"])
def test_a_text_that_begins_as_such_a_file_does_is_a_text(tmp_path: Path, begins: str) -> None:
    (tmp_path / "note.txt").write_text(begins, encoding="utf-8")
    assert detect_format(tmp_path / "note.txt") is FileFormat.TEXT


def test_a_single_mail_is_known_by_its_headers(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_text("From: Irma <irma@x.de>\nSubject: Kiln\n\nHot.\n", encoding="utf-8")
    assert detect_format(tmp_path / "a.eml") is FileFormat.MBOX


LOGS = TABLES["logs"]


@pytest.mark.requirement("imports:talk")
@pytest.mark.parametrize("program", LOGS)
def test_a_chat_log_is_never_one_persons_text(tmp_path: Path, program: str) -> None:
    (tmp_path / "chat.txt").write_text(LOGS[program], encoding="utf-8")
    with pytest.raises(DataFileError, match="is a chat log in an unknown format"):
        detect_format(tmp_path / "chat.txt")


def test_an_agenda_is_no_chat_log(tmp_path: Path) -> None:
    (tmp_path / "day.txt").write_text("Lunch (12:30): soup.\nDinner (19:00): bread.\n", encoding="utf-8")
    assert detect_format(tmp_path / "day.txt") is FileFormat.TEXT


PROGRAMS = TABLES["programs"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_export_of_a_program_that_is_not_read_is_named_alone_and_in_its_folder(tmp_path: Path, name: str) -> None:
    content, said = PROGRAMS[name]
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataFileError, match=f" is (an export of )?{said}"):
        detect_format(tmp_path / name)
    with pytest.raises(DataFileError, match=rf" holds (an export of )?{said}.* \({name}\); "):
        detect_format(tmp_path)
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(tmp_path / name, name)
    with pytest.raises(DataFileError, match=rf"export.zip holds (an export of )?{said}"):
        detect_format(packed)
    (tmp_path / "note.md").write_text("Hot.", encoding="utf-8")
    assert detect_format(tmp_path) is FileFormat.MARKDOWN
