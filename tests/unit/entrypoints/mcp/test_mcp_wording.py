"""Errors and warnings in the words of a program that has tools and no command line."""

import re
from pathlib import Path

import pytest
from reference.cli import commands

from tables import tables
from voice.core.errors import InvalidParams
from voice.entrypoints.mcp.client_replies import (
    ARGUMENT_OF_OPTION,
    OWNERS,
    TOOL_OF_COMMAND,
    all_in_tool_terms,
    failure,
    in_tool_terms,
    unexpected_error,
)
from voice.entrypoints.mcp.tools import TOOLS

pytestmark = pytest.mark.requirement("mcp:advice", "ruling:J1")
TABLES = tables(__file__)
SOURCES = Path(__file__).resolve().parents[4] / "src" / "voice"


@pytest.mark.parametrize(("said", "told"), TABLES["commands_and_options_become_tools_and_arguments"])
def test_commands_and_options_become_tools_and_arguments(said: str, told: str) -> None:
    told = told.format(OWNERS=OWNERS)
    assert in_tool_terms(said) == told
    assert all_in_tool_terms([said, said]) == (told, told)


def test_every_command_in_the_table_is_one_and_every_tool_too() -> None:
    known = {name for name, _, _ in commands()}
    assert TOOL_OF_COMMAND.keys() <= known
    tools = {tool.name for tool in TOOLS}
    assert {told.partition(" ")[0] for told in TOOL_OF_COMMAND.values()} <= tools
    arguments = {parameter.name for tool in TOOLS for parameter in tool.parameters}
    assert set(ARGUMENT_OF_OPTION.values()) <= arguments


def test_no_message_of_the_program_keeps_a_command_of_a_shell() -> None:
    """Every text in the sources that names a command is told without one."""
    texts = [
        text
        for path in SOURCES.rglob("*.py")
        if path.relative_to(SOURCES).parts[:2] != ("entrypoints", "cli")
        for text in re.findall(
            r"[\"'][^\"'\n]*(?:`voice [^`\n]+`|: voice [a-z][^\"'\n]*)[^\"'\n]*[\"']", path.read_text(encoding="utf-8")
        )
    ]
    assert len(texts) > 20
    assert [text for text in texts if re.search(r"`voice |: voice ", in_tool_terms(text[1:-1]))] == []


def test_an_error_begins_with_its_tool_and_names_no_variable_of_an_environment() -> None:
    told = failure(InvalidParams("query is needed; see `voice ask --help`"), "recall")
    assert "recall: query is needed; see inner_voice_chat" in str(told.content[0])
    assert "pin: recall" not in str(failure(InvalidParams("pin needs id"), "pin").content[0])
    assert "VOICE_DEBUG" not in str(unexpected_error(ValueError("x")))
