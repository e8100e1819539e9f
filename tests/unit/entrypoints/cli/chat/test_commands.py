"""What a line of a conversation says, and how one that was begun goes on."""

import pytest

from tables import tables
from voice.entrypoints.cli.chat.actions import ACTIONS, CHANGING_HISTORY
from voice.entrypoints.cli.chat.commands import (
    BY_NAME,
    COMMANDS,
    CommandCall,
    CompletionWords,
    InvalidCommand,
    Question,
    completions,
    help_lines,
    read_line,
    split_argument,
    with_chat_commands,
)

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("cli:chat:lines")
WORDS = CompletionWords(
    sessions=(("s:01aa", "the kiln"), ("s:01bb", "the shed"), ("s:01cc", "the shed")),
    names=("Anna Lund", "Ånge", "kiln"),
)


def test_every_command_of_the_table_does_something_and_is_explained_in_a_sentence() -> None:
    assert set(ACTIONS) == set(BY_NAME)
    assert len(BY_NAME) == len(COMMANDS)
    assert set(ACTIONS) > CHANGING_HISTORY
    assert [each.name for each in COMMANDS if not each.help.endswith(".") or not each.help[0].isupper()] == []


@pytest.mark.parametrize("line", ["", "   ", "\n", "\t\n "])
def test_an_empty_line_says_nothing(line: str) -> None:
    assert read_line(line) is None
    assert read_line(f"{line}x") == Question(text="x")


@pytest.mark.parametrize("line", ["Where is the kiln?", " Where is the kiln?\n", "Where is the kiln?  "])
def test_a_line_without_a_slash_is_a_question(line: str) -> None:
    assert read_line(line) == Question(text="Where is the kiln?")


def test_a_question_may_have_several_lines() -> None:
    assert read_line("Where is\n/the kiln?") == Question(text="Where is\n/the kiln?")


@pytest.mark.parametrize(("line", "name", "argument"), TABLES["a_line_with_a_slash_calls_a_command"])
def test_a_line_with_a_slash_calls_a_command(line: str, name: str, argument: str) -> None:
    assert read_line(line) == CommandCall(command=BY_NAME[name], argument=argument)


@pytest.mark.parametrize(("line", "told"), TABLES["a_command_that_there_is_not_or_that_lacks_something_is_told"])
def test_a_command_that_there_is_not_or_that_lacks_something_is_told(line: str, told: str) -> None:
    assert read_line(line) == InvalidCommand(told=told)


def test_a_message_names_the_command_that_does_here_what_it_advises() -> None:
    assert (
        with_chat_commands("there is none; `voice sessions list` shows them") == "there is none; /sessions shows them"
    )
    assert with_chat_commands("`voice retrieve` shows ids") == "`voice retrieve` shows ids"


def test_control_characters_of_a_mistyped_command_are_no_part_of_a_name() -> None:
    wrong = read_line("/\x1b[31m")
    assert isinstance(wrong, InvalidCommand)


@pytest.mark.parametrize(
    ("text", "first", "rest", "is_quoted"), TABLES["the_first_of_an_argument_is_a_word_or_what_is_quoted"]
)
def test_the_first_of_an_argument_is_a_word_or_what_is_quoted(
    text: str, first: str, rest: str, *, is_quoted: bool
) -> None:
    assert split_argument(text) == (first, rest, is_quoted)


def test_help_tells_of_all_commands_or_of_one() -> None:
    assert len(list(help_lines())) == 2 * len(COMMANDS)
    assert list(help_lines("/exit")) == ["/quit", "    End the conversation; so do /exit and Ctrl-D."]
    assert list(help_lines("wat")) == []


def gone_on(line: str) -> list[str]:
    """Return the lines that completion makes of one."""
    return [line[: len(line) - each.back] + each.text for each in completions(line, WORDS)]


@pytest.mark.requirement("cli:chat:terminal")
@pytest.mark.parametrize(("line", "wanted"), TABLES["a_line_that_was_begun_goes_on"])
def test_a_line_that_was_begun_goes_on(line: str, wanted: tuple[str, ...]) -> None:
    assert gone_on(line) == list(wanted)


def test_what_stands_beside_a_completion_tells_it_from_others() -> None:
    assert [each.beside for each in completions("/switch the s", WORDS)] == ["the shed", "the shed"]
    assert [each.beside for each in completions("/switch the k", WORDS)] == ["s:01aa"]
    assert [each.beside for each in completions("/pi", WORDS)] == [BY_NAME["pin"].help]
