"""What an installation without extras lacks is said in one line that names the extra (ruling A23)."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from voice.adapters import extras
from voice.adapters.archive.directory import LocalArchives
from voice.adapters.embedding import make_embedder
from voice.adapters.llm.factory import make_client
from voice.adapters.surreal.opening import open_store
from voice.core.errors import ConfigurationError
from voice.core.settings.providers import EmbedSettings, LlmSettings
from voice.entrypoints.cli.main import exit_code

pytestmark = pytest.mark.requirement("install:extras")
_PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"
_NOT_THERE = "which is not installed: pip install 'inner-voice[{}]', in a checkout make setup"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extra is installed."""
    monkeypatch.setattr(extras, "find_spec", dict[str, object]().get)


def _client(provider: str) -> None:
    settings = LlmSettings(provider=provider, model="some-model", api_key="key")
    make_client(settings, today=date(2026, 3, 20), unix_time=lambda: 0.0)


@pytest.mark.parametrize(("provider", "extra"), [("gemini", "gemini"), ("anthropic", "litellm"), ("ollama", "litellm")])
async def test_a_provider_whose_package_is_missing_names_its_extra(provider: str, extra: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        _client(provider)
    assert _NOT_THERE.format(extra) in raised.value.message


async def test_the_offline_provider_and_encoder_need_no_extra() -> None:
    _client("extractive")
    assert make_embedder(EmbedSettings()).provider == "local"


async def test_an_encoder_elsewhere_names_the_extra() -> None:
    with pytest.raises(ConfigurationError, match="the encoder of openai needs the package litellm") as raised:
        make_embedder(EmbedSettings(provider="openai", model="small", dim=8))
    assert _NOT_THERE.format("litellm") in raised.value.message


async def test_a_memory_on_a_server_names_the_extra(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="a memory on a server needs the package surrealdb") as raised:
        await open_store("ws://127.0.0.1:9", home=tmp_path)
    assert _NOT_THERE.format("server") in raised.value.message


async def test_an_archive_in_parquet_names_the_extra_and_the_format_that_needs_none(tmp_path: Path) -> None:
    (tmp_path / "removals-x.parquet").write_bytes(b"PAR1")
    with pytest.raises(ConfigurationError, match="or choose JSON lines with --format jsonl") as raised:
        await LocalArchives().read(str(tmp_path / "removals-x.parquet"))
    assert _NOT_THERE.format("archive") in raised.value.message


@pytest.mark.parametrize(
    ("command", "said"),
    [(["mcp"], "voice mcp needs the package mcp"), (["serve"], "or leave it out: voice serve --no-mcp")],
)
def test_a_command_names_the_extra_in_one_line(
    command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(command) == ConfigurationError.exit_code
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert _NOT_THERE.format("mcp") in line


def test_every_extra_that_is_named_is_one_of_the_project() -> None:
    declared = tomllib.loads(_PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
    named = {extra: package for package, extra in extras.EXTRAS.values()}
    assert named.keys() == declared.keys() - {"all"}
    for extra, package in named.items():
        assert any(line.startswith((f"{package}>", f"{package}=")) for line in declared[extra])
