"""The page of requirements: each promised behaviour with its id, and the tests that show it."""

import sys
from itertools import groupby
from pathlib import Path

from reference.markdown import table

_HEAD = """\
# Requirements

Every promised behaviour has an id, and a test cites it (`tests/manifest/*.toml`; `python tests/requirements.py` counts
them). What is put off or superseded is named as such.
"""


def requirements_markdown(root: Path) -> str:
    """Return the page of the manifest of a checkout."""
    if str(root / "tests") not in sys.path:
        sys.path.insert(0, str(root / "tests"))  # before an installed package that has the same name
    from requirements import citations, load  # noqa: PLC0415 - it lies beside the tests, not in the package

    cited = citations(root / "tests")
    lines = [_HEAD]
    for source, group in groupby(load().values(), key=lambda one: one.source):
        rows = [(f"`{one.id}`", one.behaviour, _shown(one, cited.get(one.id, set()))) for one in group]
        lines += [f"## {source[0].upper()}{source[1:]}", "", *table(("id", "behaviour", "shown by"), rows)]
    return "\n".join(lines)


def _shown(one: object, files: set[str]) -> str:
    if by := getattr(one, "superseded_by", None):
        return f"superseded by `{by}`"
    if until := getattr(one, "deferred", None):
        return f"put off: {until}"
    return ", ".join(f"`{name}`" for name in sorted(files))
