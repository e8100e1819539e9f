"""Scopes on the command line: `--scope repo=/home/ann/kiln`.

Law: what is named is meant exactly, and everything is asked for by name (ruling A18).

Source: spec retrieval-contract, Scoping; ruling A18.
"""

from collections.abc import Sequence

import click

from voice.core.recall.scoping import parse_scope
from voice.core.records import Scope

scope_option = click.option(
    "--scope",
    "scope_words",
    multiple=True,
    metavar="DIM=ID",
    help="Where it belongs: session=ID, repo=ID, agent=ID or user=ID; may be repeated.",
)
reading_scope_option = click.option(
    "--scope",
    "scope_words",
    multiple=True,
    metavar="DIM=ID",
    help="Only what belongs to session=ID, repo=ID, agent=ID or user=ID; several must all hold; `all` is everything.",
)


def scope_to_write(words: Sequence[str]) -> Scope | None:
    """Return the scope that was named, or None when none was.

    Raises:
        InvalidParams: a word is no scope.
    """
    return parse_scope(words) if words else None
