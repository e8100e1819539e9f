"""The least similarity that counts, for each encoder.

Law: a threshold belongs to the model whose angles it cuts, and is calibrated, not guessed (ruling C4). The specs' 0.25
and 0.15 are the default encoder's. Another one has the cosines that let the same share of its noise pass: questions
against rows of somebody else's memory. `python -m bench.calibrate --floors` prints them for any encoder; an encoder
that was not calibrated takes the specs' own. A floor that the person sets wins over all of it.

Source: spec inner_voice.retrieve, Config; rulings C3, C4.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorProfile:
    """The two floors of an encoder (ruling C3)."""

    floor: float = 0.25
    """The least cosine of a snippet."""
    min_floor: float = 0.15
    """How far it may fall for a source that would be empty."""


SPEC_FLOORS: Final = FloorProfile()
NOISE_ABOVE_FLOOR: Final = 0.12
"""The share of the default encoder's noise that reaches 0.25 (and 81 % of the evidence does)."""
NOISE_ABOVE_MIN_FLOOR: Final = 0.42
"""The same for 0.15 (93 % of the evidence)."""
CALIBRATED: Final[dict[str, FloorProfile]] = {
    "all-MiniLM-L6-v2-int8": SPEC_FLOORS,
    "hashed-ngrams-v1": FloorProfile(floor=0.17, min_floor=0.09),
}


def floors_of(model: str) -> FloorProfile:
    """Return the floors of an embedding model."""
    return CALIBRATED.get(model, SPEC_FLOORS)
