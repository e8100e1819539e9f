"""`voice prompts`: the registry of released prompts."""

from difflib import unified_diff
from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.printing import print_json
from voice.entrypoints.cli.runtime import json_option

if TYPE_CHECKING:
    from voice.core.context.template import PromptTemplate


@click.group()
def prompts() -> None:
    """List, show and compare the released prompts; a released version never changes.

    \b
    Example: voice prompts show answer.v1
    """


@prompts.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List every prompt with its version, hash and purpose.

    \b
    Example: voice prompts list --json
    """
    templates = _load()
    if as_json:
        print_json([_described(template) for template in templates])
        return
    for template in templates:
        click.echo(f"{template.label:<14} {template.template_hash[:12]}  {template.purpose}")


@prompts.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print one prompt as it is released.

    \b
    Example: voice prompts show challenge
    """
    template = _find(name)
    if as_json:
        print_json({**_described(template), "text": template.text})
    else:
        click.echo(template.text, nl=False)


@prompts.command()
@click.argument("one")
@click.argument("other")
def diff(one: str, other: str) -> None:
    """Print what differs between two prompts.

    \b
    Example: voice prompts diff answer.v1 challenge.v1
    """
    first, second = _find(one), _find(other)
    lines = unified_diff(first.text.splitlines(), second.text.splitlines(), first.label, second.label, lineterm="")
    click.echo("\n".join(lines))


def _load() -> "tuple[PromptTemplate, ...]":
    from voice.adapters.files.prompts import load_prompts

    return load_prompts()


def _find(name: str) -> "PromptTemplate":
    from voice.core.context.template import find_template

    return find_template(_load(), name)


def _described(template: "PromptTemplate") -> dict[str, object]:
    return {
        "name": template.name,
        "version": template.version,
        "label": template.label,
        "hash": template.template_hash,
        "purpose": template.purpose,
        "owner": template.owner,
    }
