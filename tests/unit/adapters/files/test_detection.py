"""Files of other programs behind the port: known by what stands in them, read in pieces, a broken part named."""

import io
import json
import mailbox
import tarfile
from collections.abc import Iterable
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interchange_values import broken, note_of, record_of, records
from read_files import lay_out, read
from tables import tables
from voice.adapters.files import file_kinds
from voice.adapters.files.chats import array_elements, read_chats
from voice.adapters.files.detection import detect_format
from voice.adapters.files.mbox import read_mbox
from voice.adapters.files.opening import open_reading, read_foreign_jsonl
from voice.adapters.files.plain_text import read_plain_text
from voice.core.errors import DataFileError
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission, ParsedLine
from voice.ports.files import FileFormat, ReadRequest

ENVELOPE = b"From 1@xxx Sat Mar 01 09:00:00 +0000 2025\n"
CLAUDE = {"uuid": "c", "name": "Kiln", "chat_messages": [{"uuid": "1", "sender": "human", "text": "Hot?"}]}
CHATGPT = {"title": "Kiln", "create_time": 1.0, "mapping": {"a": {"id": "a", "message": None, "parent": None}}}
GEMINI = {"header": "Gemini Apps", "title": "Prompted Hot?", "time": "2025-03-01T10:00:00Z"}


def texts(lines: Iterable[FileLine]) -> list[str]:
    """Return what each line says: the words of a thought, or why there are none."""
    return [record_of(line).content if isinstance(line, ParsedLine) else line.reason for line in lines]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("conversations.json", json.dumps([CLAUDE]).encode(), FileFormat.CLAUDE),
        ("a.json", b"\xef\xbb\xbf" + json.dumps([CHATGPT], indent=1).encode(), FileFormat.CHATGPT),
        ("MyActivity.json", json.dumps([GEMINI], indent=2).encode(), FileFormat.GEMINI),
        ("mail", ENVELOPE + b"Subject: x\n\nbody\n", FileFormat.MBOX),
        ("a.jsonl", b'{"text":"It is hot."}\n', FileFormat.JSONL),
        ("long.jsonl", b'{"x":"%s","text":"It is hot."}\n' % (b"x" * 100_000), FileFormat.JSONL),
        ("own.jsonl", b'{"type":"thought","content":"%s"}\n' % (b"x" * 100_000), FileFormat.OWN),
        ("a.txt", "Es ist heiß.\n".encode(), FileFormat.TEXT),
        ("_chat.txt", b"[05.03.24, 14:02:11] Irma: Hot.\n", FileFormat.WHATSAPP),
        (
            "chat.txt",
            b"05/03/2024, 14:02 - Calls are encrypted.\n05/03/2024, 14:02 - Irma: Hot.\n",
            FileFormat.WHATSAPP,
        ),
    ],
)
def test_a_file_of_another_program_is_known_by_what_stands_in_it(
    tmp_path: Path, name: str, content: bytes, kind: FileFormat
) -> None:
    (tmp_path / name).write_bytes(content)
    assert detect_format(tmp_path / name) is kind


UNKNOWN = "is valid JSON in an unknown format; voice imports"
REFUSED = {
    **tables(__file__)["refused"],
    "one line of 5 MB": (json.dumps({"bookmarks": ["x" * 80] * 65_000}), UNKNOWN),
    "an array": (json.dumps([{"bookmark": "x" * 80}] * 2_000), UNKNOWN),
    "deep": ("[" * 200_000, "is JSON that is nested too deeply"),
    "latin": (b'{"bookmark": "caf\xe9"}', "is not UTF-8 text; save it as UTF-8"),
}


@pytest.mark.requirement("imports:refused")
@pytest.mark.parametrize(("content", "said"), REFUSED.values(), ids=list(REFUSED))
def test_a_file_that_cannot_come_in_is_called_what_it_is(tmp_path: Path, content: str | bytes, said: str) -> None:
    lay_out(tmp_path, {"other.json": content})
    with pytest.raises(DataFileError) as refused:
        detect_format(tmp_path / "other.json")
    assert refused.value.message.removeprefix(f"{tmp_path / 'other.json'}").strip().startswith(said)


def test_a_document_too_long_to_be_read_whole_is_not_called_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_kinds, "_MOST_READ", 10)
    (tmp_path / "other.json").write_text('{"bookmarks": [1, 2]}', encoding="utf-8")
    with pytest.raises(DataFileError, match="starts like JSON but is in an unknown format"):
        detect_format(tmp_path / "other.json")


def packed(folder: Path, name: str) -> Path:
    """Write an archive that would put a note outside of the folder it is unpacked in, were it opened."""
    note = folder / "note.md"
    note.write_text("It is hot.", encoding="utf-8")
    path = folder / name
    with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as archive:
        archive.add(note, "../escaped.md")
    note.unlink()
    return path


@pytest.mark.requirement("ruling:I7", "imports:refused")
@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz"])
def test_an_archive_of_which_all_leads_out_holds_nothing_and_says_why(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    path = packed(tmp_path / "in", name)
    with pytest.raises(DataFileError, match=r"holds nothing voice can read .1 left out: files .* with unsafe paths"):
        detect_format(path)
    assert [each.name for each in tmp_path.rglob("*")] == ["in", name]


def test_a_folder_is_texts_where_it_holds_nothing_but_texts_and_a_vault_where_it_is_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    assert detect_format(tmp_path) is FileFormat.TEXT
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    assert detect_format(tmp_path) is FileFormat.MARKDOWN
    (tmp_path / ".obsidian").mkdir()
    assert detect_format(tmp_path) is detect_format(tmp_path / "a.md") is FileFormat.OBSIDIAN


class Slow(io.BytesIO):
    """A stream that hands out few bytes at a time."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 1, 3))


_VALUES = st.recursive(
    st.none() | st.text(alphabet='a"\\{}[]é', max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='"\\}', max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.requirement("imports:streamed")
@given(st.lists(st.dictionaries(st.text(max_size=3), _VALUES, max_size=3), max_size=4))
def test_the_objects_of_an_array_are_found_however_they_are_cut(values: list[dict[str, object]]) -> None:
    source = json.dumps(values, ensure_ascii=False, indent=1).encode()
    found = list(array_elements(Slow(source)))
    assert [json.loads(element) for element in found] == values
    assert found == list(array_elements(io.BytesIO(source)))


@given(st.binary(max_size=60), st.text(alphabet='[]{}",\\ a', max_size=60))
def test_any_bytes_are_read_as_an_array_without_a_fault(raw: bytes, text: str) -> None:
    for source in (raw, text.encode()):
        assert all(isinstance(each, bytes | str) for each in array_elements(Slow(source)))


@pytest.mark.requirement("imports:streamed")
def test_a_broken_conversation_is_named_and_the_others_come_in() -> None:
    good = json.dumps(CLAUDE)
    source = f'[{good}, {{"uuid": tru, "x": [1]}}, 7, [{good}], {good}, {{"uuid": "cut'
    lines = list(read_chats(io.BytesIO(source.encode()), FileFormat.CLAUDE))
    assert texts(lines) == [
        "Hot?",
        "is not valid JSON; export it again",
        "is not valid JSON; export it again",
        "Hot?",
        "is cut off because the file ends inside it; export or download the file again",
    ]
    assert [where for where, _ in broken(lines)] == ["conversation 2", "conversation 3", "conversation 5"]


def test_one_conversation_alone_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(CLAUDE), encoding="utf-8")
    assert texts(read(tmp_path / "a.json")) == ["Hot?"]


def mail(body: str, *, subtype: str = "plain", **headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(body, subtype=subtype)
    return message


@pytest.mark.requirement("imports:mail")
def test_mails_that_the_standard_library_wrote_are_read_back(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "box")
    heads = {"Subject": "Ofen — heiß", "Message_ID": "<1@x>", "Date": "Sat, 1 Mar 2025 09:00:00 +0100"}
    both = mail("Größe: 4 €", From="Jörg <j@x.de>", **heads)
    both.add_alternative("<p>not this</p>", subtype="html")
    both.add_attachment(b"attached", maintype="text", subtype="plain", filename="a.txt")
    box.add(both)
    box.add(mail("<p>Only <b>HTML</b>.</p><blockquote>old</blockquote>", subtype="html", References="<1@x> <2@x>"))
    box.add(mail("> quoted"))
    box.add(b"From: x\nContent-Type: text/plain; format=flowed\n\nBroken \nfor the journey.\nNext.\n")
    box.add(b"From: x\nDate: never\nContent-Type: text/plain; charset=no-such\n\nStra\xdfe\n")
    box.flush()
    box.close()
    lines = read(tmp_path / "box", own_speakers=frozenset({"j@x.de"}))
    assert texts(lines) == [
        "# Ofen — heiß\n\nGröße: 4 €",
        "Only HTML.",
        "emails without text of their own (quotations, signatures, attachments)",
        "Broken for the journey.\nNext.",
        "Straße",
    ]
    first, second, *_ = records(lines)
    assert (first.created_at, first.speaker) == (datetime(2025, 3, 1, 8, tzinfo=UTC), "j@x.de")
    assert first.thread == "mail/Ofen — heiß"
    assert second.thread == "mail/1@x"  # it has no subject


def test_a_line_that_begins_like_an_envelope_ends_no_mail() -> None:
    body = b"\nFrom here on it is hot.\n\nFrom the shed we saw it.\n"
    lines = read_mbox(io.BytesIO(ENVELOPE + b"Subject: Re: x\n" + body))
    assert texts(lines) == ["From here on it is hot.\n\nFrom the shed we saw it."]


def test_a_single_mail_is_read_and_what_is_none_is_told() -> None:
    assert texts(read_mbox(io.BytesIO(b"Subject: Re: x\n\nHot.\n"))) == ["Hot."]
    assert list(read_mbox(io.BytesIO(b""))) == []


@pytest.mark.requirement("imports:mail")
def test_a_mail_ends_only_where_an_envelope_and_header_lines_stand() -> None:
    told = b"\nFrom what I recall, at 10:30 on 5 March 2024 she sold it.\nNote: 40 euro.\n"
    dated = b"\nFrom irma@x.de Sat Mar  1 09:00:00 2025\nwas all that it said.\n\n>From the shed came smoke.\n"
    source = ENVELOPE + b"Subject: Re: x\n\nOne.\n" + told + dated + b"\n" + ENVELOPE + b"Subject: Re: y\n\nTwo.\n"
    first, second = texts(read_mbox(io.BytesIO(source)))
    assert first == f"One.\n{told.decode()}{dated.decode().replace('>From', 'From')}".rstrip()
    assert second == "Two."


@given(st.binary(max_size=200))
def test_any_bytes_are_read_as_mails_without_a_fault(raw: bytes) -> None:
    for source in (raw, ENVELOPE + raw, ENVELOPE + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n" + raw):
        assert all(isinstance(line, ParsedLine | BadLine | Omission) for line in read_mbox(io.BytesIO(source)))


@pytest.mark.requirement("imports:lines")
def test_lines_of_another_program_are_read_by_the_same_fields_and_bad_ones_named() -> None:
    source = b'{"x":1}\n{"text":"A.","mood":"low"}\nno\n\n{"text":"B."}\n{"content":"other"}\n'
    lines = list(read_foreign_jsonl(io.BytesIO(source), {}, UTC))
    assert texts(lines)[1::3] == ["A.", "“text” is missing or empty"]
    assert [line.where for line in lines] == ["line 1", "line 2", "line 3", "line 5", "line 6"]
    long = b'{"text":"' + b"a" * (8 * 1024 * 1024) + b'"}\n'
    (line,) = read_foreign_jsonl(io.BytesIO(long), {"content": "text"}, UTC)
    assert isinstance(line, BadLine)


@pytest.mark.requirement("imports:text")
def test_text_comes_in_by_paragraphs_and_a_heading_with_the_one_after_it(tmp_path: Path) -> None:
    file = tmp_path / "2025-03-01 diary.txt"
    file.write_bytes(b"\xef\xbb\xbfThe kiln\n\nIt is hot.\r\nVery.\r\n\r\n  \nDone.\n\n\xff\xfe.\n\nLast heading")
    lines = read(file)
    assert texts(lines) == [
        "The kiln\n\nIt is hot.\nVery.",
        "Done.",
        "is not UTF-8 text; save it as UTF-8",
        "Last heading",
    ]
    assert [line.where.rpartition(" ")[2] for line in lines] == ["1", "7", "9", "11"]
    first = record_of(lines[0])
    assert (first.thread, first.created_at) == (file.name, datetime(2025, 3, 1, tzinfo=UTC))


@pytest.mark.requirement("imports:streamed")
def test_a_paragraph_without_an_end_is_told_and_not_kept() -> None:
    lines = list(read_plain_text(io.BytesIO(b"a" * 9_000_000 + b"\n\nAfter."), None, DateReading()))
    assert [type(line) for line in lines] == [BadLine, ParsedLine]
    assert lines[1].where == "standard input line 3"


def test_a_folder_of_texts_is_read_file_by_file_and_says_what_else_it_holds(tmp_path: Path) -> None:
    lay_out(tmp_path, {"b/two.txt": "Two.", "one.txt": "One.", "photo.PNG": "x", ".hidden": "x"})
    assert texts(read(tmp_path, format=FileFormat.TEXT)) == ["Two.", "One.", "files of other kinds (.png)"]


@pytest.mark.requirement("imports:vault")
def test_a_vault_is_read_as_it_reads_without_what_is_none_of_its_notes(tmp_path: Path) -> None:
    notes = {
        "Irma.md": "---\naliases: [Irmchen]\ntag: people\ncssclass: x\n---\nFires the [[Kiln|kiln]]. #craft",
        "2025-03-01.md": "Saw [[Irma]].",
        "Templates/New.md": "{{date}}",
        "sub/forms/Form.md": "{{title}}",
        "sub/Untitled 3.md": "No name yet.",
        "Empty.md": "![[kiln.png]]",
        "Sketch.md": "---\nexcalidraw-plugin: parsed\n---\n{}",
        ".trash/Old.md": "thrown away",
        "kiln.png": "x",
        ".obsidian/templates.json": '{"folder": "sub/forms/"}',
        ".obsidian/plugins/templater-obsidian/data.json": "no",
    }
    lines = read(lay_out(tmp_path, notes))
    assert texts(lines) == [
        "Saw Irma.",
        "notes without text",
        "Irma\n\nFires the kiln. #craft",
        "drawings",
        "notes in template folders",
        "No name yet.",
        "notes in template folders",
        "files of other kinds (.png)",
    ]
    irma = next(line for line in lines if line.where == "Irma.md")
    assert isinstance(irma, ParsedLine)
    (link,) = note_of(irma).links
    assert record_of(irma).content[link.start : link.end] == "kiln"
    assert (note_of(irma).aliases, record_of(irma).tags) == (("Irmchen",), ("people", "craft"))
    assert irma.unknown_fields == ()
    (part,) = [line for line in read(tmp_path / "sub" / "Untitled 3.md") if isinstance(line, ParsedLine)]
    assert part.where == "sub/Untitled 3.md"


def test_a_folder_of_notes_cannot_come_through_a_pipe() -> None:
    with pytest.raises(DataFileError, match="not a pipe"):
        open_reading(ReadRequest(path="-", format=FileFormat.OBSIDIAN))


@pytest.mark.requirement("imports:mail")
@pytest.mark.parametrize(
    ("envelope", "day"), tables(__file__)["a_mail_whose_date_cannot_be_read_is_of_the_day_on_which_it_came"]
)
def test_a_mail_whose_date_cannot_be_read_is_of_the_day_on_which_it_came(envelope: str, day: str | None) -> None:
    source = f"{envelope}\nFrom: Paul <p@example.org>\nDate: Thu, 99 Foo 2025\n\nAnna moved to Vienna.\n"
    (mail,) = records(read_mbox(io.BytesIO(source.encode())))
    assert (mail.created_at.date().isoformat() if mail.created_at else None) == day


def test_what_has_no_header_is_no_mail_and_is_told() -> None:
    source = b"From 18@xxx Sun Mar 02 09:00:00 +0000 2025\ngarbage without any header\n"
    assert broken(read_mbox(io.BytesIO(source))) == [("the mail in line 2", "has no header, so it is not a mail")]
