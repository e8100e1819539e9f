"""The same source twice adds nothing: of every format, in whatever order its files lie, and packed however."""

import io
import random
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated_exports import FORMS, Form
from played_turns import memory
from voice.bootstrap import Services
from voice.core.errors import DataFileError
from voice.core.interchange.origin import Entrance
from voice.ports.files import FileFormat
from voice.services.imports.request import ImportReport, ImportRequest

pytestmark = [pytest.mark.requirement("imports:once", "imports:archives"), pytest.mark.slow]
WORDS = st.text(alphabet="abcdefghijklmnoprstuvwxyzäöü", min_size=1, max_size=8)
SAID = st.lists(WORDS.map(lambda word: f"The {word} is in the shed."), min_size=1, max_size=4, unique=True)
Files = Sequence[tuple[str, bytes]]


def zipped(files: Files) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


def tarred(files: Files, mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload] # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownVariableType]
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))  # pyright: ignore[reportUnknownMemberType]
    return out.getvalue()


def in_parts(files: Files) -> bytes:
    return zipped([(f"Part-{number}.zip", zipped(files[number::2])) for number in range(min(2, len(files)))])


PACKS: dict[str, Callable[[Files], bytes]] = {
    "export.zip": zipped,
    "export.tar": tarred,
    "export.tgz": lambda files: tarred(files, "w:gz"),
    "parts.zip": in_parts,
    "export (1).zip": lambda files: zipped([(f"export/{name}", content) for name, content in files]),
}


def test_every_format_is_tried() -> None:
    assert FORMS.keys() == set(FileFormat)


@pytest.mark.parametrize("kind", list(FileFormat))
@settings(max_examples=2, deadline=None)
@given(said=SAID, chance=st.randoms(use_true_random=False))
def test_a_second_import_adds_nothing(kind: FileFormat, said: list[str], chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as place:
        anyio.run(_twice, Path(place), FORMS[kind], said, chance)


async def _twice(place: Path, form: Form, said: list[str], chance: random.Random) -> None:
    def shuffled(names: Sequence[str]) -> list[str]:
        return chance.sample(names, len(names))

    async with memory(place / "memory") as services:
        first = await _bring_in(services, form.write(place / "a" / "export", said, sorted))
        assert (len(first.ingested.stored), first.bad) == (len(said), ())
        for path in (
            form.write(place / "a" / "export", said, sorted),
            form.write(place / "b" / "export", said, shuffled),
        ):
            _adds_nothing(await _bring_in(services, path), len(said))
        files = [(name, (place / "b" / "export" / name).read_bytes()) for name in shuffled(sorted(form.files(said)))]
        for name, pack in PACKS.items():
            (place / name).write_bytes(pack(files))
            if form.is_packed:
                _adds_nothing(await _bring_in(services, place / name), len(said))
            else:
                with pytest.raises(DataFileError, match="holds only unknown formats"):
                    await _bring_in(services, place / name)


def _adds_nothing(report: ImportReport, known: int) -> None:
    assert (len(report.ingested.stored), report.ingested.already_known, report.corrected) == (0, known, 0)


async def _bring_in(services: Services, path: Path) -> ImportReport:
    return await services.transfer.import_memory(ImportRequest(path=str(path), entrance=Entrance.CLI, zone=UTC))
