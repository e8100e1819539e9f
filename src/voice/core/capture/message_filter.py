"""Filter the messages of a captured session: no secrets, nothing ignored.

Law: messages are kept whole or dropped, and counted by reason: those that seem to hold a secret or name an ignored
file. Kept ones await the owner's approval, since an agent can write the transcript; a model's remain its claims.

An ignore rule is a glob over a path: `*` matches any characters, `/` included, `?` one. A directory's match covers all
below it; a rule without separator matches any part of the path. Matching is linear in rule and path.
Source: rulings A12, H, J2; docs/capture.md.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

from voice.core.capture.hosts import Host
from voice.core.interchange.memory_lines import FileLine, Omission, ParsedLine, ThoughtLine
from voice.core.messages import files as messages
from voice.core.records import Origin, Thought
from voice.core.text.artifacts import artifacts_in, is_commit, shape_numbers, shape_words
from voice.core.vouch import Vouch


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreRules:
    """Paths that are not captured."""

    globs: tuple[str, ...] = ()
    is_all: bool = False
    """Whether nothing of this working tree is captured."""

    @classmethod
    def of_file(cls, text: str | None) -> "IgnoreRules":
        """Parse a `.voiceignore`: a glob per line, `#` starts a comment; an empty file ignores all."""
        if text is None:
            return cls()
        lines = (line.strip() for line in text.splitlines())
        globs = tuple(line for line in lines if line and not line.startswith("#"))
        return cls(globs=globs, is_all=not globs)  # one of comments alone as well

    def holds(self, path: str) -> bool:
        """Return whether a path is ignored."""
        return any(_matches(path, glob) for glob in self.globs)

    def keeps_out(self, text: str) -> bool:
        """Return whether a message names an ignored file."""
        return bool(self.globs) and any(self.holds(name) for name in artifacts_in(text) if not is_commit(name))


def _matches(path: str, glob: str) -> bool:
    pattern, parts = glob.rstrip("/"), path.rstrip("/").removeprefix("./").split("/")
    if "/" not in pattern:  # any folder, or the file
        return any(_fits(part, pattern) for part in parts)
    # Each folder above, then the path itself.
    return any(_fits(parent, pattern.removeprefix("./")) for parent in accumulate(parts, "{}/{}".format))


def _fits(text: str, glob: str) -> bool:
    """Match a whole text; on a mismatch only the last star takes one more character, which keeps it linear."""
    at = place = kept = 0
    star = -1  # where the last star stood
    while at < len(text):
        if place < len(glob) and glob[place] == "*":
            star, kept = place, at
            place += 1  # as if the star took nothing
        elif place < len(glob) and glob[place] in ("?", text[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            kept += 1
            at, place = kept, star + 1  # it takes one more, and the rest is tried again
        else:
            return False
    return not glob[place:].strip("*")  # stars may take nothing


_ARMOUR: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_IN_ADDRESS: Final = re.compile(r"://[^\s/:@]{0,200}+:[^\s/@]{3,200}+@")  # "://user:password@"
_IN_HEADER: Final = re.compile(r"\b(?:bearer|basic)\s{1,3}[\w.~+/=-]{16,}+", re.IGNORECASE)
_RUN: Final = re.compile(r"[\w.~+-]{12,}+")
_SIGNED: Final = re.compile(r"eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+")  # a JSON web token
_ASSIGNED: Final = re.compile(
    # `key = value`, `"key": "value"`: a name, a sign, and what has no blank or bracket.
    r"(?<![\w-])([\w-]{3,80}+)[\"'`]?[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}[\"'`]?([^\s\"'`,;()<>{}\[\]$]{8,200}+)"
)
_SHORTEST_RANDOM: Final = 24  # characters; shorter runs look random by chance
_LEAST_BITS: Final = 3.9  # bits per character
_LEAST_CHANGES: Final = 0.35  # share of neighbouring characters of different kinds: 0.2 in names, 0.67 in random text
_LEAST_VALUE_BITS: Final = 2.5  # bits per character; fewer than for a bare run: the name already raises suspicion


def looks_like_secret(text: str) -> bool:
    """Return whether a text seems to contain a credential."""
    if any(pattern.search(text) for pattern in (_ARMOUR, _IN_ADDRESS, _IN_HEADER)):
        return True
    return any(_is_token(found[0]) for found in _RUN.finditer(text)) or any(
        _is_credential_name(found[1]) and _is_credential_value(found[2]) for found in _ASSIGNED.finditer(text)
    )


def _is_token(run: str) -> bool:
    prefixes = shape_numbers("credentials", "prefixes")
    if any(run.startswith(prefix) and len(run) >= len(prefix) + least for prefix, least in prefixes.items()):
        return True
    return bool(_SIGNED.match(run)) or _is_random(run)


def _is_random(run: str) -> bool:
    kinds = ["0" if each.isdigit() else "A" if each.isupper() else "a" if each.isalpha() else "" for each in run]
    if len(run) < _SHORTEST_RANDOM or not {"A", "a", "0"} <= set(kinds):  # words and hashes lack one of them
        return False
    changes = sum(one != other for one, other in pairwise(kinds)) / (len(run) - 1)
    return changes >= _LEAST_CHANGES and _entropy(run) >= _LEAST_BITS


def _is_credential_name(name: str) -> bool:
    bare = name.casefold().replace("_", "").replace("-", "")
    return any(each in bare for each in shape_words("credentials", "names"))


def _is_credential_value(value: str) -> bool:
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return is_mixed and "://" not in value and _entropy(value) >= _LEAST_VALUE_BITS  # addresses have their own pattern


def _entropy(text: str) -> float:
    """Return the bits per character, by the frequencies in the text."""
    shares = (count / len(text) for count in Counter(text).values())
    return -sum(share * math.log2(share) for share in shares)


CREDENTIALS: Final = messages.LIKE_CREDENTIALS
IGNORED: Final = messages.ABOUT_IGNORED_FILES


def filter_messages(lines: Iterable[FileLine], host: Host, rules: IgnoreRules) -> Iterator[FileLine]:
    """Yield the kept messages, awaiting approval, and the omissions."""
    for line in lines:
        record = line.record if isinstance(line, ParsedLine) else None
        if not isinstance(line, ParsedLine) or not isinstance(record, ThoughtLine):
            yield line
        elif looks_like_secret(record.content):
            yield Omission(where=line.where, reason=CREDENTIALS)
        elif rules.keeps_out(record.content):
            yield Omission(where=line.where, reason=IGNORED)
        else:
            # A role ("assistant") is not a name, and would look like one in a prompt.
            speaker = host.called if record.claimed_origin == Origin.MODEL else record.speaker
            noted = replace(record, vouched=Vouch.WAITING, noted_by=host.value, speaker=speaker)
            yield replace(line, record=noted)


def claims_of(thoughts: Iterable[Thought]) -> tuple[str, ...]:
    """Return the distinct files and commits that models name, which must be looked for."""
    named = (name for each in thoughts if each.origin is Origin.MODEL for name in artifacts_in(each.content))
    return tuple(dict.fromkeys(named))


def with_unfound(thought: Thought, found: Collection[str]) -> Thought:
    """Return a thought with the files and commits that a model names but the working tree lacks."""
    return replace(thought, unfound=tuple(name for name in claims_of((thought,)) if name not in found))
