"""Detect texts that speak to the model instead of remembering.

Law: a memory is evidence, whatever it says; one that gives the model orders is evidence that somebody tried. A person's
own imperatives ("do not forget the milk", "tell Jonas that the ferry leaves at nine", a recipe, a note about prompts)
are ordinary memories. What tells the two apart is whom the text addresses and what about: the model, its rules, its
sources, its answers, the user behind it. The rule is one weighted sum over few features of a sentence (`orders/`):
the words are lists, one a language, the weights were fitted, and no rule knows a language. It looks at the words as a
reader sees them and at what a model could decode. It is a filter in front of the judge, never instead of it.

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
    """Return what the first sentence of a folded text that is an order does most; None when none is one."""
    for reading in readings(view, _worth):
        found = features_of(reading)
        if found and instruction_weight(found, weights()) > 0:
            return _most(found)
    return None


def instruction_weight(found: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return how much more speaks for an order than against it."""
    return weights[BIAS] + sum(weights.get(name, 0.0) for name in found)


@lru_cache(maxsize=16_384)
def _worth(bits: int) -> tuple[str, ...]:
    """Return the languages in which a sentence with words of these classes may weigh enough."""
    return tuple(languages_in(bits, _is_worth)) if bits else ()


@lru_cache(maxsize=16_384)
def _is_worth(bits: int) -> bool:
    """Return whether a sentence with words of these classes may weigh enough."""
    return sum(max(0.0, weights().get(name, 0.0)) for name in possible(bits)) + weights()[BIAS] > 0


@lru_cache(maxsize=1)
def weights() -> Mapping[str, float]:
    """Return the weight of each feature; read at the first row, not at import."""
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
"""Without any of these there is no mark: looking for them is much cheaper than the patterns are."""
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
    """Return whether a folded text holds a mark of another part of a prompt."""
    may = not _SIGNS.isdisjoint(folded) or any(map(folded.__contains__, _WORDS))
    return may and _MARK.search(folded) is not None


def sets_reply_fields(folded: str) -> bool:
    """Return whether a folded text sets a field of a reply that this program computes itself."""
    return any(map(folded.__contains__, _FIELDS)) and _FIELD.search(folded) is not None


_END = re.compile(r"(?<![\s.!?;:,…。।۔-])[\s.!?;:,…。।۔-]++$")
_FIRST, _LAST = re.compile(r"\A[.!?;\s]*[^.!?;\n]*"), re.compile(r"(?<![^.!?;\n])[^.!?;\n]*\Z")
"""The first and the last sentence of a folded line (`orders.words`)."""
_DEPTH = 2
"""How often what is in code may be in code again."""
_EDGE = 240
"""Characters at the end of one row and the beginning of another in which an order may be spread over both."""


@lru_cache(maxsize=2048)  # a conversation shows the same rows, and its own answers, turn after turn
def find_instruction(text: str) -> InstructionKind | None:
    """Return in what way `text` reads like instructions to the model; None for an ordinary memory.

    Pure and deterministic, in any of the languages that have a list; time is linear in the text.
    """
    return _read(text) or next(("hides an order in code" for plain in _in_code(text) if _read(plain)), None)


def split_instructions(texts: Sequence[str]) -> frozenset[int]:
    """Return which of `texts`, the rows of one import in their order, hold an order together with a neighbour.

    Returns:
        The places in `texts` of rows that do not read like instructions by themselves, and do where the one goes on in
        the other: what the first ends with and the next begins with. Empty for ordinary rows.
    """
    plain = [at for at, text in enumerate(texts) if text.strip() and find_instruction(text) is None]
    pairs = ((one, other) for one, other in pairwise(plain) if other == one + 1)
    return frozenset(at for one, other in pairs if _goes_on(texts[one], texts[other]) for at in (one, other))


def _read(text: str) -> InstructionKind | None:
    """Return what a text is as it is written, and as it reads where a word of it stands in rot13."""
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
    """Return whether an order stands across the seam of two rows.

    Each row was read by itself: of the two together only the sentence that both have a part in is new, and what opens
    as another part of a prompt, or in code, in the one and closes in the other.
    """
    before, after = _edges(one)[1], _edges(other)[0]
    whole = f"{before.folded} {after.folded}"
    if poses_as_prompt(whole) or sets_reply_fields(whole):
        return True
    seam = f"{_LAST.findall(before.folded)[0]} {_FIRST.findall(after.folded)[0]}"
    return _read_folded(seam) is not None or any(map(_read, _in_code(f"{before.written} {after.written}")))


class _Edge(NamedTuple):
    """Where one row meets another."""

    written: str
    folded: str


@lru_cache(maxsize=2048)
def _edges(text: str) -> tuple[_Edge, _Edge]:
    """Return how a row begins and how it ends, a line of it at most."""
    head = text.strip()[:_EDGE].partition("\n")[0]
    tail = _END.sub("", text[-2 * _EDGE :])[-_EDGE:].rpartition("\n")[2]
    return _Edge(head, fold_text(head)), _Edge(tail, fold_text(tail))
