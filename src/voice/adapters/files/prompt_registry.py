"""What is declared about the released prompts, as files beside them.

Law: a pinned hash and a kept snapshot are added to and never written over; `voice prompts release` runs in a checkout,
where a person reviews what it wrote.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voice.adapters.files.prompts import prompts_folder
from voice.core.context.prompt_templates import PromptTemplate, PromptUse, Registry, render_fixed_inputs
from voice.core.errors import ConfigurationError

File = TypeVar("File", bound=BaseModel)
_REGISTRY = "registry.toml"
_INPUTS = "inputs.toml"
_SNAPSHOTS = "snapshots"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Use(_Strict):
    commands: tuple[str, ...]
    module: str
    stance: str | None = None


class _Declared(_Strict):
    prompts: dict[str, _Use]
    released: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]]


class _Inputs(_Strict):
    cases: Annotated[dict[str, dict[str, str]], Field(min_length=1)]


def load_registry() -> Registry:
    """Return what is declared beside the released prompts.

    Raises:
        ConfigurationError: a file is missing or not as it must be.
    """
    folder = prompts_folder()
    declared = _read(folder / _REGISTRY, _Declared)
    snapshots = {path.stem: path.read_text(encoding="utf-8") for path in (folder / _SNAPSHOTS).glob("*.txt")}
    return Registry(
        uses={
            name: PromptUse(commands=use.commands, module=use.module, stance=use.stance)
            for name, use in declared.prompts.items()
        },
        pinned=declared.released,
        inputs=_read(folder / _INPUTS, _Inputs).cases,
        snapshots=snapshots,
    )


def _read(path: Path, kind: type[File]) -> File:
    try:
        return kind.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError:
        raise ConfigurationError(f"the installed package lacks {path.name}; install it again") from None
    except (tomllib.TOMLDecodeError, ValidationError) as fault:
        place = (
            ".".join(str(part) for part in fault.errors()[0]["loc"]) if isinstance(fault, ValidationError) else fault
        )
        raise ConfigurationError(f"{path.name} is not as it must be: {place}") from None


def release(templates: tuple[PromptTemplate, ...], registry: Registry) -> None:
    """Pin the hash of each version that has none, and keep its rendering as its snapshot.

    Args:
        templates: what `to_release` chose.
        registry: what is declared now.

    Raises:
        ConfigurationError: the folder of the prompts cannot be written to.
    """
    folder = prompts_folder()
    pins = {each.label: each.template_hash for each in templates if each.label not in registry.pinned}
    try:
        (folder / _SNAPSHOTS).mkdir(exist_ok=True)
        for each in templates:
            path = folder / _SNAPSHOTS / f"{each.label}.txt"
            path.write_text(render_fixed_inputs(each, registry.inputs), encoding="utf-8", newline="\n")
        with (folder / _REGISTRY).open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(f'"{label}" = "{pinned}"\n' for label, pinned in _ordered(pins).items())
    except OSError as error:
        why = (error.strerror or "unknown reason").lower()
        raise ConfigurationError(f"{folder} cannot be written to: {why}; release prompts in a checkout") from None


def _ordered(pins: Mapping[str, str]) -> Mapping[str, str]:
    return {label: pins[label] for label in sorted(pins)}
