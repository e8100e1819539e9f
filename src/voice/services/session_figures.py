"""What sessions came to: turns, refusals, tokens and cost, of each and of all.

Law: the sums are those that each session keeps of its own turns; what a fork shares is counted once. What nobody
reported is counted as unknown, and never as 0.

Source: DESIGN 8 Web; rulings D18, D19.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from voice.core.usage import Total
from voice.ports.skimming import SessionFigures, Skimming


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What some sessions came to."""

    turns: int = 0
    refused: int = 0
    tokens: int = 0
    cost: Total = Total()

    def plus(self, one: SessionFigures) -> "Figures":
        """Return these figures with one more session."""
        cost = Total(
            known=self.cost.known + one.cost.known, unknown_count=self.cost.unknown_count + one.cost.unknown_count
        )
        return Figures(
            turns=self.turns + one.turns,
            refused=self.refused + one.refused,
            tokens=self.tokens + one.tokens,
            cost=cost,
        )


def sum_of(sessions: Iterable[SessionFigures]) -> Figures:
    """Return what sessions came to together."""
    total = Figures()
    for each in sessions:
        total = total.plus(each)
    return total


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresOfSessions:
    """Reads what sessions came to."""

    skimming: Skimming

    async def __call__(self) -> Mapping[str, SessionFigures]:
        """Return what each session came to, by its id.

        Raises:
            StoreError: they cannot be read.
        """
        return {each.id: each async for page in self.skimming.sessions() for each in page}
