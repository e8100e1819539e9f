"""`voice prompts`: the registry of released prompts."""

import sys
from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.terminal.printing import note, print_json
from voice.entrypoints.cli.terminal.runtime import json_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from voice.core.context.prompt_templates import PromptTemplate, Registry


@click.group()
def prompts() -> None:
    """List and show the released prompts. A released version never changes.

    \b
    Example: voice prompts show answer.v1
    """


@prompts.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List all prompts, with version, hash, owner and purpose. It also says where each is used.

    \b
    Example: voice prompts list --json
    """
    from voice.adapters.files.prompt_registry import load_registry
    from voice.adapters.files.prompts import load_prompts

    templates, registry = load_prompts(), load_registry()
    if as_json:
        print_json([_described(template, templates, registry) for template in templates])
        return
    for template in templates:
        click.echo(f"{template.label:<14} {_facts(template, templates, registry)}")
        click.echo(f"{'':<14} {template.purpose}")


@prompts.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print one released prompt.

    \b
    Example: voice prompts show challenge
    """
    from voice.adapters.files.prompt_registry import load_registry
    from voice.adapters.files.prompts import load_prompts
    from voice.core.context.prompt_templates import find_template

    templates, registry = load_prompts(), load_registry()
    template = find_template(templates, name)
    if as_json:
        print_json({**_described(template, templates, registry), "text": template.text})
        return
    if sys.stdout.isatty():
        note(f"{template.label}: {_facts(template, templates, registry)}")
    click.echo(template.text, nl=False)


def _facts(template: "PromptTemplate", templates: "tuple[PromptTemplate, ...]", registry: "Registry") -> str:
    from voice.core.context.prompt_templates import is_current

    standing = "current" if is_current(template, templates) else "earlier"
    used, use = "not declared where it is used", registry.uses.get(template.name)
    if use is not None:
        stance = f", stance {use.stance}" if use.stance else ""
        used = f"used by {', '.join(use.commands)}{stance} ({use.module})"
    return f"{template.template_hash[:12]}  {standing}  owner {template.owner}  {used}"


def _described(
    template: "PromptTemplate", templates: "tuple[PromptTemplate, ...]", registry: "Registry"
) -> "Mapping[str, object]":
    from voice.core.context.prompt_templates import is_current

    use = registry.uses.get(template.name)
    return {
        "name": template.name,
        "version": template.version,
        "label": template.label,
        "hash": template.template_hash,
        "purpose": template.purpose,
        "owner": template.owner,
        "current": is_current(template, templates),
        "used_by": None
        if use is None
        else {"stance": use.stance, "commands": list(use.commands), "module": use.module},
    }
