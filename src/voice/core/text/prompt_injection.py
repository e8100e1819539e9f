"""Detect texts that instruct the model rather than remember something.

Law: what counts is whom a text addresses: the model, its rules, sources, answers or user. A person's own imperatives
are ordinary. One weighted sum over sentence features, with language-independent rules, on the text as seen and as
decoded. A filter in front of the judge, not a replacement.

A feature is a few word classes near each other, in any order, independent of language. Weights were fitted
(`python -m bench.instructions_fit`) and are in `voice/data/instructions/weights.tsv`. Kinds are shown to people.
Source: ruling D22; DESIGN 6.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, Literal, NamedTuple

import regex

from voice.core.text.injection_cue_words import END, Reading, bits_of, in_rot13, languages_in, readings
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import decode_all, fold_text, rot13, spelling_variants

InstructionKind = Literal[
    "overrides the rules",
    "changes the model's role",
    "asks for the rules",
    "poses as another part of the prompt",
    "sets the model's own figures",
    "addresses the model",
    "tells the model what to say to the user",
    "dictates the answer",
    "hides an order in code",
]


_NONE: tuple[float, ...] = ()
_NEAR, _CLOSE, _CLOSING = 6.0, 3.0, 1.5  # distances in words


def _near(reading: Reading, one: str, other: str, most: float = _NEAR) -> bool:
    places = reading.get(other, _NONE)
    return any(0 < abs(here - there) <= most for here in reading.get(one, _NONE) for there in places)


def _many_near(reading: Reading, one: str, other: str, most: float) -> bool:
    places = reading.get(one, _NONE)
    return any(sum(0 < abs(here - there) <= most for here in set(places)) > 1 for there in reading.get(other, _NONE))


def _first(reading: Reading, name: str) -> float:
    return min(reading.get(name, (1e9,)))  # a missing class stands behind everything


def _last(reading: Reading, name: str) -> float:
    return max(reading.get(name, (-1.0,)))  # a missing class stands before everything


def _follows(reading: Reading, name: str, sign: str, most: float = 1.0) -> bool:
    signs = reading.get(sign, _NONE)
    return any(0 < there - here <= most for here in reading.get(name, _NONE) for there in signs)


def _opens(reading: Reading, name: str, most: float = 1.0) -> bool:
    starts = (-0.5, *reading.get(",", _NONE), *reading.get(":", _NONE))  # where the sentence and its parts begin
    return any(0 <= here - start <= most + 0.5 for here in reading.get(name, _NONE) for start in starts)


def _replies(reading: Reading) -> bool:
    """Return whether a reply word opens the sentence or a part of it."""
    both = set(reading.get("show", _NONE)).intersection(reading.get("reply", _NONE))
    return bool(both) and _opens({**reading, "both": sorted(both)}, "both")


def _ends(reading: Reading, name: str) -> bool:
    return 0 < _first(reading, END) - _last(reading, name) <= _CLOSING


def _closes(reading: Reading) -> bool:
    """Return whether the clause ends after dropping the rules, or continues with saying."""
    first = _first(reading, "rules")
    about = [at for name in ("drop", "rules", "before", "told", "your") for at in reading.get(name, _NONE)]
    last = max(at for at in about if abs(at - first) <= _NEAR)  # never empty: the first "rules" is among them
    return any(last < at <= last + 2 for name in (",", ":", END, "show") for at in reading.get(name, _NONE))


def _is_quoted(reading: Reading) -> bool:
    marks = sorted(reading.get('"', _NONE))
    # She wrote "ignore …": words stand before the mark, so that what follows it is told, not ordered.
    ordered = (*reading.get("drop", _NONE), *reading.get("show", _NONE))
    return any(mark >= 1 and any(mark < here for here in ordered) for mark in marks[:1])


def _is_role(reading: Reading) -> bool:
    """Return whether the sentence opens like a system message."""
    return _first(reading, "system") <= 1 and _follows(reading, "system", ":", 2.5)


_Test = Callable[[Reading], bool]


class _Feature(NamedTuple):
    """Required classes, and the test."""

    needs: frozenset[str]
    holds: _Test


def _of(needs: str, holds: _Test = lambda _: True) -> _Feature:
    return _Feature(frozenset(needs.split()), holds)


_FOR: Final[Mapping[InstructionKind, Mapping[str, _Feature]]] = {  # feature names are the rows of weights.tsv
    "overrides the rules": {
        "drop rules": _of("drop rules", lambda r: _near(r, "drop", "rules")),
        "drop rules before": _of(
            "drop rules before", lambda r: _near(r, "drop", "rules") and _near(r, "rules", "before", 4)
        ),
        "drop rules all before": _of(
            "drop rules before", lambda r: _near(r, "drop", "rules") and _many_near(r, "before", "rules", 4)
        ),
        "drop rules told": _of(
            "drop rules", lambda r: _near(r, "drop", "rules", 9) and ("told" in r or _near(r, "rules", "your", 3))
        ),
        "drop rules alone": _of("drop rules", lambda r: _near(r, "drop", "rules", 4) and _ends(r, "rules")),
        "drop rules closes": _of("drop rules", lambda r: _near(r, "drop", "rules") and _closes(r)),
        "drop rules opens": _of("drop rules", lambda r: _opens(r, "drop", 2)),
        "drop rules say": _of("drop rules show", lambda r: _near(r, "drop", "rules")),
        "drop told": _of("drop told", lambda r: _near(r, "drop", "told", 8)),
        "drop told before": _of("drop told before", lambda r: _near(r, "drop", "told", 8)),
        "drop told opens": _of("drop told", lambda r: _opens(r, "drop", 2)),
        "drop source say": _of(
            "drop source show", lambda r: _near(r, "drop", "source", 4) and _near(r, "show", "drop", 12)
        ),
    },
    "changes the model's role": {
        "your new task": _of("new task your", lambda r: _near(r, "new", "task", 3) and _near(r, "task", "your", 4)),
        "new task opens": _of(
            "new task your", lambda r: _near(r, "new", "task", 3) and (_opens(r, "new", 2) or _opens(r, "task"))
        ),
        "new task colon": _of("new task", lambda r: _near(r, "new", "task", 2) and _follows(r, "task", ":")),
        "now you are": _of("new your task", lambda r: _opens(r, "new") and _near(r, "your", "task", 4)),
        "now you are a model": _of("new your model", lambda r: _near(r, "your", "model")),
        "new rules colon": _of("new rules", lambda r: _near(r, "new", "rules", 2) and _follows(r, "rules", ":", 1.5)),
        "now always say": _of("new show must", lambda r: _near(r, "show", "must", 2)),
        "task without rules": _of("task rules your"),
        "task of system": _of(
            "task system", lambda r: _near(r, "task", "system", 4) and _first(r, "task") <= 1 < _first(r, "system")
        ),
    },
    "asks for the rules": {
        "show your rules": _of("show rules your", lambda r: _near(r, "show", "rules") and _near(r, "rules", "your", 4)),
        "show system rules": _of(
            "show rules system", lambda r: _near(r, "show", "rules", 8) and _near(r, "rules", "system", 2)
        ),
        "show what stands before": _of(
            "show source before",
            lambda r: _near(r, "show", "source", 5) and _near(r, "source", "before", 4) and _opens(r, "show"),
        ),
    },
    "poses as another part of the prompt": {
        "system colon": _of("system", lambda r: _is_role(r) and not _SPOKEN.isdisjoint(r)),
        "system colon say": _of("system show", lambda r: _is_role(r) and ("user" in r or "your" in r)),
        "system colon model": _of("system", lambda r: _is_role(r) and ("model" in r or "drop" in r)),
    },
    "addresses the model": {
        "note to model": _of("to model", lambda r: _near(r, "to", "model", 4) and _first(r, "to") <= 2),
        "model colon": _of("model", lambda r: _follows(r, "model", ":") and _first(r, "model") <= 2),
        "model sign say": _of(
            "model show", lambda r: (_follows(r, "model", ":") or _follows(r, "model", ",")) and _opens(r, "show")
        ),
        "model must say": _of("model must show", lambda r: _near(r, "model", "must", 4)),
        "you are a model": _of("your model", lambda r: _near(r, "your", "model", 4) and ("show" in r or "drop" in r)),
    },
    "tells the model what to say to the user": {
        "user asks say": _of("user asked show"),
        "user say opens": _of("user show", lambda r: _near(r, "show", "user", 3) and _opens(r, "show")),
        "user not told": _of("user not show", lambda r: _near(r, "user", "show")),
        "user hidden": _of("user not source"),
        "asked reply opens": _of("asked show reply", lambda r: _first(r, "asked") < _last(r, ",") and _replies(r)),
    },
    "dictates the answer": {
        "expected reply colon": _of(
            "expected reply", lambda r: _near(r, "expected", "reply", _CLOSE) and _follows(r, "reply", ":", 4)
        ),
        "expected reply asked": _of(
            "expected reply must asked",
            lambda r: _near(r, "expected", "reply", _CLOSE) and _near(r, "must", "asked", 3),
        ),
        "every question say": _of(
            "asked must show", lambda r: _near(r, "asked", "must", 2) and _near(r, "show", "asked")
        ),
        "your reply": _of(
            "your reply", lambda r: _near(r, "your", "reply", 1.5) and (_opens(r, "show") or "must" in r)
        ),
        "you must say": _of("your must show", lambda r: _near(r, "your", "must", 1.5) and _near(r, "must", "show", 2)),
        "other sources false": _of("other source false", lambda r: _near(r, "other", "source", 3)),
        "other sources": _of(
            "other source", lambda r: _near(r, "other", "source", 3) and not _HELD_AGAINST.isdisjoint(r)
        ),
        "only this source": _of("use must source", lambda r: _near(r, "use", "source")),
        "show source must": _of("show source must", lambda r: _near(r, "show", "source", 4)),
    },
    "sets the model's own figures": {
        "show figure": _of("show figure", lambda r: _near(r, "show", "figure", 5) and not _follows(r, "show", ":"))
    },
}
_AGAINST: Final[Mapping[str, _Feature]] = {  # with negative weights
    "self": _of("self", lambda r: _first(r, "self") <= min(_first(r, name) for name in ("drop", "show", "task")) + 3),
    "quoted": _of("", _is_quoted),
}
_SPOKEN = frozenset({"your", "user", "must", "rules", "source"})
_HELD_AGAINST = frozenset({"use", "drop", "must"})

KINDS: Final[Mapping[str, InstructionKind]] = {name: kind for kind, group in _FOR.items() for name in group}
"""The kind that each feature indicates."""
NAMES: Final = (*KINDS, *_AGAINST)
_FEATURES: Final = {name: feature for group in (*_FOR.values(), _AGAINST) for name, feature in group.items()}
_NEEDS: Final = tuple((name, bits_of(feature.needs)) for name, feature in _FEATURES.items())


def possible(bits: int) -> list[str]:
    """Return the features possible with these classes."""
    return [name for name, needs in _NEEDS if needs & bits == needs]


def features_of(reading: Reading) -> frozenset[str]:
    """Return the names of a sentence's features."""
    held = reading.keys()
    return frozenset(name for name, (needs, holds) in _FEATURES.items() if needs <= held and holds(reading))


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
    for name in sorted(found & KINDS.keys()):  # sorted, as `max` takes the first of equal sums
        sums[KINDS[name]] += weights().get(name, 0.0)
    return max(sums, key=sums.__getitem__)


# Cheap pre-check: without any of these no pattern can match.
_SIGNS: Final = frozenset("<[{#|")
_WORDS: Final = ("role", "author", "sources", "assistant", "human:", "user:", "q:")
_FIELDS: Final = ("coverage", "self", "refused")
_MARK = late_pattern(
    r"<\||\|>|<<sys>>|</?source>|<source id|</?(?:tool[_ ](?:calls?|results?)|function[_ ](?:calls?|results?)|invoke)\b"
    r"|[\[<{]/? ?(?:inst|im[_ ]start|im[_ ]end) ?[\]>}]"  # "[inst]", "<im start>"
    r"|(?:^|[.!?>] ?)[\[<{] ?(?:system|assistant|sys|developer|instructions?) ?[\]>}]"  # "[system]" opening a sentence
    r"|</ ?(?:system|assistant|instructions?) ?>"  # "</system>"
    r"|(?:^|[.>] )#{1,6} ?(?:system|assistant|developer|instruction|question)(?: prompt)?(?:$|:)"  # "## system:"
    r"|[\"'](?:role|author)[\"'] ?: ?[\"'](?:system|assistant|developer|tool)[\"']"  # '"role": "system"'
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
# The first and the last sentence of a folded line.
_FIRST, _LAST = re.compile(r"\A[.!?;\s]*[^.!?;\n]*"), re.compile(r"(?<![^.!?;\n])[^.!?;\n]*\Z")
_DEPTH = 2  # nesting of encodings that is undone
_EDGE = 240  # characters at row ends checked for an instruction split over two rows


@lru_cache(maxsize=2048)  # a conversation shows the same rows, and its own answers, turn after turn
def find_instruction(text: str) -> InstructionKind | None:
    """Return how `text` reads like instructions to the model; None for an ordinary memory. Linear time."""
    return _read(text) or next(("hides an order in code" for plain in _in_code(text) if _read(plain)), None)


def split_instructions(texts: Sequence[str]) -> frozenset[int]:
    """Return the indexes of consecutive rows that form an instruction only together."""
    plain = [at for at, text in enumerate(texts) if text.strip() and find_instruction(text) is None]
    pairs = ((one, other) for one, other in pairwise(plain) if other == one + 1)
    return frozenset(at for one, other in pairs if _goes_on(texts[one], texts[other]) for at in (one, other))


def instruction_like(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ids of the rows, by id, that read like instructions, alone or with the next one, in order."""
    spread = split_instructions([*texts.values()])
    return tuple(row_id for at, (row_id, text) in enumerate(texts.items()) if at in spread or find_instruction(text))


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
    """Return whether an instruction spans the seam of two rows, as a sentence, markup or encoding across it."""
    before, after = _edges(one)[1], _edges(other)[0]
    whole = f"{before.folded} {after.folded}"
    if poses_as_prompt(whole) or sets_reply_fields(whole):
        return True
    seam = f"{_LAST.findall(before.folded)[0]} {_FIRST.findall(after.folded)[0]}"  # both match at least ""
    return _read_folded(seam) is not None or any(map(_read, _in_code(f"{before.written} {after.written}")))


class _Edge(NamedTuple):
    """The part of a row next to another."""

    written: str
    folded: str


@lru_cache(maxsize=2048)
def _edges(text: str) -> tuple[_Edge, _Edge]:
    """Return the start and end of a row, at most one line each."""
    head = text.strip()[:_EDGE].partition("\n")[0]
    tail = _END.sub("", text[-2 * _EDGE :])[-_EDGE:].rpartition("\n")[2]  # twice, for the blanks and stops that go
    return _Edge(head, fold_text(head)), _Edge(tail, fold_text(tail))
