"""The size of the program, its tests and its pages, and the ceilings that they may not pass.

`python -m tools.house [--json]` prints each figure beside its ceiling and the goal; `--lower` writes today's figures as
the new ceilings where they are smaller. `tests/architecture/test_house.py` holds them.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
CEILINGS: Final = ROOT / "tools" / "house_ceilings.json"
GOALS: Final[Mapping[str, int]] = {
    "src_files": 480,
    "src_lines": 85_000,
    "lines_per_comment": 33,
    "single_importer_modules": 0,
    "test_lines": 60_000,
    "docs_words": 45_000,
    "changelog_bytes": 15_000,
    "question_files": 140,
}
"""What is wanted of each; `question_files` is counted by the test that traces a question, and of the lines of the
sources 3 to 8 % are to carry a comment, at their end or alone."""
_IMPORT: Final = re.compile(r"^ *from (voice[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_COMMENT: Final = re.compile(r"(?:^ *|  )# \S", re.MULTILINE)
SMALL: Final = 120
"""Lines; a longer module may have a single importer."""


def figures(root: Path = ROOT) -> dict[str, int]:
    """Return the figures that can be read from the files below `root`, by name."""
    sources, tests = sorted(root.glob("src/voice/**/*.py")), sorted(root.glob("tests/**/*.py"))
    return {
        "src_files": len(sources),
        "src_lines": sum(map(_lines, sources)),
        "lines_per_comment": sum(map(_lines, sources)) // max(1, sum(map(_commented_lines, sources))),
        "single_importer_modules": len(single_importer_modules(root)),
        "test_lines": sum(_lines(path) for path in tests if "node_modules" not in path.parts),
        "docs_words": sum(len(path.read_text("utf-8").split()) for path in _pages(root)),
        "changelog_bytes": (root / "CHANGELOG.md").stat().st_size,
    }


def single_importer_modules(root: Path = ROOT) -> list[str]:
    """Return the modules of at most `SMALL` lines that one other imports, but for adapters and entry points, sorted."""
    paths = {_module(root, path): path for path in root.glob("src/voice/**/*.py")}
    importers: dict[str, set[str]] = {name: set() for name in paths}
    for name, path in paths.items():
        for imported in _imports(path, paths.keys()):
            if imported != name:
                importers[imported].add(name)
    return sorted(
        name
        for name, by in importers.items()
        if len(by) == 1
        and paths[name].name != "__init__.py"
        and _lines(paths[name]) <= SMALL
        and name.split(".")[1] not in {"adapters", "entrypoints"}
    )


def _imports(path: Path, names: AbstractSet[str]) -> Iterator[str]:
    """Yield the modules of the program that a file imports, at its head or late."""
    for where, listed in _IMPORT.findall(path.read_text("utf-8")):
        for name in re.findall(r"(\w+)(?: as \w+)?", listed):
            full = f"{where}.{name}"
            found = full if full in names else where
            if found in names:
                yield found


def _module(root: Path, path: Path) -> str:
    parts = path.relative_to(root / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _pages(root: Path) -> Iterator[Path]:
    yield from sorted(root.glob("docs/**/*.md"))
    yield root / "README.md"


def _lines(path: Path) -> int:
    return path.read_text("utf-8").count("\n")


def _commented_lines(path: Path) -> int:
    return len(_COMMENT.findall(path.read_text("utf-8")))


def ceilings() -> dict[str, int]:
    """Return the ceilings, by name."""
    read: dict[str, int] = json.loads(CEILINGS.read_text("utf-8"))
    return read


def main() -> None:
    """Print the figures, or lower the ceilings to them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--lower", action="store_true", help="lower the ceilings to today's figures")
    asked = parser.parse_args()
    now, most = figures(), ceilings()
    if asked.lower:
        most |= {name: min(count, most.get(name, count)) for name, count in now.items()}
        CEILINGS.write_text(json.dumps(most, indent=2) + "\n", "utf-8")
    told = {name: {"now": now.get(name), "ceiling": most.get(name), "goal": goal} for name, goal in GOALS.items()}
    sys.stdout.write(json.dumps(told, indent=2) + "\n" if asked.json else _table(told))


def _table(told: Mapping[str, Mapping[str, int | None]]) -> str:
    head = f"{'':26}{'now':>10}{'ceiling':>10}{'goal':>10}"
    rows = (
        f"{name:26}" + "".join(f"{'-' if count is None else count:>10}" for count in each.values())
        for name, each in told.items()
    )
    return "\n".join((head, *rows, ""))


if __name__ == "__main__":
    main()
