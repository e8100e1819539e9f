"""Which scope a command reads in.

Law: what is named is meant exactly; `--all-scopes`, or `--scope all`, is the only way to everything (ruling A18).
Where nothing is named, a command stands in the repository of its working directory, if that is in one; what comes of
that is the service's business (spec: Default Scoping). It stands in no session: every command is a process of its own,
and which talk is meant is said by name.

Source: spec retrieval-contract, Scoping and Default Scoping; ruling A18.
"""

from collections.abc import Sequence
from pathlib import Path

import click

from voice.core.recall.scoping import parse_scope
from voice.core.records import Scope

repo_option = click.option(
    "--repo",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The same as --scope repo=PATH, for the repository that DIR is in.",
)
all_scopes_option = click.option("--all-scopes", is_flag=True, help="Everything, whatever scope it belongs to.")


def named_scope(words: Sequence[str], repo: Path | None, *, all_scopes: bool) -> Scope:
    """Return the scope that was named; an empty one when none was.

    Raises:
        InvalidParams: a word is no scope, or a dimension is named twice.
        click.UsageError: everything and something were asked for.
    """
    said = (*words, *(() if repo is None else (f"repo={repository_of(repo) or repo.resolve()}",)))
    if said and all_scopes:
        raise click.UsageError("say --all-scopes or a scope, not both")
    return Scope.ALL if all_scopes else parse_scope(said)


def surroundings() -> Scope:
    """Return the scope of the repository that this process works in; an empty one outside of any."""
    return Scope(repo_id=repository_of(Path.cwd()))


def repository_of(directory: Path) -> str | None:
    """Return the path of the repository that `directory` is in, or None."""
    here = directory.resolve()
    root = next((each for each in (here, *here.parents) if (each / ".git").exists()), None)
    return None if root is None else str(root)
