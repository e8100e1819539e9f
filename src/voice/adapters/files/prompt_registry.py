"""The declarations of the released prompts, in files beside them.

Law: a pinned hash and a stored snapshot are added and never changed; `python -m tools.prompts release` adds them in a
checkout, where a person reviews the result.
"""

import tomllib
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voice.adapters.files.prompts import prompts_folder
from voice.core.context.prompt_templates import PromptUse, Registry
from voice.core.errors import ConfigurationError

File = TypeVar("File", bound=BaseModel)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Use(_Strict):
    commands: tuple[str, ...]
    module: str
    stance: str | None = None


class _Declared(_Strict):
    prompts: dict[str, _Use]
    released: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]]  # BLAKE3 in hex


class _Inputs(_Strict):
    cases: Annotated[dict[str, dict[str, str]], Field(min_length=1)]


def load_registry() -> Registry:
    """Return the declarations of the released prompts. Raises ConfigurationError: a file is missing or invalid."""
    folder = prompts_folder()
    declared = _read(folder / "registry.toml", _Declared)
    snapshots = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "snapshots").glob("*.txt")}
    return Registry(
        uses={name: PromptUse(**use.model_dump()) for name, use in declared.prompts.items()},
        pinned=declared.released,
        inputs=_read(folder / "inputs.toml", _Inputs).cases,
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
