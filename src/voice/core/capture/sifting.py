"""Which lines of a transcript come in, and as what.

Law: a message comes in whole or not at all. One that looks as if it held a secret, and one that names a file which the
ignore rules keep out, stays out and is counted by its reason. What comes in waits for its owner's word, whoever is said
to have said it: the transcript is a file that an agent can write. What a model said stays a model's claim.

Source: rulings A12, H, J2; docs/capture.md.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final

from voice.core.capture.ignoring import IgnoreRules
from voice.core.capture.values import Host
from voice.core.interchange.lines import FileLine, LeftOut, ParsedLine, ThoughtLine
from voice.core.records import Origin, Thought
from voice.core.text.artifacts import artifacts_in
from voice.core.text.credentials import looks_like_secret
from voice.core.vouch import Vouch

CREDENTIALS: Final = "messages with what looks like a secret"
IGNORED: Final = "messages about files that you ignore"


def sifted(lines: Iterable[FileLine], host: Host, rules: IgnoreRules) -> Iterator[FileLine]:
    """Yield what comes in, waiting for its owner's word, and what is left out."""
    for line in lines:
        if not isinstance(line, ParsedLine) or not isinstance(line.record, ThoughtLine):
            yield line
        elif looks_like_secret(line.record.content):
            yield LeftOut(where=line.where, reason=CREDENTIALS)
        elif rules.keeps_out(line.record.content):
            yield LeftOut(where=line.where, reason=IGNORED)
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
