"""docs/cli.md is what the commands say, and every command says enough."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from reference.cli import SCHEMAS, cli_markdown, commands

from docs_pages import blocks
from docs_shell import commands as calls
from voice.entrypoints.cli.main import cli

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "cli.md"
_SCHEMAS = _ROOT / "src" / "voice" / "schemas"
_WITHOUT_JSON = {"demo", "chat", "mcp", "completion", "serve", "sessions export"}
"""What talks, shows or prints a text, or answers others; there is no document to give."""


def leaves() -> dict[str, click.Command]:
    return {name: command for name, command, _ in commands() if not isinstance(command, click.Group)}


def test_the_page_of_commands_is_current() -> None:
    assert _PAGE.read_text(encoding="utf-8") == cli_markdown()


def test_every_command_says_in_a_line_what_it_does_and_shows_an_example_of_itself() -> None:
    helps = {name: command.help or "" for name, command, _ in commands()}
    assert [name for name, text in helps.items() if "Example" not in text or name not in text] == []
    assert [name for name, command, _ in commands() if len(command.get_short_help_str(200)) > 60] == []
    assert len(helps) > 20


def examples() -> Iterator[str]:
    """Yield each example call of the program on the page, without what a shell does with it."""
    for block in blocks("docs/cli.md"):
        for command, _ in calls(block):
            inside = re.search(r"\$\((voice .*?)\)|(?:^|\| |-- )(voice .*?)(?= \| | > |$)", command)
            assert inside, command
            yield inside[1] or inside[2]


@pytest.mark.requirement("docs:runs")
@pytest.mark.parametrize("line", sorted(set(examples())))
def test_every_example_is_a_call_that_its_command_takes(line: str, tmp_path: Path) -> None:
    """Files that an example names are there; nothing is asked, stored or drawn."""
    context: click.Context = cli.make_context("voice", shlex.split(_with_files(line, tmp_path))[1:])
    while isinstance(context.command, click.Group):
        name, command, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
        assert command is not None
        context = command.make_context(name, rest, parent=context)
    assert context.command.name is not None


def _with_files(line: str, folder: Path) -> str:
    """Return a call whose files lie in a folder, and are there where they are read."""
    there = folder / "there"
    there.mkdir()
    return re.sub(r"(?<= )(?:~/)?[\w./-]*\w\.(?:json|jsonl|mbox|toml|backup)\b|~/(?:notes|site)", str(there), line)


def test_every_option_says_what_it_does_and_every_command_speaks_json_with_a_schema_of_its_own() -> None:
    silent = [
        f"{name} {option.opts[0]}"
        for name, command in leaves().items()
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden and not option.help
    ]
    assert silent == []
    json_able = {name for name, command in leaves().items() if any("--json" in each.opts for each in command.params)}
    assert json_able == leaves().keys() - _WITHOUT_JSON
    assert SCHEMAS.keys() == json_able


def test_a_schema_is_named_after_its_file_and_belongs_to_a_command() -> None:
    page = _PAGE.read_text(encoding="utf-8")
    for path in _SCHEMAS.glob("cli/*.schema.json"):
        name = path.name.removesuffix(".schema.json")
        named = json.loads(path.read_text(encoding="utf-8"))["$id"]
        assert re.fullmatch(rf"urn:inner-voice:schema:cli:{name}:[1-9]\.\d+\.0", named)
        assert f"cli/{name}.schema.json" in page
    assert len([*_SCHEMAS.glob("cli/*.schema.json")]) > 20
