"""The command line, run inside the test's own process."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012, Schema

from cli_runner import (
    SCHEMAS,
    Documented,
    Playing,
    Ran,
    Run,
    Terminal,
    Voice,
    always,
    data_directory,
    run_command,
)
from played_turns import PAID
from voice.adapters.llm.scripted import Script, ScriptedClient
from voice.core.usage import Usage
from voice.entrypoints.cli.main import exit_code
from voice.ports.llm import ModelProfile


@pytest.fixture
def run_voice(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(arguments: list[str], stdin: bytes = b"", *, at_terminal: bool = False) -> Ran:
        piped = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", Terminal(stdin.decode()) if at_terminal else piped)
        capsys.readouterr()
        code = exit_code(arguments)
        said = capsys.readouterr()
        return Ran(code=code, out=said.out, err=said.err)

    return run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two data directories once, `empty` and `told`, which each test gets a copy of: making one costs most."""
    place = tmp_path_factory.mktemp("made")
    for name in ("empty", "told"):
        home = data_directory(place / name)
        text = "Moved the kiln to the shed. Anna Lund fired the kiln at cone 6 on Friday."
        ran = run_command(*(("remember", text) if name == "told" else ("kg", "list")), home=home)
        assert ran.code == 0, ran
    return place


def copied(made: Path, home: Path, run: Run) -> Voice:
    """Return a voice on a copy of a data directory."""
    shutil.copytree(made, home)
    return Voice(home, run)


@pytest.fixture
def voice(made: Path, tmp_path: Path, run_voice: Run) -> Voice:
    """Return a voice whose memory, in a place with spaces and more in its name, is empty."""
    return copied(made / "empty", tmp_path / "my mémory 思い出", run_voice)


@pytest.fixture
def unbegun(tmp_path: Path, run_voice: Run) -> Voice:
    """Return a voice whose data directory holds nothing but settings."""
    return Voice(data_directory(tmp_path / "unbegun"), run_voice)


@pytest.fixture
def other(tmp_path: Path, run_voice: Run) -> Voice:
    """Return a voice with another data directory that holds nothing but settings."""
    return Voice(data_directory(tmp_path / "another"), run_voice)


@pytest.fixture
def nowhere(tmp_path: Path, run_voice: Run) -> Voice:
    """Return a voice whose data directory is not there."""
    return Voice(tmp_path / "no where", run_voice)


@pytest.fixture
def told(made: Path, tmp_path: Path, run_voice: Run) -> Voice:
    """Return a voice whose memory holds two sentences."""
    return copied(made / "told", tmp_path / "my mémory 思い出", run_voice)


@pytest.fixture
def playing(monkeypatch: pytest.MonkeyPatch) -> Playing:
    """Return a function that puts a model, which costs money unless told otherwise, in the place of the one set."""

    def play(script: Script, *, profile: ModelProfile = PAID, usage: Usage | None = None) -> ScriptedClient:
        client = ScriptedClient(script, profile=profile, usage=usage)
        monkeypatch.setattr("voice.bootstrap.make_llm", always(lambda: client))
        return client

    return play


@pytest.fixture(scope="session")
def schemas() -> "Registry[Schema]":
    """Return every schema of the package by its name."""
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SCHEMAS.rglob("*.schema.json"))]
    known: Registry[Schema] = Registry()
    return known.with_resources([(each["$id"], DRAFT202012.create_resource(each)) for each in documents])


@pytest.fixture
def is_as_documented(schemas: "Registry[Schema]") -> Documented:
    """Return a check that what was printed is what a schema (`cli/ask`) says."""

    def check(name: str, ran: Ran) -> None:
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(schema)
        checker = Draft202012Validator.FORMAT_CHECKER
        validator = Draft202012Validator(schema, registry=schemas, format_checker=checker)
        validator.validate(json.loads(ran.out))  # pyright: ignore[reportUnknownMemberType] - stubs leave it open

    return check
