"""The command line, run inside the test's own process."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012, Schema

from cli_runner import SCHEMAS, SETTINGS, Ran, Voice
from voice.entrypoints.cli.main import exit_code


@pytest.fixture
def run_voice(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str], bytes], Ran]:
    def run(arguments: list[str], stdin: bytes) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        code = exit_code(arguments)
        said = capsys.readouterr()
        return Ran(code=code, out=said.out, err=said.err)

    return run


@pytest.fixture
def new_home(tmp_path: Path) -> Path:
    """Return a data directory, with spaces and more in its name, that holds nothing but settings."""
    home = tmp_path / "my mémory 思い出"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    return home


@pytest.fixture
def voice(new_home: Path, run_voice: Callable[[list[str], bytes], Ran]) -> Voice:
    return Voice(new_home, run_voice)


@pytest.fixture
def told(voice: Voice) -> Voice:
    """Return a voice whose memory holds two sentences."""
    voice.ok("remember", "Moved the kiln to the shed. Anna Lund fired the kiln at cone 6 on Friday.")
    return voice


@pytest.fixture(scope="session")
def schemas() -> "Registry[Schema]":
    """Return every schema of the package by its name."""
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SCHEMAS.rglob("*.schema.json"))]
    known: Registry[Schema] = Registry()
    return known.with_resources([(each["$id"], DRAFT202012.create_resource(each)) for each in documents])


@pytest.fixture
def is_as_documented(schemas: "Registry[Schema]") -> Callable[[str, Ran], None]:
    """Return a check that what was printed is what a schema (`cli/ask`) says."""

    def check(name: str, ran: Ran) -> None:
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(schema)
        checker = Draft202012Validator.FORMAT_CHECKER
        validator = Draft202012Validator(schema, registry=schemas, format_checker=checker)
        validator.validate(json.loads(ran.out))  # pyright: ignore[reportUnknownMemberType] - stubs leave it open

    return check
