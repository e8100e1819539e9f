"""What a hard check found wrong with a sentence, in words a person understands.

Law: a finding never repeats a free word of the draft: it names what the source says, and of the answer only what
belongs to a closed class (numbers, dates, "not"), so that it may stand in a refusal (rulings D6, D9).
"""

from dataclasses import dataclass
from typing import Literal

Flag = Literal[
    "number",
    "date",
    "unit",
    "polarity",
    "antonym",
    "quantifier",
    "name",
    "person",
    "modality",
    "cause",
    "bare",
    "quotation",
    "smuggled",
    "irrelevant",
    "altered",
    "part",
    "disputed",
    "ended",
    "paraphrase",
    "premise",
    "verifier",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check that fired."""

    flag: Flag
    text: str
    """A human sentence without a free word of the draft."""
    effect: Literal["contradicted", "unsupported", "note"]
    """What it makes of the sentence; a `note` only adds `weight` to the support score."""
    weight: float = 0.0
    is_slight: bool = False
    """Read from how the source puts it (a hedge, a frame, a limit), which a long text makes doubtful: it marks the
    sentence like any other, and ranks it no further than just over the threshold."""
