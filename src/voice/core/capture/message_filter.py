"""Which messages of a captured session come in: no secrets, nothing that is ignored.

Law: a message comes in whole or not at all. One that looks as if it held a secret, and one that names a file which the
ignore rules keep out, stays out and is counted by its reason. What comes in waits for its owner's word, whoever is said
to have said it: the transcript is a file that an agent can write. What a model said stays a model's claim.

The person's ignore rules: which sessions and which messages are never captured. A rule is a glob over a path: `*`
stands for any characters, `/` too, `?` for one. What matches a directory matches all below it. A rule without a
separator matches the name of any directory or file on the way. Matching takes time in proportion to rule and path,
whatever they hold.

Source: rulings A12, H, J2; docs/capture.md.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

from voice.core.capture.values import Host
from voice.core.interchange.memory_lines import FileLine, Omission, ParsedLine, ThoughtLine
from voice.core.messages import files as messages
from voice.core.records import Origin, Thought
from voice.core.text.artifacts import artifacts_in, is_commit, shape_numbers, shape_words
from voice.core.vouch import Vouch


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


_ARMOUR: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_IN_ADDRESS: Final = re.compile(r"://[^\s/:@]{0,200}+:[^\s/@]{3,200}+@")
_IN_HEADER: Final = re.compile(r"\b(?:bearer|basic)\s{1,3}[\w.~+/=-]{16,}+", re.IGNORECASE)
_RUN: Final = re.compile(r"[\w.~+-]{12,}+")
_SIGNED: Final = re.compile(r"eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+")
_ASSIGNED: Final = re.compile(
    r"(?<![\w-])([\w-]{3,80}+)[\"'`]?[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}[\"'`]?([^\s\"'`,;()<>{}\[\]$]{8,200}+)"
)
_LEAST_DRAWN: Final = 24
_LEAST_BITS: Final = 3.9
_LEAST_CHANGES: Final = 0.35
"""Of neighbouring characters, the share that are of different kinds: one in five in names, two in three in random."""
_LEAST_VALUE_BITS: Final = 2.5


def looks_like_secret(text: str) -> bool:
    """Return whether a text holds what looks like a credential."""
    if any(pattern.search(text) for pattern in (_ARMOUR, _IN_ADDRESS, _IN_HEADER)):
        return True
    return any(_is_token(found[0]) for found in _RUN.finditer(text)) or any(
        _is_named(found[1]) and _is_value(found[2]) for found in _ASSIGNED.finditer(text)
    )


def _is_token(run: str) -> bool:
    begins = shape_numbers("credentials", "prefixes")
    if any(run.startswith(prefix) and len(run) >= len(prefix) + least for prefix, least in begins.items()):
        return True
    return bool(_SIGNED.match(run)) or _is_drawn(run)


def _is_drawn(run: str) -> bool:
    """Return whether a run of characters looks drawn by lot."""
    kinds = [_kind(each) for each in run]
    if len(run) < _LEAST_DRAWN or not {"A", "a", "0"} <= set(kinds):
        return False
    changes = sum(one != other for one, other in pairwise(kinds)) / (len(run) - 1)
    return changes >= _LEAST_CHANGES and _bits(run) >= _LEAST_BITS


def _kind(char: str) -> str:
    return "0" if char.isdigit() else "A" if char.isupper() else "a" if char.isalpha() else ""


def _is_named(name: str) -> bool:
    bare = name.casefold().replace("_", "").replace("-", "")
    return any(each in bare for each in shape_words("credentials", "names"))


def _is_value(value: str) -> bool:
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return is_mixed and "://" not in value and _bits(value) >= _LEAST_VALUE_BITS


def _bits(text: str) -> float:
    """Return the entropy of a character, by how often each stands in the text."""
    shares = (count / len(text) for count in Counter(text).values())
    return -sum(share * math.log2(share) for share in shares)


CREDENTIALS: Final = messages.LIKE_CREDENTIALS
IGNORED: Final = messages.ABOUT_IGNORED_FILES


def filter_messages(lines: Iterable[FileLine], host: Host, rules: IgnoreRules) -> Iterator[FileLine]:
    """Yield what comes in, waiting for its owner's word, and what is left out."""
    for line in lines:
        if not isinstance(line, ParsedLine) or not isinstance(line.record, ThoughtLine):
            yield line
        elif looks_like_secret(line.record.content):
            yield Omission(where=line.where, reason=CREDENTIALS)
        elif rules.keeps_out(line.record.content):
            yield Omission(where=line.where, reason=IGNORED)
        else:
            yield replace(line, record=_waiting(line.record, host))


def _waiting(said: ThoughtLine, host: Host) -> ThoughtLine:
    """Return what was said as a note of its host; a role is nobody's name, and in a prompt it would pose as one."""
    speaker = host.called if said.claimed_origin == Origin.MODEL else said.speaker
    return replace(said, vouched=Vouch.WAITING, noted_by=host.value, speaker=speaker)


def claims_of(thoughts: Iterable[Thought]) -> tuple[str, ...]:
    """Return the files and commits that models name, each once: what has to be looked for."""
    said = (name for each in thoughts if each.origin is Origin.MODEL for name in artifacts_in(each.content))
    return tuple(dict.fromkeys(said))


def with_unfound(thought: Thought, found: Collection[str]) -> Thought:
    """Return a thought with what a model names in it and the working tree does not hold."""
    return replace(thought, unfound=tuple(name for name in claims_of((thought,)) if name not in found))
