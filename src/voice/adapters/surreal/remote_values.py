"""Values as the client library sends and gives them, and as the stores do.

Law: only record ids differ; everything else goes through as it is.

Source: docs/store.md.
"""

from collections.abc import Mapping
from typing import cast

from surrealdb import RecordID as Theirs

from voice.adapters.surreal.record_id import RecordID


def to_library(value: object) -> object:
    """Return a value with our record ids made the library's."""
    if isinstance(value, RecordID):
        return Theirs(value.table_name, value.id)
    if isinstance(value, Mapping):
        return {name: to_library(each) for name, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple):
        return [to_library(each) for each in cast("list[object]", value)]
    return value


def from_library(value: object) -> object:
    """Return a value with the library's record ids made ours."""
    if isinstance(value, Theirs):
        return RecordID(value.table_name, cast("str", value.id))
    if isinstance(value, dict):
        return {name: from_library(each) for name, each in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [from_library(each) for each in cast("list[object]", value)]
    return value
