"""docs/cli.md is what the commands say, and every command says enough."""

import json
import re
from pathlib import Path

import click
import pytest

from voice.entrypoints.cli.reference import SCHEMAS, cli_markdown, commands

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "cli.md"
_SCHEMAS = _ROOT / "src" / "voice" / "schemas"
_WITHOUT_JSON = {"demo", "chat", "mcp", "prompts diff", "prompts release", "completion", "serve", "sessions export"}
"""What talks, shows or prints a text, or answers others; there is no document to give."""


def leaves() -> dict[str, click.Command]:
    return {name: command for name, command, _ in commands() if not isinstance(command, click.Group)}


def test_the_page_of_commands_is_current() -> None:
    assert _PAGE.read_text(encoding="utf-8") == cli_markdown()


def test_every_command_shows_an_example_of_itself() -> None:
    helps = {name: command.help or "" for name, command, _ in commands()}
    assert [name for name, text in helps.items() if "Example" not in text or name not in text] == []


def test_every_option_says_what_it_does() -> None:
    silent = [
        f"{name} {option.opts[0]}"
        for name, command in leaves().items()
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden and not option.help
    ]
    assert silent == []


def test_every_command_speaks_json_with_a_schema_of_its_own() -> None:
    json_able = {name for name, command in leaves().items() if any("--json" in each.opts for each in command.params)}
    assert json_able == leaves().keys() - _WITHOUT_JSON
    assert SCHEMAS.keys() == json_able


@pytest.mark.parametrize("path", sorted(_SCHEMAS.glob("cli/*.schema.json")), ids=lambda path: path.name)
def test_a_schema_is_named_after_its_file_and_belongs_to_a_command(path: Path) -> None:
    name = path.name.removesuffix(".schema.json")
    named = json.loads(path.read_text(encoding="utf-8"))["$id"]
    assert re.fullmatch(rf"urn:inner-voice:schema:cli:{name}:1\.\d+\.0", named)
    assert f"cli/{name}.schema.json" in _PAGE.read_text(encoding="utf-8")
