"""A person's own price table: TOML or JSON.

Law: a price table says where its prices are from and of when; all faults are reported at once, with their places and
what is expected there; a price is a decimal, never a binary fraction.

Source: docs/reports.md; ruling D18.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from voice.core.errors import DataFileError
from voice.core.usage import Price, PriceTable

_MOST_BYTES = 1_000_000
_PLACE = re.compile(r"\(at (line [^()]+)\)$")  # "(at line 3, column 5)"; the other is "(at end of document)"
_DIGEST_CHARS = 12  # enough to tell tables apart
_EXPECTED: Mapping[str, str] = {
    "as_of": "is not a date; write it like 2026-03-01",
    "source": "is not a source; say in one line where the prices are from",
    "currency": "can only be USD",
    "models": 'is not a table of models; write it like [models."gemini/gemini-2.5-pro"]',
}
# Below a dollar a token: a larger one is a mistake.
_Rate = Annotated[Decimal, Field(ge=0, lt=1_000_000, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Model(_Strict):
    input_per_million: _Rate
    output_per_million: _Rate
    cached_input_per_million: _Rate | None = None


class _File(_Strict):
    source: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")
    ]
    as_of: date
    currency: Literal["USD"] = "USD"
    models: Annotated[dict[Annotated[str, Field(pattern=r"^[^/]+/.+$")], _Model], Field(min_length=1)]  # "vendor/model"


def read_price_table(path: Path) -> PriceTable:
    """Return the prices in a file. Raises DataFileError: it cannot be read, or is not a price table; the message lists
    its faults."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataFileError(f"{path.name} cannot be read: {error.strerror or 'unknown reason'}") from None
    if len(data) > _MOST_BYTES:
        raise DataFileError(f"{path.name} is larger than a price table can be ({_MOST_BYTES:,} bytes)")
    members = _members(path, data)
    try:
        file = _File.model_validate(members)
    except ValidationError as faults:
        found = "; ".join(_fault(fault["loc"], fault["type"]) for fault in faults.errors(include_url=False))
        raise DataFileError(f"{path.name} is not a price table: {found}; see docs/reports.md for the format") from None
    source, as_of = file.source, file.as_of.isoformat()
    return PriceTable(
        source=source,
        as_of=as_of,
        digest=sha256(data).hexdigest()[:_DIGEST_CHARS],
        prices={name: Price(**each.model_dump(), source=source, as_of=as_of) for name, each in file.models.items()},
    )


def _members(path: Path, data: bytes) -> object:
    kind = path.suffix.lower()
    if kind not in (".toml", ".json"):
        raise DataFileError(f"{path.name}: a price table's name ends in .toml or .json")
    try:
        text = data.decode("utf-8-sig")
        if kind == ".json":
            # Floats would round prices.
            return cast("object", json.loads(text, parse_float=Decimal, object_pairs_hook=_unique_members))
        return tomllib.loads(text, parse_float=Decimal)
    except UnicodeDecodeError as error:
        raise DataFileError(f"{path.name} is not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise DataFileError(f"{path.name} is not valid JSON: line {error.lineno}, column {error.colno}") from None
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))  # of the parser's words only the place is told
        raise DataFileError(f"{path.name} is not valid TOML: {place[1] if place else 'its end is missing'}") from None
    except _Faulty as fault:
        raise DataFileError(f"{path.name}: {fault}") from None
    except (RecursionError, ValueError):  # a number of more digits than Python reads
        raise DataFileError(f"{path.name} is nested too deeply or has too long a number for a price table") from None


class _Faulty(ValueError):
    """A fault that a parser's hook of ours found, in its own words."""


def _unique_members(pairs: list[tuple[str, object]]) -> Mapping[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise _Faulty(f"{name!r} appears twice")
        found[name] = value
    return found


def _fault(place: tuple[int | str, ...], kind: str) -> str:
    """Return a sentence's part for one fault: its place, and what is expected there."""
    # Pydantic's mark of a fault in a name.
    where = ".".join(str(part) for part in place if part != "[key]") or "the file"
    if kind == "missing":
        return f"{where} is missing"
    if kind == "extra_forbidden":
        return f"{where} is unknown"
    if "[key]" in place:
        return f'"{place[-2]}" is not a model; write it like "gemini/gemini-2.5-pro", as `voice report --by model` does'
    if where in _EXPECTED:
        return f"{where} {_EXPECTED[where]}"
    if where.endswith("_per_million"):
        return f'{where} is not a price; write US dollars per million tokens, like "1.25"'
    return f"{where} is not as it must be"
