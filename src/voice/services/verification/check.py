"""Judge anybody's text: an answer and facts in, a report out.

Law: no memory is needed and nothing is kept of either. The rules look first, beside the event loop; a verifier is
asked, in one call, only where one is given, and about what the rules leave open. What it costs is held to the caps that
are given and is told.

Source: DESIGN 6 "The judge is a product of its own"; ruling D8.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import partial

from anyio.to_thread import run_sync

from voice.core.grounding.check import CheckReport, Fact, check_report, prove_text
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.values import Draft
from voice.core.grounding.verifier_values import Verification
from voice.core.session.exchange import total_cost
from voice.core.usage import Price
from voice.ports.system import Clock
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import Trace
from voice.services.verification.draft_verification import DraftVerification


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found about an answer, and what that took."""

    report: CheckReport
    verification: Verification | None = None
    """Who was asked about what rules cannot prove; None: nobody."""
    cost: Decimal | None = Decimal(0)
    """In US dollars; None = not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Checks answers."""

    clock: Clock
    verifying: DraftVerification = DraftVerification()
    """Asks nobody where no verifier is given."""
    price: Price | None = None
    """Of the model that the verifier asks."""
    spending: Spending = field(default_factory=Spending)

    @property
    def asks(self) -> bool:
        """Whether there is a verifier to ask."""
        return self.verifying.verifier is not None

    async def __call__(
        self, answer: str | Draft, facts: Sequence[Fact], *, question: str = "", now: datetime | None = None
    ) -> Checked:
        """Return what was found.

        Args:
            answer: plain text with markers such as `[1]`, or a draft whose sources name facts by id.
            facts: what it may rest on.
            question: what was asked; its words need no proof.
            now: the day from which "today" in the answer is reckoned; None: today.

        Raises:
            InvalidParams: there is nothing to check, or too much at once.
        """
        at = now or self.clock.now()
        proof = await run_sync(partial(prove_text, answer, facts, question=question, now=at), abandon_on_cancel=True)
        with self.spending.purse() as purse:
            await purse.open("", at, self.price)
            trace = Trace(clock=self.clock, purse=purse)
            heard = await self.verifying(verification_request(proof, question=question, today=at.date()), trace)
        label = heard.record.verifier.label if heard.record else None
        report = await run_sync(partial(check_report, proof, facts, heard.reply, label), abandon_on_cancel=True)
        cost = total_cost(trace.attempts, self.price) if trace.attempts else Decimal(0)
        return Checked(report=report, verification=heard.record, cost=cost)
