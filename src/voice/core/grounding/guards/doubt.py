"""One thing that a sentence says and nothing cited gives.

Law: to the person and in a refusal it repeats of the draft only what belongs to a closed class (numbers, dates); a name
is not repeated (rulings D6, D9). To a verifier it names the words themselves.

Source: DESIGN 6 "Guards".
"""

from typing import Literal, NamedTuple

Flag = Literal["number", "date", "name", "identifier"]


class Doubt(NamedTuple):
    """What a guard found; `start:end` are offsets into the sentence."""

    flag: Flag
    start: int
    end: int
    told: str
    """A human sentence without a free word of the draft."""
    wanted: tuple[str, ...]
    """Comparable forms, one of which the words that settle it must hold."""
