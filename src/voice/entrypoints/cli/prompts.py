"""`voice prompts`: the registry of released prompts."""

import sys
from difflib import unified_diff
from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.terminal.printing import note, print_json, printable_block
from voice.entrypoints.cli.terminal.runtime import json_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from voice.core.context.prompt_templates import PromptTemplate, PromptUse, Registry, TemplateCheck


@click.group()
def prompts() -> None:
    """List, show, compare and test the released prompts; a released version never changes.

    \b
    Example: voice prompts show answer.v1
    """


@prompts.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List every prompt with its version, hash, owner, purpose and where it is used.

    \b
    Example: voice prompts list --json
    """
    templates, registry = _load(), _registry()
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
    """Print one prompt as it is released.

    \b
    Example: voice prompts show challenge
    """
    template, templates, registry = _find(name), _load(), _registry()
    if as_json:
        print_json({**_described(template, templates, registry), "text": template.text})
        return
    if sys.stdout.isatty():
        note(f"{template.label}: {_facts(template, templates, registry)}")
    click.echo(template.text, nl=False)


@prompts.command()
@click.argument("one")
@click.argument("other", required=False)
def diff(one: str, other: str | None) -> None:
    """Print the difference between two prompts, or between one prompt and its previous version.

    \b
    Examples:
      voice prompts diff answer
      voice prompts diff answer.v1 challenge.v1
    """
    first, second = (_before(one), _find(one)) if other is None else (_find(one), _find(other))
    lines = unified_diff(first.text.splitlines(), second.text.splitlines(), first.label, second.label, lineterm="")
    click.echo("\n".join(lines))


@prompts.command("test")
@json_option
@click.pass_context
def test_(ctx: click.Context, as_json: bool) -> None:
    """Render every prompt on fixed inputs and compare it with its snapshot, and its hash with the pinned one.

    The exit code is 1 if a released version changed, or renders differently.

    \b
    Example: voice prompts test
    """
    from voice.core.context.prompt_templates import check_templates

    found = check_templates(_load(), _registry())
    faulty = [each for each in found if each.fault]
    if as_json:
        print_json({"ok": not faulty, "prompts": [_checked_json(each) for each in found]})
    else:
        _show_checked(found)
    ctx.exit(1 if faulty else 0)


@prompts.command()
def release() -> None:
    """Pin the hash and the snapshot of every new version; for a checkout.

    \b
    Example: voice prompts release
    """
    from voice.adapters.files.prompt_registry import release as write
    from voice.core.context.prompt_templates import to_release

    registry = _registry()
    chosen = to_release(_load(), registry)
    write(chosen, registry)
    for template in chosen:
        click.echo(f"{template.label} {template.template_hash}")
    if not chosen:
        click.echo("there is nothing new")


def _show_checked(found: "tuple[TemplateCheck, ...]") -> None:
    from voice.core.context.prompt_templates import WHAT_TO_DO

    for each in found:
        if each.fault is None:
            click.echo(f"{each.label:<14} as released")
            continue
        click.echo(f"{each.label:<14} {each.fault.replace('_', ' ')}: {WHAT_TO_DO[each.fault]}")
        if each.diff:
            click.echo(printable_block("\n".join(each.diff)))


def _load() -> "tuple[PromptTemplate, ...]":
    from voice.adapters.files.prompts import load_prompts

    return load_prompts()


def _registry() -> "Registry":
    from voice.adapters.files.prompt_registry import load_registry

    return load_registry()


def _find(name: str) -> "PromptTemplate":
    from voice.core.context.prompt_templates import find_template

    return find_template(_load(), name)


def _before(name: str) -> "PromptTemplate":
    """Return the version before the one that is named.

    Raises:
        click.UsageError: it is the first one.
    """
    template = _find(name)
    if template.version == 1:
        raise click.UsageError(f"{template.label} is the first version; name another prompt to compare it with")
    return _find(f"{template.name}.v{template.version - 1}")


def _facts(template: "PromptTemplate", templates: "tuple[PromptTemplate, ...]", registry: "Registry") -> str:
    from voice.core.context.prompt_templates import is_current

    standing = "current" if is_current(template, templates) else "earlier"
    used = _used_in(registry.uses.get(template.name))
    return f"{template.template_hash[:12]}  {standing}  owner {template.owner}  {used}"


def _used_in(use: "PromptUse | None") -> str:
    if use is None:
        return "not declared where it is used"
    stance = f", stance {use.stance}" if use.stance else ""
    return f"used by {', '.join(use.commands)}{stance} ({use.module})"


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


def _checked_json(checked: "TemplateCheck") -> "Mapping[str, object]":
    from voice.core.context.prompt_templates import WHAT_TO_DO

    fault = checked.fault
    to_do = None if fault is None else WHAT_TO_DO[fault]
    return {"label": checked.label, "fault": fault, "to_do": to_do, "diff": list(checked.diff)}
