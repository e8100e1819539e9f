"""Verifiers, who are asked whether sentences follow from what they cite.

Law: a verifier sees a question, claims and the passages they cite, and returns a verdict with the words that decide it;
what these prove is decided elsewhere (`voice.core.grounding.claim_verification`). What it pays for it reports before
it pays. When it fails, it raises: nothing is guessed in its place.

Source: DESIGN 6 "The verifier"; rulings D8, D24, H.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal, Protocol

from voice.core.context.prompt_templates import PromptTemplate
from voice.core.grounding.verifier_values import VerificationReply, VerificationRequest, VerifierInfo
from voice.core.usage import Usage
from voice.ports.llm import LlmClient, TokenCounter

__all__ = [
    "NOTHING_TO_PAY",
    "CallForeseen",
    "CallMeter",
    "VerificationReply",  # of the core; verifiers build it
    "VerificationRequest",
    "Verifier",
    "VerifierContext",
    "VerifierInfo",
    "VerifierRequest",
]


class CallMeter(Protocol):
    """Where a verifier that asks a language model reports its calls; they count as the turn's (ruling D8). One call at
    a time. Whoever reports on a call that it did not begin, or has ended, gets VerifierFailed; what is refused is not
    kept."""

    def begin(self, worst: Decimal | None) -> None:
        """Report a call that is about to be made, and the most it can cost; None = the price is not known. Raises
        BudgetExceeded: a cap does not allow it, it must not be made; VerifierFailed: the call before it was not ended.
        """
        ...

    def again(self) -> None:
        """Report that the call failed and is about to be repeated as it was. Raises BudgetExceeded: a spending cap does
        not allow that; what failed is ended as any other call."""
        ...

    def end(self, usage: Usage | None, outcome: Literal["draft", "malformed", "error"]) -> None:
        """Report what became of the call; None where nobody knows what it used."""
        ...

    def undo(self) -> None:
        """Report that the call was not made after all."""
        ...

    @property
    def left(self) -> Decimal | None:
        """What is left of the turn's spending cap in US dollars; None = there is no cap."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierRequest:
    """What one draft leaves open, with what it may take."""

    asked: VerificationRequest = field(repr=False)  # it quotes the person
    timeout_s: float
    """When this has passed, the answer is not waited for any longer."""
    meter: CallMeter = field(repr=False)  # hears of each call before it is made


@dataclass(frozen=True, slots=True, kw_only=True)
class CallForeseen:
    """What a verification would take."""

    prompt_tokens: int = 0
    """As they are counted, never too few."""
    max_output_tokens: int = 0
    expected: Decimal | None = Decimal(0)
    """What it would most likely cost in US dollars; None = the price is not known."""
    worst: Decimal | None = Decimal(0)
    """The most it can cost; None = the price is not known."""


NOTHING_TO_PAY: Final = CallForeseen()
"""What a verification takes that calls no language model."""


class Verifier(Protocol):
    """One configured verifier."""

    @property
    def info(self) -> VerifierInfo:
        """Its name and version; recorded with every exchange it was asked for."""
        ...

    @property
    def remote(self) -> bool:
        """Whether what it is shown leaves this machine (private rows need their own consent then, ruling H)."""
        ...

    def foresee(self, asked: VerificationRequest, *, unwritten: int = 0) -> CallForeseen:
        """Return what `verify` would take for this, without asking anybody; `NOTHING_TO_PAY` where nothing.
        `unwritten`: the tokens of a draft that is not written yet, whose sentences would be asked about, too."""
        ...

    async def verify(self, request: VerifierRequest) -> VerificationReply:
        """Return an opinion on each claim that it has one on, and whether the answer is about the question.

        It is awaited on a thread and an event loop of its own, so it may compute or block, and keeps nothing between
        two calls that belongs to a loop. One that is `remote` may be asked about several requests at a time. The
        language model of its context is called in the program's loop.

        Raises:
            VerifierFailed: it cannot work; `OpinionMalformed`: what it was told has the wrong shape.
            ProviderError: the language model it asks failed; `BudgetExceeded` and `DeadlineExceeded` among them.
        No exception, and nothing that hangs on it, holds text of the request.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierContext:
    """What a verifier that another package brings is made with: the object of its entry point is called with it."""

    llm: LlmClient
    """The language model that is to check: the one that writes, or the one that SURR_VERIFIER_MODEL names."""
    counter: TokenCounter  # of that model
    prompts: tuple[PromptTemplate, ...] = field(repr=False)  # the packaged ones
