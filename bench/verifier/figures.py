"""What held-out predictions come to: ranking by set, and the lines a model file declares.

Law: every figure is of a model that saw none of the files of its fold. Lines are chosen on the same held-out
predictions, each class of each fold weighing the same, so that no set's share of bad answers decides them. How much the
model weighs beside the lexical score is chosen for each fold on the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Literal

from bench.grounding import THRESHOLD, auroc
from bench.verifier.examples import Example
from voice.adapters.verifiers.cross_encoder import LEXICAL_CAP

_SURE = 0.9
_WEIGHTS = (0.0, 0.15, 0.3, 0.5, 0.75, 1.0)
_NEVER_SUPPORTED, _NEVER_DOUBTED = 1.0, 0.0
Measure = Literal["lexical", "model alone", "stacked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """One sentence with what a model that never saw its fold says of it."""

    example: Example
    logit: float
    slope: float
    weight: float = 1.0
    """Of the logit beside the lexical score."""

    @property
    def odds(self) -> float:
        """The log-odds that it is unsupported, but for the bias."""
        return self.slope * min(self.example.lexical, LEXICAL_CAP) + self.weight * self.logit


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Where numbers become votes, as log-odds against a sentence."""

    even: float
    """Where the mean balanced accuracy over sets is best."""
    support: float | None
    """Under it, never over `even`, what the words do not support is supported nine times of ten; None: nowhere."""
    doubt: float | None
    """Over it, never under `even`, what the words support is unsupported nine times of ten; None: nowhere."""


def by_set(found: Sequence[HeldOut]) -> dict[str, dict[Measure, float | None]]:
    """Return the AUROC of each set's answers, each as its worst sentence; a set of one class against its fold."""
    fold_of = {one.example.set_name: one.example.fold for one in found}
    measured: dict[str, dict[Measure, float | None]] = {}
    for name, fold in fold_of.items():
        own = [one for one in found if one.example.fold == fold]
        supported_here = any(one.example.set_name == name and not one.example.is_unsupported for one in own)
        bad = [one for one in own if one.example.set_name == name and one.example.is_unsupported]
        good = [
            one
            for one in own
            if not one.example.is_unsupported and (one.example.set_name == name or not supported_here)
        ]
        if bad:
            measured[name] = {
                "lexical": _auroc(bad, good, "lexical"),
                "model alone": _auroc(bad, good, "model alone"),
                "stacked": _auroc(bad, good, "stacked"),
            }
    return measured


def weighed(found: Sequence[HeldOut]) -> list[HeldOut]:
    """Return the sentences of each fold under the weight that is best for the sets of all other folds."""
    folds = {one.example.fold for one in found}
    weights = {fold: best_weight([one for one in found if one.example.fold != fold]) for fold in folds}
    return [replace(one, weight=weights[one.example.fold]) for one in found]


def best_weight(found: Sequence[HeldOut]) -> float:
    """Return the weight of the logit with the best mean AUROC over sets; the smallest of equals."""
    means = [
        (mean_of(by_set([replace(one, weight=weight) for one in found]), "stacked") or 0.0, -weight)
        for weight in _WEIGHTS
    ]
    return -max(means)[1]


def mean_of(measured: Mapping[str, Mapping[Measure, float | None]], measure: Measure) -> float | None:
    """Return the mean over the sets that have the measure."""
    values = [figures[measure] for figures in measured.values()]
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if known else None


def lines_of(found: Sequence[HeldOut]) -> Lines:
    """Return the lines that held-out predictions give."""
    trained = [one for one in found if one.example.is_trained_on]
    weights = _weights(trained)
    is_bad = {id(one): one.example.is_unsupported for one in trained}
    ordered = sorted(trained, key=lambda one: one.odds)
    missed = sum(weights[id(one)] for one in ordered if not is_bad[id(one)])
    best, even = missed, ordered[0].odds if ordered else 0.0
    for one in ordered:
        missed += weights[id(one)] if is_bad[id(one)] else -weights[id(one)]
        if missed < best:
            best, even = missed, one.odds
    unheld = [one for one in ordered if one.example.is_open and one.example.lexical > THRESHOLD]
    held = [one for one in reversed(ordered) if one.example.is_open and one.example.lexical <= THRESHOLD]
    support, doubt = _last_sure(unheld, weights, bad=False), _last_sure(held, weights, bad=True)
    return Lines(
        even=even,
        support=None if support is None else min(support, even),
        doubt=None if doubt is None else max(doubt, even),
    )


def metadata_of(lines: Lines, *, slope: float, weight: float) -> dict[str, float | int]:
    """Return what the model file says of itself."""
    bias = -lines.even
    return {
        "format": 1,
        "slope": round(slope, 6),
        "weight": weight,
        "bias": round(bias, 6),
        "support": _NEVER_SUPPORTED if lines.support is None else round(_entailed(lines.support + bias), 6),
        "doubt": _NEVER_DOUBTED if lines.doubt is None else round(_entailed(lines.doubt + bias), 6),
    }


def _auroc(bad: Sequence[HeldOut], good: Sequence[HeldOut], measure: Measure) -> float | None:
    value = auroc(_worst(bad, measure), _worst(good, measure))
    return None if value is None else round(value, 4)


def _worst(found: Sequence[HeldOut], measure: Measure) -> list[float]:
    worst: dict[int, float] = {}
    for one in found:
        value = {"lexical": one.example.lexical, "model alone": one.logit, "stacked": one.odds}[measure]
        worst[one.example.answer] = max(value, worst.get(one.example.answer, value))
    return list(worst.values())


def _weights(found: Sequence[HeldOut]) -> dict[int, float]:
    """Return a weight for each, by identity: every class of every fold weighs the same in all."""
    counts: dict[tuple[int, bool], int] = {}
    for one in found:
        key = (one.example.fold, one.example.is_unsupported)
        counts[key] = counts.get(key, 0) + 1
    return {id(one): 1 / counts[one.example.fold, one.example.is_unsupported] for one in found}


def _last_sure(ordered: Sequence[HeldOut], weights: Mapping[int, float], *, bad: bool) -> float | None:
    """Return the odds of the last one up to which nine of ten have the class `bad`; None when it is never so."""
    right = all_of = 0.0
    line: float | None = None
    for one in ordered:
        weight = weights[id(one)]
        all_of += weight
        right += weight if one.example.is_unsupported is bad else 0.0
        if right >= _SURE * all_of:
            line = one.odds
    return line


def _entailed(odds: float) -> float:
    return 1 / (1 + exp(odds))
