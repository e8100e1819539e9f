"""The requirement manifest: what was promised, and which test shows it.

Law: every promise, ruling and numbered rule of the specs has one id; the ids live as data in `manifest/*.toml`. A test
cites an id with `@pytest.mark.requirement("s0:behavior:6")`. A requirement may be `deferred` to a later subject or
`superseded_by` another one; every other must be cited. Citations are read from the source of the tests, not from a run.

    python tests/requirements.py             counts
    python tests/requirements.py --missing   delivered requirements that no test cites
    python tests/requirements.py --early     deferred requirements that a test cites already
    python tests/requirements.py --where     each cited id with the files that cite it
"""

import argparse
import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

TESTS = Path(__file__).resolve().parent
SUBJECTS = frozenset(
    {"retrieval in depth", "grounding in depth", "lasting sessions", "graph moderation", "MCP, web and holder"}
)
"""The later subjects a requirement may wait for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One thing that was promised."""

    id: str
    source: str
    behaviour: str
    deferred: str | None = None
    superseded_by: str | None = None

    @property
    def is_due(self) -> bool:
        """True when a test must show it now."""
        return self.deferred is None and self.superseded_by is None


class ManifestFault(ValueError):
    """The manifest contradicts itself."""


def load(folder: Path = TESTS / "manifest") -> dict[str, Requirement]:
    """Return every requirement by id, in the order written.

    Raises:
        ManifestFault: an id appears twice, waits for an unknown subject, or is superseded by one that does not stand.
    """
    found: dict[str, Requirement] = {}
    for path in sorted(folder.glob("*.toml")):
        for requirement in _read(tomllib.loads(path.read_text(encoding="utf-8"))):
            if requirement.id in found:
                raise ManifestFault(f"{requirement.id} appears twice")
            found[requirement.id] = requirement
    for requirement in found.values():
        _check(requirement, found)
    return found


def _read(document: Mapping[str, object]) -> Iterator[Requirement]:
    for section in cast("list[dict[str, object]]", document["section"]):
        source = f"{document['document']}, {section['source']}"
        entries = cast("dict[str, str | dict[str, str]]", section["requirements"])
        for id_, entry in entries.items():
            fields = {"behaviour": entry} if isinstance(entry, str) else dict(entry)
            if "deferred" in section and "superseded_by" not in fields:
                fields.setdefault("deferred", str(section["deferred"]))
            yield Requirement(id=id_, source=source, **fields)


def _check(requirement: Requirement, known: Mapping[str, Requirement]) -> None:
    if requirement.deferred is not None and requirement.deferred not in SUBJECTS:
        raise ManifestFault(f"{requirement.id} waits for {requirement.deferred!r}, which is no subject")
    by = requirement.superseded_by
    if by is not None and (by not in known or known[by].superseded_by is not None):
        raise ManifestFault(f"{requirement.id} is superseded by {by}, which does not stand itself")


def citations(folder: Path = TESTS) -> dict[str, set[str]]:
    """Return each cited id with the test files that cite it, relative to `folder`.

    Raises:
        ManifestFault: an id is computed instead of written out, so that it cannot be found by reading.
    """
    cited: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for id_ in _ids_in(path.read_text(encoding="utf-8"), path.name):
            cited.setdefault(id_, set()).add(str(path.relative_to(folder)))
    return cited


@cache
def _ids_in(source: str, name: str) -> tuple[str, ...]:
    return tuple(_citing(source, name))


def _citing(source: str, name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _is_citing(node.func):
            for argument in node.args:
                if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                    raise ManifestFault(f"{name}:{node.lineno} cites an id that is not written out")
                yield argument.value


def _is_citing(called: ast.expr) -> bool:
    """Return whether `called` ends in `mark.requirement`."""
    if not (isinstance(called, ast.Attribute) and called.attr == "requirement"):
        return False
    owner = called.value
    return (isinstance(owner, ast.Attribute) and owner.attr == "mark") or ast.unparse(owner) == "mark"


def missing(requirements: Mapping[str, Requirement], cited: Iterable[str]) -> list[Requirement]:
    """Return the requirements that are due and that no test cites."""
    seen = set(cited)
    return [requirement for requirement in requirements.values() if requirement.is_due and requirement.id not in seen]


def unknown(requirements: Mapping[str, Requirement], cited: Iterable[str]) -> list[str]:
    """Return the cited ids that the manifest does not have."""
    return sorted(set(cited) - requirements.keys())


def early(requirements: Mapping[str, Requirement], cited: Iterable[str]) -> list[Requirement]:
    """Return the deferred requirements that a test cites already."""
    return [requirements[id_] for id_ in sorted(set(cited)) if id_ in requirements and requirements[id_].deferred]


def _lines(requirements: Iterable[Requirement]) -> list[str]:
    return [f"{r.id:48} {r.behaviour}" for r in requirements]


def main(arguments: list[str]) -> int:
    """Print what was asked for; 1 when delivered requirements are uncited or cited ids unknown."""
    parser = argparse.ArgumentParser(description="What was promised, and which test shows it.")
    parser.add_argument("--missing", action="store_true", help="delivered requirements that no test cites")
    parser.add_argument("--early", action="store_true", help="deferred requirements that a test cites already")
    parser.add_argument("--where", action="store_true", help="each cited id with the files that cite it")
    chosen = parser.parse_args(arguments)
    requirements, cited = load(), citations()
    due = [r for r in requirements.values() if r.is_due]
    lacking, strangers = missing(requirements, cited), unknown(requirements, cited)
    lines = _lines(lacking) if chosen.missing else []
    lines += _lines(early(requirements, cited)) if chosen.early else []
    lines += [f"{id_:48} {', '.join(sorted(files))}" for id_, files in sorted(cited.items())] if chosen.where else []
    lines += [f"{id_:48} is cited and unknown" for id_ in strangers]
    lines.append(f"{len(requirements)} requirements, {len(due)} due, {len(due) - len(lacking)} of them cited")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if strangers or (chosen.missing and lacking) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
