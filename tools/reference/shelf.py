"""The published schemas, found by name and by `$id`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012, Schema

SUFFIX = ".schema.json"
Node = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Shelf:
    """All schemas of a folder."""

    documents: Mapping[str, Node]
    """By name: the path below the folder, without its suffix."""

    @classmethod
    def of(cls, folder: Path) -> "Shelf":
        """Read every schema below a folder that has an `$id`, in the order of their names; those of tools have none."""
        found: dict[str, Node] = {}
        for path in sorted(folder.rglob(f"*{SUFFIX}")):
            document = cast("Node", json.loads(path.read_text(encoding="utf-8")))
            if "$id" in document:
                found[path.relative_to(folder).as_posix().removesuffix(SUFFIX)] = document
        return cls(dict(sorted(found.items(), key=lambda item: (item[0].count("/"), item[0]))))

    def name_of(self, identifier: str) -> str:
        """Return the name of the document with this `$id`.

        Raises:
            LookupError: there is none.
        """
        for name, document in self.documents.items():
            if document["$id"] == identifier:
                return name
        raise LookupError(f"no schema has the $id {identifier}")

    def resolve(self, reference: str, name: str) -> tuple[Node, str]:
        """Return what a `$ref` in the document of that name points to, and the name of the document it stands in."""
        where, _, path = reference.partition("#")
        name = self.name_of(where) if where else name
        node: object = self.documents[name]
        for step in filter(None, path.split("/")):
            node = cast("Node", node)[step]
        return cast("Node", node), name

    def validator(self, name: str) -> Draft202012Validator:
        """Return a validator for the document of that name, formats included."""
        known: Registry[Schema] = Registry()
        known = known.with_resources(
            [
                (str(each["$id"]), DRAFT202012.create_resource(dict(each)))
                for each in self.documents.values()
                if "$id" in each
            ]
        )
        return Draft202012Validator(
            dict(self.documents[name]), registry=known, format_checker=Draft202012Validator.FORMAT_CHECKER
        )
