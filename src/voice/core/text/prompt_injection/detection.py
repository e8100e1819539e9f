"""Detect texts that instruct the model rather than remember something.

Law: what counts is whom a text addresses: the model, its rules, sources, answers or user. A person's own imperatives
are ordinary. One weighted sum over sentence features, with fitted weights and language-independent rules, on the text
as seen and as decoded. A filter in front of the judge, not a replacement.

Source: ruling D22; DESIGN 6.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, NamedTuple

import regex

from voice.core.text.lazy import late_pattern
from voice.core.text.prompt_injection.cue_words import in_rot13, languages_in, readings
from voice.core.text.prompt_injection.deobfuscation import decode_all, fold_text, rot13, spelling_variants
from voice.core.text.prompt_injection.features import KINDS, InstructionKind, features_of, possible

BIAS = "bias"


def instruction_kind(view: str) -> InstructionKind | None:
    """Return the main kind of the first instruction in a folded text; None if there is none."""
    for reading in readings(view, _worth):
        found = features_of(reading)
        if found and instruction_weight(found, weights()) > 0:
            return _most(found)
    return None


def instruction_weight(found: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return the score of features; positive is an instruction."""
    return weights[BIAS] + sum(weights.get(name, 0.0) for name in found)


@lru_cache(maxsize=16_384)
def _worth(bits: int) -> tuple[str, ...]:
    return tuple(languages_in(bits, _is_worth)) if bits else ()


@lru_cache(maxsize=16_384)
def _is_worth(bits: int) -> bool:
    """Return whether a sentence with these classes could score positive."""
    return sum(max(0.0, weights().get(name, 0.0)) for name in possible(bits)) + weights()[BIAS] > 0


@lru_cache(maxsize=1)
def weights() -> Mapping[str, float]:
    """Return the feature weights."""
    table = (files("voice") / "data" / "instructions" / "weights.tsv").read_text(encoding="utf-8")
    return {name: float(weight) for name, _, weight in (line.partition("\t") for line in table.splitlines())}


def _most(found: frozenset[str]) -> InstructionKind:
    sums: dict[InstructionKind, float] = defaultdict(float)
    for name in sorted(found & KINDS.keys()):
        sums[KINDS[name]] += weights().get(name, 0.0)
    return max(sums, key=sums.__getitem__)


_SIGNS: Final = frozenset("<[{#|")
_WORDS: Final = ("role", "author", "sources", "assistant", "human:", "user:", "q:")
_FIELDS: Final = ("coverage", "self", "refused")
"""Cheap pre-check: without any of these no pattern can match."""
_MARK = late_pattern(
    r"<\||\|>|<<sys>>|</?source>|<source id|</?(?:tool[_ ](?:calls?|results?)|function[_ ](?:calls?|results?)|invoke)\b"
    r"|[\[<{]/? ?(?:inst|im[_ ]start|im[_ ]end) ?[\]>}]"
    r"|(?:^|[.!?>] ?)[\[<{] ?(?:system|assistant|sys|developer|instructions?) ?[\]>}]"
    r"|</ ?(?:system|assistant|instructions?) ?>"
    r"|(?:^|[.>] )#{1,6} ?(?:system|assistant|developer|instruction|question)(?: prompt)?(?:$|:)"
    r"|[\"'](?:role|author)[\"'] ?: ?[\"'](?:system|assistant|developer|tool)[\"']"
    r"|[\"']answer[\"'] ?: ?.{0,300}[\"']sources[\"'] ?: ?\[|[\"']tool[_ ]calls?[\"'] ?: ?[\[{]"
    r"|^\W{0,3}assistant$|^\W{0,3}(?:human|user|q): .{1,300}\b(?:assistant|a): ",
    regex.MULTILINE,
)
_FIELD = late_pattern(r"\b(?:coverage[_ ]ratio|self[_ ]reported)\b|\brefused[\"']? ?[=:] ?(?:true|false)\b")


def poses_as_prompt(folded: str) -> bool:
    """Return whether a folded text contains markup of another prompt part."""
    may = not _SIGNS.isdisjoint(folded) or any(map(folded.__contains__, _WORDS))
    return may and _MARK.search(folded) is not None


def sets_reply_fields(folded: str) -> bool:
    """Return whether a folded text sets a reply field that this program computes."""
    return any(map(folded.__contains__, _FIELDS)) and _FIELD.search(folded) is not None


_END = re.compile(r"(?<![\s.!?;:,…。।۔-])[\s.!?;:,…。।۔-]++$")
_FIRST, _LAST = re.compile(r"\A[.!?;\s]*[^.!?;\n]*"), re.compile(r"(?<![^.!?;\n])[^.!?;\n]*\Z")
"""The first and the last sentence of a folded line (`orders.words`)."""
_DEPTH = 2
"""Maximum nesting of encodings."""
_EDGE = 240
"""Characters at row ends checked for an instruction split over two rows."""


@lru_cache(maxsize=2048)  # a conversation shows the same rows, and its own answers, turn after turn
def find_instruction(text: str) -> InstructionKind | None:
    """Return how `text` reads like instructions to the model; None for an ordinary memory. Linear time."""
    return _read(text) or next(("hides an order in code" for plain in _in_code(text) if _read(plain)), None)


def split_instructions(texts: Sequence[str]) -> frozenset[int]:
    """Return the indexes of consecutive rows that form an instruction only together."""
    plain = [at for at, text in enumerate(texts) if text.strip() and find_instruction(text) is None]
    pairs = ((one, other) for one, other in pairwise(plain) if other == one + 1)
    return frozenset(at for one, other in pairs if _goes_on(texts[one], texts[other]) for at in (one, other))


def _read(text: str) -> InstructionKind | None:
    return _read_folded(fold_text(text))


def _read_folded(folded: str) -> InstructionKind | None:
    for view in spelling_variants(folded):
        kind = _kind_of(view) or ("hides an order in code" if in_rot13(view) and _kind_of(rot13(view)) else None)
        if kind:
            return kind
    return None


def _kind_of(view: str) -> InstructionKind | None:
    if poses_as_prompt(view):
        return "poses as another part of the prompt"
    return "sets the model's own figures" if sets_reply_fields(view) else instruction_kind(view)


def _in_code(text: str, depth: int = _DEPTH) -> Iterator[str]:
    for plain in decode_all(text):
        yield plain
        if depth > 1:
            yield from _in_code(plain, depth - 1)


@lru_cache(maxsize=4096)  # the same rows stand beside one another turn after turn
def _goes_on(one: str, other: str) -> bool:
    """Return whether an instruction spans the seam of two rows.

    Only the sentence across the seam, and markup or encodings split by it, are new.
    """
    before, after = _edges(one)[1], _edges(other)[0]
    whole = f"{before.folded} {after.folded}"
    if poses_as_prompt(whole) or sets_reply_fields(whole):
        return True
    seam = f"{_LAST.findall(before.folded)[0]} {_FIRST.findall(after.folded)[0]}"
    return _read_folded(seam) is not None or any(map(_read, _in_code(f"{before.written} {after.written}")))


class _Edge(NamedTuple):
    """The part of a row next to another."""

    written: str
    folded: str


@lru_cache(maxsize=2048)
def _edges(text: str) -> tuple[_Edge, _Edge]:
    """Return the start and end of a row, at most one line each."""
    head = text.strip()[:_EDGE].partition("\n")[0]
    tail = _END.sub("", text[-2 * _EDGE :])[-_EDGE:].rpartition("\n")[2]
    return _Edge(head, fold_text(head)), _Edge(tail, fold_text(tail))
