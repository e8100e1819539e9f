"""The page on imports shows sources that come in as it says, and leaves out no format."""

import re
from pathlib import Path

import pytest

from voice.adapters.files.detection import detect_format
from voice.adapters.files.opening import open_reading
from voice.core.interchange.json_fields import parse_mapping
from voice.core.interchange.memory_lines import ParsedLine, ThoughtLine
from voice.entrypoints.cli.import_files import import_
from voice.ports.files import FileFormat, ReadRequest

_PAGE = (Path(__file__).resolve().parents[2] / "docs" / "import.md").read_text(encoding="utf-8")


def _example(section: str, language: str) -> str:
    _, _, rest = _PAGE.partition(f"\n## {section}\n")
    found = re.search(rf"^```{language}\n(.*?)^```$", rest, flags=re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def _contents(path: Path, kind: FileFormat, **more: object) -> list[str]:
    request = ReadRequest(path=str(path), format=kind, **more)  # pyright: ignore[reportArgumentType]
    reading = open_reading(request)
    records = [line.record for line in reading.lines if isinstance(line, ParsedLine)]
    reading.close()
    return [record.content for record in records if isinstance(record, ThoughtLine)]


@pytest.mark.parametrize(
    ("section", "language", "kind", "contents"),
    [
        ("ChatGPT", "json", FileFormat.CHATGPT, ["The kiln is in the shed.", "Good to know."]),
        ("Claude", "json", FileFormat.CLAUDE, ["The kiln is in the shed.", "Good to know."]),
        ("Gemini", "json", FileFormat.GEMINI, ["Where is the kiln?", "In the shed."]),
        (
            "WhatsApp",
            "text",
            FileFormat.WHATSAPP,
            ["The kiln is in the shed.", "Good to know.\nA second line of Paul's."],
        ),
        ("Telegram", "json", FileFormat.TELEGRAM, ["The kiln is in the shed.", "Good to know."]),
        ("Transcripts and messages", "json", FileFormat.MESSAGES, ["The kiln is in the shed.", "Good to know."]),
        ("Mails", "mbox", FileFormat.MBOX, ["It is in the shed."]),
        ("JSON lines", "jsonl", FileFormat.JSONL, ["The kiln is in the shed."]),
    ],
)
def test_each_source_it_shows_is_known_and_comes_in(
    tmp_path: Path, section: str, language: str, kind: FileFormat, contents: list[str]
) -> None:
    (tmp_path / "source").write_text(_example(section, language), encoding="utf-8")
    assert detect_format(tmp_path / "source") is kind
    assert _contents(tmp_path / "source", kind) == contents


def test_the_note_of_a_vault_it_shows_reads_as_it_says(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Irma.md").write_text(_example("A vault of notes (Obsidian)", "markdown"), encoding="utf-8")
    (content,) = _contents(tmp_path, FileFormat.OBSIDIAN)
    assert content == "Irma\n\nFires the big kiln on Fridays. #craft\n\nAsk her\nShe knows Paul Adler."


def test_the_fields_it_maps_are_fields(tmp_path: Path) -> None:
    entries = re.findall(r"--map (\S+=\S+)", _example("JSON lines", "sh"))
    assert parse_mapping(entries) == {"content": "body", "created_at": "ts", "speaker": "author.name"}


def test_it_names_every_format_and_each_can_be_said_on_the_command_line() -> None:
    assert [kind for kind in FileFormat if kind is not FileFormat.OWN and f"`{kind}`" not in _PAGE] == []
    choice = next(option for option in import_.params if option.name == "file_format").type
    assert set(getattr(choice, "choices", ())) == set(FileFormat)
