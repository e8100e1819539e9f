"""Sentences measured with a cross-encoder's opinion: `python -m bench.grounding --verifier FILE.onnx`.

A claim is as unsupported as the odds that the verifier gives against it (which have the lexical score in them), shifted
so that even odds lie at the policy's threshold; a sentence that no verifier is asked about keeps its lexical measure.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio

from voice.adapters.verifiers.cross_encoder import open_cross_encoder
from voice.core.grounding.claims import Grounds, Judged, unsupportedness
from voice.core.grounding.opinions import as_pair
from voice.core.grounding.verification import ClaimPair
from voice.ports.verifier import Verifier, VerifierRequest
from voice.testing.verifiers import UnpaidMeter

_LEAST = 1e-6
Measure = Callable[[Sequence[str], Sequence[Judged], Grounds], list[float]]
"""From an answer's sentences, their outcomes and grounds to how unsupported each is."""


def measure_with(model: Path, threshold: float) -> Measure:
    """Return the measure that asks the cross-encoder in `model`.

    Raises:
        ConfigurationError: the file cannot be used.
    """
    verifier = open_cross_encoder(model)

    def measure(texts: Sequence[str], judged: Sequence[Judged], grounds: Grounds) -> list[float]:
        asked = {
            at: as_pair(text, one, grounds.passages)
            for at, (text, one) in enumerate(zip(texts, judged, strict=True))
            if is_asked(one) and grounds.passages
        }
        odds = dict(zip(asked, _odds(verifier, tuple(asked.values())), strict=True))
        return [threshold + odds[at] if at in odds else unsupportedness(one) for at, one in enumerate(judged)]

    return measure


def is_asked(judged: Judged) -> bool:
    """Return whether a sentence is put to the verifier: it has content that can be compared."""
    return judged.support is not None and bool(judged.content)


def _odds(verifier: Verifier, pairs: tuple[ClaimPair, ...]) -> list[float]:
    request = VerifierRequest(pairs=pairs, timeout_s=math.inf, meter=UnpaidMeter())
    said = anyio.run(verifier.score, request) if pairs else []
    chances = [min(max(scores.entailed if scores else 0.5, _LEAST), 1 - _LEAST) for scores in said]
    return [math.log((1 - chance) / chance) for chance in chances]
