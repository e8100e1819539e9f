r"""The pages that people read, and every block of code on them.

A comment above a block tells the tests what a reader does not need to know (the site leaves it out):

    <!-- world: kiln -->            begin anew in the memory that tests/docs/worlds/kiln.sh makes (`nothing`: none)
    <!-- file: notes/kiln.md -->    the block is that file; it is there before the commands of the page
    <!-- schema: memory -->         it keeps that schema of voice/schemas
    <!-- exit: 0 3 -->              how the commands end, one by one; the last counts for the rest
    <!-- input: yes\n -->            what is typed
    <!-- prints: kiln … -->         what a program prints
    <!-- each alone -->             the lines are alternatives: before each the memory is as it was
    <!-- not run: the reason -->    it cannot run here
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_FENCE = re.compile(r"^ *(?P<marks>`{3,})(?P<kind>[^`\n]*)$")
_NOTE = re.compile(r"^ *<!-- (?P<key>world|file|schema|exit|input|prints|each|not run)(?:: | )(?P<value>.*?) ?-->$")
_TOP = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "sessions/README.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    kind: str
    text: str
    section: str
    notes: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def place(self) -> str:
        """Where it stands, for a person."""
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Return every page, from the top of the repository."""
    docs = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
    return [*docs, *(name for name in _TOP if (ROOT / name).exists())]


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page, in order."""
    return list(parse_blocks(page, (ROOT / page).read_text(encoding="utf-8")))


def parse_blocks(page: str, text: str) -> Iterator[Block]:
    """Yield the blocks of a text.

    Raises:
        ValueError: a block does not end, or a note stands above no block.
    """
    lines = iter(enumerate(text.splitlines(), start=1))
    section, notes = "", dict[str, str]()
    for number, line in lines:
        if noted := _NOTE.match(line):
            notes[noted["key"]] = noted["value"]
        elif fence := _FENCE.match(line):
            body = _body(lines, fence["marks"], f"{page}:{number}")
            kind = fence["kind"].strip()
            yield Block(page=page, line=number, kind=kind, text=body, section=section, notes=notes)
            notes = {}
        elif notes:
            raise ValueError(f"{page}:{number}: a note to the tests stands above no block: {notes}")
        elif line.startswith("## "):
            section = line.removeprefix("## ")


def _body(lines: Iterator[tuple[int, str]], marks: str, place: str) -> str:
    inside: list[str] = []
    for _, line in lines:
        if line.strip() == marks:
            margin = len(line) - len(line.lstrip())
            return "".join(f"{one[margin:]}\n" for one in inside)
        inside.append(line)
    raise ValueError(f"{place}: the block does not end")
