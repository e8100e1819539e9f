"""Asking somebody else whether a sentence follows from its evidence.

Law: a verifier sees claims and evidence and returns numbers; what they may change is decided elsewhere
(`voice.core.grounding.opinions`), by the thresholds it declares. It answers pair by pair, in order, and says nothing
(`None`) where it has no opinion. What it pays for it reports before it pays. When it fails, it raises: nothing is
guessed in its place.

Source: GROUNDING step 5; DESIGN 6 stage 5; rulings D8, D24, H.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Literal, Protocol

from voice.core.context.template import PromptTemplate
from voice.core.grounding.verification import ClaimPair, Scores, VerifierInfo
from voice.core.usage import Usage
from voice.ports.llm import LlmClient, TokenCounter

__all__ = ["CallMeter", "ClaimPair", "Scores", "Verifier", "VerifierContext", "VerifierInfo", "VerifierRequest"]


class CallMeter(Protocol):
    """Where a verifier that asks a language model reports its calls; they count as the turn's (ruling D8).

    One call at a time; what a verifier did not begin it cannot report on, and what is refused is not kept.
    """

    def begin(self, worst: Decimal | None) -> None:
        """Report a call that is about to be made, and the most it can cost; None = the price is not known.

        Raises:
            BudgetExceeded: a spending cap does not allow it; it must not be made.
            VerifierFailed: the call before it was not ended.
        """
        ...

    def again(self) -> None:
        """Report that the call failed and is about to be repeated as it was.

        Raises:
            BudgetExceeded: a spending cap does not allow that; what failed is ended as any other call.
            VerifierFailed: there is no call of this verifier's that was begun and not ended.
        """
        ...

    def end(self, usage: Usage | None, outcome: Literal["draft", "malformed", "error"]) -> None:
        """Report what became of the call; None where nobody knows what it used.

        Raises:
            VerifierFailed: there is no call of this verifier's that was begun and not ended.
        """
        ...

    def undo(self) -> None:
        """Report that the call was not made after all.

        Raises:
            VerifierFailed: there is no call of this verifier's that was begun and not ended.
        """
        ...

    @property
    def left(self) -> Decimal | None:
        """What is left of the turn's spending cap in US dollars; None = there is no cap."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierRequest:
    """Pairs to be judged together."""

    pairs: tuple[ClaimPair, ...] = field(repr=False)
    timeout_s: float
    """When this has passed, the answer is not waited for any longer."""
    meter: CallMeter = field(repr=False)


class Verifier(Protocol):
    """One configured verifier."""

    @property
    def info(self) -> VerifierInfo:
        """Its name, version and thresholds; recorded with every exchange it was set up for."""
        ...

    @property
    def remote(self) -> bool:
        """Whether what it is shown leaves this machine (private rows need their own consent then, ruling H)."""
        ...

    async def score(self, request: VerifierRequest) -> Sequence[Scores | None]:
        """Return one entry per pair, in order; None = no opinion on that one.

        It is awaited on a thread and an event loop of its own, so it may compute or block, and keeps nothing between
        two calls that belongs to a loop. The language model of its context is called in the program's loop.

        Raises:
            VerifierFailed: it cannot work; `OpinionMalformed`: what it was told has the wrong shape.
            ProviderError: the language model it asks failed; `BudgetExceeded` and `DeadlineExceeded` among them.
        No exception, and nothing that hangs on it, holds text of a pair.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierContext:
    """What a verifier that another package brings is made with: the object of its entry point is called with it."""

    model: Path | None
    """The model file that the settings name, if any."""
    llm: LlmClient
    """The language model that drafts are asked of."""
    counter: TokenCounter
    prompts: tuple[PromptTemplate, ...] = field(repr=False)
