"""The registry of prompts: what is released, where each is used, and whether it still says what it said.

Law: the hash of a released version is pinned, so that it cannot change unseen; a change is a new version (STYLE 21).
Every template is rendered on fixed inputs and held against a snapshot, so that a change of what is sent is seen as a
change of text. A released version stays, because turns that were asked with it are proven by it (ruling D20).

Source: spec stateful-design-v2, MVP Phase 3 "Prompt registry"; docs/prompts.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal

from voice.core.context.template import PromptTemplate, latest
from voice.core.errors import ConfigurationError

Fault = Literal["changed", "not_pinned", "gone", "undeclared", "not_renderable", "no_snapshot", "rendered_otherwise"]
WHAT_TO_DO: Mapping[Fault, str] = {
    "changed": "a released version never changes: undo it, and say the new words in a new version",
    "not_pinned": "it is new: read its rendering, then run `voice prompts release`",
    "gone": "its file is not there any more, and turns that were asked with it cannot be proven: bring it back",
    "undeclared": "registry.toml does not say where it is used: add a table for its name",
    "not_renderable": "a slot has no input, or the template is broken: see inputs.toml",
    "no_snapshot": "it is pinned and its snapshot is missing: run `voice prompts release`",
    "rendered_otherwise": "what would be sent differs from the snapshot: undo what changed the inputs or the rendering",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptUse:
    """Where the prompt of a name is used."""

    commands: tuple[str, ...]
    module: str
    """The file that asks for it, below `src/`."""
    stance: str | None = None
    """The stance it belongs to, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """What is declared about the prompts beside their files."""

    uses: Mapping[str, PromptUse]
    """By the name of the prompt."""
    pinned: Mapping[str, str]
    """The hash of each released version, by its label."""
    inputs: Mapping[str, Mapping[str, str]]
    """Slots by the name of a case: what templates are rendered with."""
    snapshots: Mapping[str, str]
    """What each version renders to, by its label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What came of one version."""

    label: str
    fault: Fault | None
    """None: it is as it was released."""
    diff: tuple[str, ...] = ()
    """What is rendered otherwise, as a unified diff."""


def is_current(template: PromptTemplate, templates: Sequence[PromptTemplate]) -> bool:
    """Return whether no later version of the prompt is released."""
    return latest(tuple(templates), template.name).version == template.version


def rendering(template: PromptTemplate, inputs: Mapping[str, Mapping[str, str]]) -> str:
    """Return every block of a template, filled with every case of the fixed inputs.

    Raises:
        ConfigurationError: a slot has no input.
    """
    parts = (
        f"=== {case} / {block}\n{template.render(block, slots)}"
        for case, slots in inputs.items()
        for block, _ in template.blocks
    )
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def check(templates: Sequence[PromptTemplate], registry: Registry) -> tuple[Checked, ...]:
    """Return what became of every version that is there or is pinned, by label."""
    found = {template.label: template for template in templates}
    gone = (Checked(label=label, fault="gone") for label in registry.pinned if label not in found)
    return tuple(sorted((*gone, *(_checked(each, registry) for each in templates)), key=lambda each: each.label))


def _checked(template: PromptTemplate, registry: Registry) -> Checked:
    """Return what is at fault with a version, the gravest first."""
    label, pinned = template.label, registry.pinned.get(template.label)
    if pinned not in (None, template.template_hash):
        return Checked(label=label, fault="changed")
    if template.name not in registry.uses:
        return Checked(label=label, fault="undeclared")
    try:
        rendered = rendering(template, registry.inputs)
    except ConfigurationError as error:
        return Checked(label=label, fault="not_renderable", diff=(error.message,))
    if pinned is None:
        return Checked(label=label, fault="not_pinned")
    expected = registry.snapshots.get(label)
    if expected is None:
        return Checked(label=label, fault="no_snapshot")
    return Checked(
        label=label, fault=None if expected == rendered else "rendered_otherwise", diff=_diff(expected, rendered)
    )


def _diff(expected: str, rendered: str) -> tuple[str, ...]:
    lines = unified_diff(expected.splitlines(), rendered.splitlines(), "snapshot", "now", lineterm="")
    return tuple(lines)


def to_release(templates: Sequence[PromptTemplate], registry: Registry) -> tuple[PromptTemplate, ...]:
    """Return the versions that are to be pinned, or whose snapshot is missing.

    Raises:
        ConfigurationError: a version that was released is changed or gone, or a new one cannot be released yet.
    """
    faults: list[tuple[str, Fault | None]] = [(each.label, each.fault) for each in check(templates, registry)]
    new = {label for label, fault in faults if fault in ("not_pinned", "no_snapshot")}
    told = [f"{label}: {WHAT_TO_DO[fault]}" for label, fault in faults if fault is not None and label not in new]
    if told:
        raise ConfigurationError(f"nothing is released: {'; '.join(told)}")
    return tuple(template for template in templates if template.label in new)
