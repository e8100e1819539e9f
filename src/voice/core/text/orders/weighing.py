"""Whether what speaks for an order in a sentence weighs more than what speaks against it.

Law: one sum decides: the weights of the features that the sentence has, and a bias that is against. They are data
(`voice/data/instructions/weights.tsv`), made by `python -m bench.instructions_fit` and by nobody's hand.

Source: ruling D22; DESIGN 6.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from voice.core.text.orders.features import KINDS, features_of, possible
from voice.core.text.orders.values import InstructionKind
from voice.core.text.orders.words import languages_in, readings

BIAS = "bias"


def kind_of(view: str) -> InstructionKind | None:
    """Return what the first sentence of a folded text that is an order does most; None when none is one."""
    for reading in readings(view, _worth):
        found = features_of(reading)
        if found and weight_of(found, weights()) > 0:
            return _most(found)
    return None


def weight_of(found: frozenset[str], weights: Mapping[str, float]) -> float:
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
