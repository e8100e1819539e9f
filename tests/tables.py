"""Tables of cases, as JSON beside the tests that read them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from voice.core.retrieval.values import Window
from voice.core.text.instants import UNDATED


def tables(test_file: str) -> dict[str, Any]:
    """Return the tables of the file of the same name beside `test_file`, each by its name; lists in it are tuples."""
    read: dict[str, Any] = json.loads(Path(test_file).with_suffix(".json").read_text("utf-8"))
    return {name: rows if isinstance(rows, dict) else [_frozen(row) for row in rows] for name, rows in read.items()}


def _frozen(value: object) -> object:
    return tuple(map(_frozen, cast("list[object]", value))) if isinstance(value, list) else value


def by_law(laws: Mapping[str, Iterable[Sequence[Any]]], *marks: pytest.MarkDecorator) -> list[Any]:
    """Return the rows of a table that is divided by laws as parameters, each called by its law and its first value."""
    return [pytest.param(*row, marks=marks, id=f"{law}: {row[0]}") for law, rows in laws.items() for row in rows]


def utc(text: str | None) -> datetime:
    """Return an instant that a table gives in UTC; undated where it gives none."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else UNDATED


def window(start: str | None, end: str | None) -> Window:
    """Return the time between two instants of a table; none is an open side."""
    return Window(start=utc(start) if start else None, end=utc(end) if end else None)
