"""What services say, in the words of a program that has tools and no command line.

Law: an error or a warning names a tool and its argument, never a command of a shell: a program cannot run it, and would
try (ruling J1). What only the person who runs this memory can do is said to be theirs.

Source: DESIGN 8 MCP; rulings J1, J4; STYLE 9.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

_LIST: Final = 'knowledgegraph_moderate with action "list"'
TOOL_OF_COMMAND: Final[Mapping[str, str]] = {
    "ask": "inner_voice_chat",
    "conflicts": 'knowledgegraph_moderate with action "conflicts"',
    "correct": "correct",
    "kg alias": 'knowledgegraph_moderate with action "alias"',
    "kg candidates": _LIST,
    "kg edit": 'knowledgegraph_moderate with action "edit"',
    "kg list": "inner_voice_retrieve",
    "kg reject": 'knowledgegraph_moderate with action "reject"',
    "kg show": "get_row",
    "maintain mark": 'maintenance_ops with subcommand "mark_for_removal"',
    "pins list": "recall",
    "recall": "recall",
    "remember": "remember",
    "retrieve": "inner_voice_retrieve",
    "review": "vouch_status",
}
"""By the words of a command, the tool that does the same for a program."""
ARGUMENT_OF_OPTION: Final[Mapping[str, str]] = {
    "private": "include_private",
    "with-ends": "with_ends",
    "to": "target",
    "budget": "token_budget",
    "provider": "provider",
    "since": "since",
    "until": "until",
    "scope": "scope",
    "when": "when",
}
"""By its option on the command line, the argument of the tools; others are written with underscores."""
OWNERS: Final = "only the person who runs this memory can change that; tell them"
_HOME: Final = "--home"
"""The place of the memory, which no argument of a tool names."""
_COMMAND: Final = re.compile(r"`voice ([^`]{1,300})`")
_BARE: Final = re.compile(r": voice ([a-z][^;`]{0,200}?)(?=\Z|[;,.)](?:\s|\Z))")
_OPTION: Final = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+){0,4})(?![\w-])")
_CLAUSES: Final = re.compile(r"(; |\. |: |, or )")
_ELSE: Final = ", or "


def in_tools(said: Iterable[str]) -> tuple[str, ...]:
    """Return messages in the words of the tools."""
    return tuple(map(in_words_of_tools, said))


def in_words_of_tools(message: str) -> str:
    """Return a message with tools and arguments in the place of commands and options.

    A clause that names a command which no tool does is left out, and whose it is to do is said at the end.
    """
    marked = _BARE.sub(r" `voice \1`", message)
    told = _COMMAND.sub(lambda found: _tool(found[1]) or found[0], marked)
    parts = _CLAUSES.split(told)
    said, sign, is_cut = "", "", False
    for clause, behind in zip(parts[::2], [*parts[1::2], ""], strict=True):
        if _is_the_owners(clause):
            is_cut = True
            sign = sign if behind == _ELSE else behind
            continue
        said = f"{said}{sign if said else ''}{clause}"
        sign = behind
    if is_cut:
        said = f"{said}; {OWNERS}" if said else OWNERS
    return _OPTION.sub(lambda found: ARGUMENT_OF_OPTION.get(found[1], found[1].replace("-", "_")), said)


def _is_the_owners(clause: str) -> bool:
    return _COMMAND.search(clause) is not None or _HOME in clause


def _tool(command: str) -> str | None:
    """Return the tool that does what a command does, by as many of its words as are known; None where none does."""
    words = command.split()
    for count in (2, 1):
        found = TOOL_OF_COMMAND.get(" ".join(words[:count]))
        if found is not None:
            return found
    return None
