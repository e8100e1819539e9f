"""The options of a command's request, as it is declared, and those that say which scope it reads or writes in.

Law: a named scope is meant exactly; everything is read only by `--scope all` (or `--all-scopes`) or the setting
`scope.default = all` (ruling A18). A repository is known by the path of its root, so a relative path (`repo=.`,
`repo=~/kiln`) stands for the root it leads to. With the setting `here` and no scope, a command reads the repository of
its working directory and what has no scope. A command is in no session, for each is a process of its own.

Source: spec retrieval-contract, Scoping and Default Scoping; ruling A18.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, cast

import click

from voice.core.errors import InvalidParams
from voice.core.recall.params import UNSCOPED, parse_scope, scope_of_directory
from voice.core.records import Scope
from voice.entrypoints.cli.terminal.runtime import Decorator, flag, load_settings, moment, option
from voice.requests import Kind, Option, Parameter, Request

scope_option = option(
    "--scope scope_words",
    "Where it belongs: session=ID, repo=ID, agent=ID or user=ID; repeat for several.",
    "DIM=ID",
    multiple=True,
)
repo_option = option(
    "--repo",
    "The same as --scope repo=PATH, for the repository that DIR is in.",
    "DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
_REPO = "repo="
_HERE = (".", "..", "~")


def option_group(*options: Decorator) -> Decorator:
    """Return what gives a command all of these options, which help shows in this order."""

    def give(command: Callable[..., object]) -> Callable[..., object]:
        for each in reversed(options):  # decorators apply from the last to the first
            command = each(command)
        return command

    return give


reading_options = option_group(
    option(
        "--scope scope_words",
        "Only what belongs to session=ID, repo=ID, agent=ID or user=ID; if several, to all. `all`: everything; "
        "`here`: this repository and what has no scope.",
        "DIM=ID",
        multiple=True,
    ),
    repo_option,
    flag("--all-scopes", "The same as --scope all."),
)
"""Gives a command the options that say which part of the memory it reads."""
_writing_options = option_group(scope_option, repo_option)
_RANGES: Mapping[Kind, Callable[..., click.IntRange | click.FloatRange]] = {
    "integer": click.IntRange,
    "number": click.FloatRange,
}
_NUMBERS: Mapping[Kind, type] = {"integer": int, "number": float}


def request_options(request: Request) -> Decorator:
    """Return what gives a command the options of a request, in the order in which it is declared."""
    scopes = _writing_options if request.writes else reading_options
    return option_group(*(scopes if each.kind == "scope" else _option(each) for each in request.at("cli")))


def _option(parameter: Parameter) -> Decorator:
    said, default = parameter.cli or Option(""), parameter.default
    shown: dict[str, Any] = {} if default is None else {"default": default, "show_default": default != ""}
    if not said.names.startswith("-"):  # "[QUERY]": an argument that may be left out
        return click.argument(parameter.name, required=not said.names.startswith("["), metavar=said.names)
    if parameter.kind == "flag":  # said of another option, click takes a value with a dash for an option
        shown["is_flag"] = True
    least = parameter.least if said.least is None else said.least
    kind: object = click.Choice(parameter.choices) if parameter.choices else _NUMBERS.get(parameter.kind)
    return click.option(
        *said.names.split(),
        parameter.name,  # also for a flag: the service's name, not the option's
        required=parameter.required,
        type=kind if least is None else _RANGES[parameter.kind](least, parameter.most),
        multiple=parameter.kind == "texts",
        metavar=said.metavar,
        help=said.help,
        **shown,
    )


def options_said(request: Request, options: Mapping[str, object]) -> dict[str, object]:
    """Return what the options of a request say, by the names that its service has; errors: `named_scope`, `moment`."""
    said: dict[str, object] = {}
    for each in request.at("cli"):  # in the words of the command line
        if each.kind == "scope" and request.writes:
            where = cast("ReadingScope", options)
            said["scope"] = scope_to_write(where["scope_words"], where["repo"]) or Scope()
        elif each.kind == "scope":
            said |= scopes_said(options)
        elif each.is_instant:
            said[each.inner] = moment(cast("str | None", options[each.name]), f"--{each.name.replace('_', '-')}")
        elif options.get(each.name) is not None:  # None: the service's own default holds
            said[each.inner] = options[each.name]
    return said


def scopes_said(options: Mapping[str, object]) -> dict[str, object]:
    """Return the scope that `reading_options` name, and the one to read where they name none; errors: `named_scope`."""
    return {"scope": named_scope(cast("ReadingScope", options)), "surroundings": default_scope()}


class ReadingScope(TypedDict):
    """The options of `reading_options`, as click hands them over."""

    scope_words: tuple[str, ...]
    repo: Path | None
    all_scopes: bool


def named_scope(said: ReadingScope) -> Scope:
    """Return the scope that was named; an empty one when none was. Raises InvalidParams: a word is no scope."""
    words = _words_of_scope(said["scope_words"], said["repo"])
    if words and said["all_scopes"]:
        raise click.UsageError("choose --all-scopes or a scope, not both")
    return Scope.ALL if said["all_scopes"] else scope_of_directory(parse_scope(words), repository_of(Path.cwd()))


def scope_to_write(words: Sequence[str], repo: Path | None) -> Scope | None:
    """Return the scope that was named for something new; None: none was. Raises InvalidParams: a word is no scope."""
    said = _words_of_scope(words, repo)
    scope = parse_scope(said) if said else None  # None, unlike an empty scope, means that none was named
    if scope == UNSCOPED:
        raise InvalidParams("`here` is for reading only; name the repository: --repo .")
    return scope


def _words_of_scope(words: Sequence[str], repo: Path | None) -> tuple[str, ...]:
    named = (f"repo={_repository_id(word[len(_REPO) :])}" if word.startswith(_REPO) else word for word in words)
    return (*named, *(() if repo is None else (f"repo={_root_of(repo)}",)))


def _repository_id(value: str) -> str:
    """Return the root that a relative path leads to; anything else is an id: a repository may be on another machine."""
    is_relative = value in _HERE or value.startswith(("./", "../", "~/"))
    return _root_of(Path(value).expanduser()) if is_relative else value


def _root_of(directory: Path) -> str:
    return repository_of(directory) or str(directory.resolve())


def default_scope() -> Scope:
    """Return the scope to read where none was named; empty: one must be named."""
    return load_settings().settings.scope.surroundings(repository_of(Path.cwd()))


def repository_of(directory: Path) -> str | None:
    """Return the path of the repository that `directory` is in, or None."""
    here = directory.resolve()
    # `.git` is a file in worktrees and submodules.
    root = next((each for each in (here, *here.parents) if (each / ".git").exists()), None)
    return None if root is None else str(root)
