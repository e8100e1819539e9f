"""Tables of cases, as JSON beside the tests that read them."""

import json
from pathlib import Path
from typing import Any, cast


def tables(test_file: str) -> dict[str, Any]:
    """Return the tables of the file of the same name beside `test_file`, each by its name; lists in it are tuples."""
    read: dict[str, Any] = json.loads(Path(test_file).with_suffix(".json").read_text("utf-8"))
    return {name: rows if isinstance(rows, dict) else [_frozen(row) for row in rows] for name, rows in read.items()}


def _frozen(value: object) -> object:
    return tuple(map(_frozen, cast("list[object]", value))) if isinstance(value, list) else value
