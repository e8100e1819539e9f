"""Versioned prompt templates, and the registry that pins released ones.

Law: a released version is never edited; its hash is pinned and stored with each exchange, so that old prompts stay
provable (ruling D20). Templates are a header and named blocks with `$slots`, filled in one pass, so slot values cannot
contain slots. A snapshot per template shows changes as text.
Source: spec stateful-design-v2, MVP Phase 3 "Prompt registry"; DESIGN 3; STYLE 21; rulings A3, D20; docs/prompts.md.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from functools import lru_cache
from string import Template
from typing import Literal

from blake3 import blake3

from voice.core.errors import ConfigurationError, UnknownId
from voice.core.messages import asking as messages

_BLOCK = re.compile(r"^%% ([a-z_]+)$", re.MULTILINE)  # "%% source" alone on a line begins a block
_HEADER = re.compile(r"\A---\n(?P<fields>.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """One released prompt file."""

    name: str
    version: int
    purpose: str
    owner: str
    text: str
    """The whole file, with its header."""
    blocks: tuple[tuple[str, str], ...]

    @property
    def label(self) -> str:
        """`name.vN`, as exchanges store it."""
        return f"{self.name}.v{self.version}"

    @property
    def template_hash(self) -> str:
        """BLAKE3 of the whole file, hex."""
        return blake3(self.text.encode()).hexdigest()

    def has(self, block: str) -> bool:
        """Return whether the template has a block of that name."""
        return any(name == block for name, _ in self.blocks)

    def render(self, block: str, slots: Mapping[str, str]) -> str:
        """Render one block. Raises ConfigurationError: unknown block, or a slot without value."""
        found = dict(self.blocks).get(block)
        if found is None:
            raise ConfigurationError(messages.prompt_without_block(self.label, block))
        try:
            return "".join([slots[slot] if slot else said for said, slot in _pieces(found)])
        except KeyError as missing:
            raise ConfigurationError(messages.prompt_slot_unknown(self.label, block, missing.args[0])) from None
        except ValueError as fault:
            raise ConfigurationError(messages.prompt_block_faulty(self.label, block, fault)) from None


@lru_cache(maxsize=128)  # a prompt renders one block for every row
def _pieces(block: str) -> tuple[tuple[str, str], ...]:
    """Split a block into (literal, slot name) pairs; `$$` is `$`, as in `string.Template`."""
    pieces: list[tuple[str, str]] = []
    end = 0
    for match in Template.pattern.finditer(block):
        if match["invalid"] is not None:
            Template(block).substitute(defaultdict(str))  # says where it is
        pieces += [(block[end : match.start()], ""), (match["escaped"] or "", match["named"] or match["braced"] or "")]
        end = match.end()
    return (*pieces, (block[end:], ""))


def parse_template(text: str, *, file_name: str) -> PromptTemplate:
    """Parse a file that is named `<name>.v<version>.md`. Raises ConfigurationError: invalid name, header or blocks."""
    header = _HEADER.match(text)
    if header is None:
        raise ConfigurationError(messages.prompt_without_header(file_name))
    pairs = [line.partition(": ") for line in header["fields"].split("\n")]
    if not all(colon for _, colon, _ in pairs):
        raise ConfigurationError(messages.prompt_header_line(file_name))
    fields = {name: value for name, _, value in pairs}
    missing = {"name", "version", "purpose", "owner"} - fields.keys()
    if missing:
        raise ConfigurationError(messages.prompt_header_lacks(file_name, ", ".join(sorted(missing))))
    if not fields["version"].isdigit() or file_name != f"{fields['name']}.v{fields['version']}.md":
        raise ConfigurationError(messages.prompt_file_name(file_name, fields["name"], fields["version"]))
    parts = _BLOCK.split(text[header.end() :])  # [before, name, body, name, body, …]
    blocks = tuple(zip(parts[1::2], (body.removeprefix("\n") for body in parts[2::2]), strict=True))
    return PromptTemplate(
        name=fields["name"],
        version=int(fields["version"]),
        purpose=fields["purpose"],
        owner=fields["owner"],
        text=text,
        blocks=blocks,
    )


def latest_template(templates: tuple[PromptTemplate, ...], name: str) -> PromptTemplate:
    """Return the highest version of the prompt called `name`. Raises ConfigurationError: unknown name."""
    versions = [template for template in templates if template.name == name]
    if not versions:
        known = ", ".join(sorted({template.name for template in templates}))
        raise ConfigurationError(messages.unknown_prompt(name, known))
    return max(versions, key=lambda template: template.version)


def find_template(templates: tuple[PromptTemplate, ...], name: str) -> PromptTemplate:
    """Return a prompt by label (`answer.v1`), or its latest version by name. Raises UnknownId, with the known ones."""
    exact = [template for template in templates if template.label == name]
    if exact:
        return exact[0]
    if name not in {template.name for template in templates}:
        known = ", ".join(sorted(template.label for template in templates))
        raise UnknownId(messages.unknown_prompt(name, known))
    return latest_template(templates, name)


def prompt_hash(key: bytes, system: str, prompt: str) -> str:
    """Return the keyed BLAKE3 of a rendered prompt, hex; `key` is the store's 32 bytes (ruling D20)."""
    # A lone surrogate cannot be encoded otherwise.
    return blake3(f"{system}\x00{prompt}".encode("utf-8", "surrogatepass"), key=key).hexdigest()


TemplateFault = Literal[
    "changed", "not_pinned", "gone", "undeclared", "not_renderable", "no_snapshot", "rendered_otherwise"
]
WHAT_TO_DO: Mapping[TemplateFault, str] = {
    "changed": messages.RELEASED_CHANGED,
    "not_pinned": messages.PROMPT_NEW,
    "gone": messages.RELEASED_GONE,
    "undeclared": messages.PROMPT_UNREGISTERED,
    "not_renderable": messages.PROMPT_BROKEN,
    "no_snapshot": messages.SNAPSHOT_MISSING,
    "rendered_otherwise": messages.SNAPSHOT_DIFFERS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptUse:
    """Where a prompt is used."""

    commands: tuple[str, ...]
    module: str
    """The module that loads it, below `src/`."""
    stance: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Declarations about the prompt files."""

    uses: Mapping[str, PromptUse]
    pinned: Mapping[str, str]
    """Hash by label of each released version."""
    inputs: Mapping[str, Mapping[str, str]]
    """Fixed slot values by case, for rendering."""
    snapshots: Mapping[str, str]
    """Expected rendering by label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateCheck:
    """Check result of one version."""

    label: str
    fault: TemplateFault | None
    """None: unchanged."""
    diff: tuple[str, ...] = ()
    """Unified diff of the rendering."""


def is_current(template: PromptTemplate, templates: Sequence[PromptTemplate]) -> bool:
    """Return whether it is the latest version of its prompt."""
    return latest_template(tuple(templates), template.name).version == template.version


def render_fixed_inputs(template: PromptTemplate, inputs: Mapping[str, Mapping[str, str]]) -> str:
    """Render every block of a template with every fixed case. Raises ConfigurationError: a slot has no value."""
    parts = (
        f"=== {case} / {block}\n{template.render(block, slots)}"
        for case, slots in inputs.items()
        for block, _ in template.blocks
    )
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def check_templates(templates: Sequence[PromptTemplate], registry: Registry) -> tuple[TemplateCheck, ...]:
    """Check every version that exists or is pinned, sorted by label."""
    found = {template.label: template for template in templates}
    gone = (TemplateCheck(label=label, fault="gone") for label in registry.pinned if label not in found)
    return tuple(sorted((*gone, *(_checked(each, registry) for each in templates)), key=lambda each: each.label))


def _checked(template: PromptTemplate, registry: Registry) -> TemplateCheck:
    label, pinned = template.label, registry.pinned.get(template.label)
    # The gravest fault first: a changed release makes stored prompts unprovable.
    if pinned not in (None, template.template_hash):
        return TemplateCheck(label=label, fault="changed")
    if template.name not in registry.uses:
        return TemplateCheck(label=label, fault="undeclared")
    try:
        rendered = render_fixed_inputs(template, registry.inputs)
    except ConfigurationError as error:
        return TemplateCheck(label=label, fault="not_renderable", diff=(error.message,))
    if pinned is None:
        return TemplateCheck(label=label, fault="not_pinned")
    expected = registry.snapshots.get(label)
    if expected is None:
        return TemplateCheck(label=label, fault="no_snapshot")
    diff = tuple(unified_diff(expected.splitlines(), rendered.splitlines(), "snapshot", "now", lineterm=""))
    return TemplateCheck(label=label, fault=None if expected == rendered else "rendered_otherwise", diff=diff)
