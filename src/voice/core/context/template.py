"""Prompts as versioned text.

Law: a released version is never edited, a change is a new version; what a prompt says is in its file and nowhere else;
its hash is stored with each exchange (DESIGN 3, STYLE 21). A template is a header and named blocks with `$slots`;
rendering fills the slots once, so that text put in can never be taken for a slot.

Source: spec stateful-design-v2, MVP Phase 3 "Prompt registry"; rulings A3, D20.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import Template

from blake3 import blake3

from voice.core.errors import ConfigurationError, UnknownId

_BLOCK = re.compile(r"^%% ([a-z_]+)$", re.MULTILINE)
_HEADER = re.compile(r"\A---\n(?P<fields>.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """One released prompt file."""

    name: str
    version: int
    purpose: str
    owner: str
    text: str
    """The whole file, header included."""
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
        """Return one block with its slots filled.

        Raises:
            ConfigurationError: the template lacks the block, or a slot of it was not given.
        """
        found = dict(self.blocks).get(block)
        if found is None:
            raise ConfigurationError(f"prompt {self.label} has no block {block!r}")
        try:
            return "".join([slots[slot] if slot else said for said, slot in _pieces(found)])
        except KeyError as missing:
            raise ConfigurationError(
                f"prompt {self.label}, block {block!r}: slot ${missing.args[0]} is not known"
            ) from None
        except ValueError as fault:
            raise ConfigurationError(f"prompt {self.label}, block {block!r}: {fault}") from None


@lru_cache(maxsize=128)
def _pieces(block: str) -> tuple[tuple[str, str], ...]:
    """Return a block as what it says and the names of its slots, in turn; `$$` says `$`, as in `string.Template`.

    Raises:
        ValueError: a `$` is neither.
    """
    pieces: list[tuple[str, str]] = []
    end = 0
    for match in Template.pattern.finditer(block):
        if match["invalid"] is not None:
            Template(block).substitute(defaultdict(str))  # says where it is
        pieces += [(block[end : match.start()], ""), (match["escaped"] or "", match["named"] or match["braced"] or "")]
        end = match.end()
    return (*pieces, (block[end:], ""))


def parse_template(text: str, *, file_name: str) -> PromptTemplate:
    """Return the template in `text`; `file_name` must be `<name>.v<version>.md`.

    Raises:
        ConfigurationError: the header or the blocks are not as they must be.
    """
    header = _HEADER.match(text)
    if header is None:
        raise ConfigurationError(f"{file_name}: a prompt starts with a header between two lines of ---")
    fields = dict(_field(line, file_name) for line in header["fields"].split("\n"))
    missing = {"name", "version", "purpose", "owner"} - fields.keys()
    if missing:
        raise ConfigurationError(f"{file_name}: the header lacks {', '.join(sorted(missing))}")
    if not fields["version"].isdigit() or file_name != f"{fields['name']}.v{fields['version']}.md":
        raise ConfigurationError(f"{file_name}: the file must be called {fields['name']}.v{fields['version']}.md")
    parts = _BLOCK.split(text[header.end() :])
    blocks = tuple(zip(parts[1::2], (body.removeprefix("\n") for body in parts[2::2]), strict=True))
    return PromptTemplate(
        name=fields["name"],
        version=int(fields["version"]),
        purpose=fields["purpose"],
        owner=fields["owner"],
        text=text,
        blocks=blocks,
    )


def _field(line: str, file_name: str) -> tuple[str, str]:
    name, colon, value = line.partition(": ")
    if not colon:
        raise ConfigurationError(f"{file_name}: header lines look like `name: value`")
    return name, value


def latest(templates: tuple[PromptTemplate, ...], name: str) -> PromptTemplate:
    """Return the highest version of the prompt called `name`.

    Raises:
        ConfigurationError: there is no such prompt.
    """
    versions = [template for template in templates if template.name == name]
    if not versions:
        known = ", ".join(sorted({template.name for template in templates}))
        raise ConfigurationError(f"there is no prompt {name!r}; there are: {known}")
    return max(versions, key=lambda template: template.version)


def find_template(templates: tuple[PromptTemplate, ...], name: str) -> PromptTemplate:
    """Return the prompt called `name`: a label such as `answer.v1`, or a name for its latest version.

    Raises:
        UnknownId: there is no such prompt; the message lists those there are.
    """
    exact = [template for template in templates if template.label == name]
    if exact:
        return exact[0]
    if name not in {template.name for template in templates}:
        known = ", ".join(sorted(template.label for template in templates))
        raise UnknownId(f"there is no prompt {name!r}; there are: {known}")
    return latest(templates, name)


def prompt_hash(key: bytes, system: str, prompt: str) -> str:
    """Return the keyed BLAKE3 of a rendered prompt, hex; `key` is the store's 32 bytes (ruling D20)."""
    return blake3(f"{system}\x00{prompt}".encode("utf-8", "surrogatepass"), key=key).hexdigest()
