"""The person's ignore rules: which sessions and which messages are never captured.

Law: a rule is a glob over a path: `*` stands for any characters, `/` too, `?` for one. What matches a directory matches
all below it. A rule without a separator matches the name of any directory or file on the way. Matching takes time in
proportion to rule and path, whatever they hold.

Source: docs/capture.md.
"""

from dataclasses import dataclass
from itertools import accumulate

from voice.core.text.artifacts import artifacts_in, is_commit


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreRules:
    """What is kept out, by paths."""

    globs: tuple[str, ...] = ()
    is_all: bool = False
    """Nothing of this working tree is captured."""

    @classmethod
    def of_file(cls, text: str | None) -> "IgnoreRules":
        """Return what a `.voiceignore` says: empty means all; each line is a glob, `#` begins a remark."""
        if text is None:
            return cls()
        lines = (line.strip() for line in text.splitlines())
        globs = tuple(line for line in lines if line and not line.startswith("#"))
        return cls(globs=globs, is_all=not globs)

    def holds(self, path: str) -> bool:
        """Return whether a path is kept out."""
        return any(_matches(path, glob) for glob in self.globs)

    def keeps_out(self, text: str) -> bool:
        """Return whether a message names a file that is kept out."""
        return bool(self.globs) and any(self.holds(name) for name in artifacts_in(text) if not is_commit(name))


def _matches(path: str, glob: str) -> bool:
    wanted, parts = glob.rstrip("/"), path.rstrip("/").removeprefix("./").split("/")
    if "/" not in wanted:
        return any(_fits(part, wanted) for part in parts)
    return any(_fits(above, wanted.removeprefix("./")) for above in accumulate(parts, "{}/{}".format))


def _fits(text: str, glob: str) -> bool:
    """Return whether a glob describes a whole text: on a mismatch only the last star takes one character more."""
    at = place = kept = 0
    star = -1
    while at < len(text):
        if place < len(glob) and glob[place] == "*":
            star, kept = place, at
            place += 1
        elif place < len(glob) and glob[place] in ("?", text[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            kept += 1
            at, place = kept, star + 1
        else:
            return False
    return not glob[place:].strip("*")
