"""`voice prompts`: the registry of released prompts."""

import sys
from collections.abc import Mapping

import click

from voice.core.context.prompt_templates import PromptTemplate, Registry, find_template, is_current
from voice.entrypoints.cli.terminal.printing import note, print_json, print_result, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonGroup


@click.group(cls=JsonGroup)
def prompts() -> None:
    """List and show the released prompts. A released version never changes.

    \b
    Example: voice prompts show answer.v1
    """


@prompts.command("list")
def list_() -> None:
    """List all prompts, with version, hash, owner and purpose. It also says where each is used.

    \b
    Example: voice prompts list --json
    """
    templates, registry = _released()
    facts = (f"{each.label:<14} {_facts(each, templates, registry)}\n{'':<14} {each.purpose}" for each in templates)
    print_result([_described(template, templates, registry) for template in templates], facts)


@prompts.command()
@click.argument("name")
def show(name: str) -> None:
    """Print one released prompt.

    \b
    Example: voice prompts show challenge
    """
    templates, registry = _released()
    template = find_template(templates, name)
    if wants_json():
        print_json({**_described(template, templates, registry), "text": template.text})
        return
    if sys.stdout.isatty():
        note(f"{template.label}: {_facts(template, templates, registry)}")
    click.echo(template.text, nl=False)


def _released() -> tuple[tuple[PromptTemplate, ...], Registry]:
    from voice.adapters.files.prompt_registry import load_registry
    from voice.adapters.files.prompts import load_prompts

    return load_prompts(), load_registry()


def _facts(template: PromptTemplate, templates: tuple[PromptTemplate, ...], registry: Registry) -> str:
    standing = "current" if is_current(template, templates) else "earlier"
    used, use = "not declared where it is used", registry.uses.get(template.name)
    if use is not None:
        stance = f", stance {use.stance}" if use.stance else ""
        used = f"used by {', '.join(use.commands)}{stance} ({use.module})"
    return f"{template.template_hash[:12]}  {standing}  owner {template.owner}  {used}"


def _described(
    template: PromptTemplate, templates: tuple[PromptTemplate, ...], registry: Registry
) -> Mapping[str, object]:
    use = registry.uses.get(template.name)
    used = None if use is None else {"stance": use.stance, "commands": list(use.commands), "module": use.module}
    return {
        "name": template.name,
        "version": template.version,
        "label": template.label,
        "hash": template.template_hash,
        "purpose": template.purpose,
        "owner": template.owner,
        "current": is_current(template, templates),
        "used_by": used,
    }
