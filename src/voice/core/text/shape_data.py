"""Shapes that are data: what files, commits and credentials look like, one TOML file each.

Law: what is read is a part of the package and never changes while the program runs; it is read once, when first asked
for.

Source: DESIGN 6 "Word lists are data files", 11.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast


@cache
def shape_words(area: str, key: str) -> frozenset[str]:
    """Return the list of words under a key of `voice/data/shapes/<area>.toml`."""
    return frozenset(cast("list[str]", _read(area)[key]))


@cache
def shape_numbers(area: str, key: str) -> Mapping[str, int]:
    """Return the numbers by word under a key of `voice/data/shapes/<area>.toml`."""
    return cast("Mapping[str, int]", _read(area)[key])


@cache
def _read(area: str) -> Mapping[str, object]:
    return tomllib.loads((files("voice") / "data" / "shapes" / f"{area}.toml").read_text(encoding="utf-8"))
