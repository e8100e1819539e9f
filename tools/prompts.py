"""Tests, compares and releases the prompts of a checkout: `python -m tools.prompts test | diff ONE [OTHER] | release`.

`test` renders every prompt on fixed inputs and compares it with its snapshot, and its hash with the pinned one; exit
code 1 says that a released version changed or renders differently. `diff` compares two prompts, or one with its version
before. `release` pins the hash and keeps the snapshot of every new version; what is pinned or kept is never written
over. docs/prompts.md says more.
"""

import argparse
import sys
from collections.abc import Sequence
from difflib import unified_diff

from voice.adapters.files import prompt_registry, prompts
from voice.core.context.prompt_templates import (
    WHAT_TO_DO,
    PromptTemplate,
    Registry,
    TemplateFault,
    check_templates,
    find_template,
    render_fixed_inputs,
)
from voice.core.errors import ConfigurationError, InvalidParams, VoiceError


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.prompts", description=(__doc__ or "").splitlines()[0])
    acts = parser.add_subparsers(dest="act", required=True)
    acts.add_parser("test", help="compare every prompt with its snapshot and its pinned hash")
    compared = acts.add_parser("diff", help="compare two prompts, or one with its previous version")
    compared.add_argument("one")
    compared.add_argument("other", nargs="?")
    acts.add_parser("release", help="pin every new version and keep its snapshot")
    asked = parser.parse_args(arguments)
    try:
        if asked.act == "diff":
            return _diff(asked.one, asked.other)
        return _test() if asked.act == "test" else _release()
    except VoiceError as error:
        sys.stderr.write(f"{error.message}\n")
        return error.exit_code


def _test() -> int:
    found = check_templates(prompts.load_prompts(), prompt_registry.load_registry())
    for each in found:
        fault = "as released" if each.fault is None else f"{each.fault.replace('_', ' ')}: {WHAT_TO_DO[each.fault]}"
        sys.stdout.write("\n".join((f"{each.label:<14} {fault}", *each.diff, "")))
    return 1 if any(each.fault for each in found) else 0


def _diff(one: str, other: str | None) -> int:
    known = prompts.load_prompts()
    last = find_template(known, other or one)
    if other is None and last.version == 1:
        raise InvalidParams(f"{last.label} is the first version; name another prompt to compare it with")
    first = find_template(known, one if other else f"{last.name}.v{last.version - 1}")
    lines = unified_diff(first.text.splitlines(), last.text.splitlines(), first.label, last.label, lineterm="")
    sys.stdout.write("\n".join((*lines, "")))
    return 0


def _release() -> int:
    registry = prompt_registry.load_registry()
    chosen = to_release(prompts.load_prompts(), registry)
    release(chosen, registry)
    sys.stdout.write("".join(f"{each.label} {each.template_hash}\n" for each in chosen) or "there is nothing new\n")
    return 0


def to_release(templates: Sequence[PromptTemplate], registry: Registry) -> tuple[PromptTemplate, ...]:
    """Return the versions that are to be pinned, or whose snapshot is missing.

    Raises:
        ConfigurationError: a version that was released is changed or gone, or a new one cannot be released yet.
    """
    faults: list[tuple[str, TemplateFault | None]] = [
        (each.label, each.fault) for each in check_templates(templates, registry)
    ]
    new = {label for label, fault in faults if fault in ("not_pinned", "no_snapshot")}
    told = [f"{label}: {WHAT_TO_DO[fault]}" for label, fault in faults if fault is not None and label not in new]
    if told:
        raise ConfigurationError(f"no prompt was released: {'; '.join(told)}")
    return tuple(template for template in templates if template.label in new)


def release(templates: Sequence[PromptTemplate], registry: Registry) -> None:
    """Pin the hash of each version that has none, and keep its rendering as its snapshot.

    Args:
        templates: what `to_release` chose.
        registry: what is declared now.
    """
    folder = prompts.prompts_folder()
    pins = {each.label: each.template_hash for each in templates if each.label not in registry.pinned}
    (folder / "snapshots").mkdir(exist_ok=True)
    for each in templates:
        path = folder / "snapshots" / f"{each.label}.txt"
        path.write_text(render_fixed_inputs(each, registry.inputs), encoding="utf-8", newline="\n")
    with (folder / "registry.toml").open("a", encoding="utf-8", newline="\n") as file:
        file.writelines(f'"{label}" = "{pins[label]}"\n' for label in sorted(pins))


if __name__ == "__main__":
    sys.exit(main())
