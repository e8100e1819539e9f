"""Word lists that are data: one TOML file an area, a table a language, read when first asked for.

Law: what is read is a part of the package and never changes while the program runs, so that reading it decides nothing;
it is read once. No list is code, and no rule names a word of a language.

Source: DESIGN 6 "Word lists are data files per language, not code"; DESIGN 11 (nothing is loaded before it is needed).
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast

Table = Mapping[str, object]


@cache
def language_tables(area: str) -> Mapping[str, Table]:
    """Return the tables of `area` by language ("en", "de", …), as `voice/data/language/<area>.toml` has them."""
    text = (files("voice") / "data" / "language" / f"{area}.toml").read_text(encoding="utf-8")
    return cast("Mapping[str, Table]", tomllib.loads(text))


def words_by_word(table: Table, key: str) -> Mapping[str, str]:
    """Return a table's list of pairs under `key`, empty where it has none."""
    return cast("Mapping[str, str]", table.get(key, {}))


def words_under(table: Table, key: str) -> frozenset[str]:
    """Return a table's list of words under `key`, empty where it has none."""
    return frozenset(cast("list[str]", table.get(key, [])))
