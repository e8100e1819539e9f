"""Ask the verifier whether two statements contradict each other.

Law: it is asked only where somebody wants that, only one that is believed, and about a bounded number of pairs, each in
both directions: what contradicts must do so from either side. What all calls can cost is held against the caps before
the first is made, and each is kept with its figures alone. Private rows leave this machine with consent alone. One that
is late or fails has given no opinion, and how many pairs are left without one is told.

Source: DESIGN 6 "The verifier"; rulings D8, D18, D25, H; promises 6 and 7.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from voice.core.errors import ConfigurationError
from voice.core.graph.conflicts.pairs import Conflict
from voice.core.grounding.verifier_values import CitedPassage, ClaimToVerify, VerificationReply, VerificationRequest
from voice.core.session.values import Attempt
from voice.core.text.instants import has_date
from voice.ports.verifier import CallForeseen
from voice.services.verification.calibration import Calibrating, foreseen_together
from voice.services.verification.draft_verification import DraftVerification, NoOpinion

PAIRS: Final = 20
"""Pairs that are asked about unless somebody says otherwise."""
_PAIRS_A_CALL: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictQuestion:
    """The verifier's opinion on some pairs."""

    verified: tuple[Conflict, ...] = ()
    """Those that it calls contradicted in both directions, marked so."""
    unanswered: int = 0
    """Pairs that it gave no opinion on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictVerification:
    """Asks one verifier about pairs of statements."""

    calibrating: Calibrating
    allow_private_remote: bool = False
    """Whether private rows may leave this machine."""

    async def require_believed(self, *, include_private: bool) -> None:
        """Check that the verifier is one to ask.

        Raises:
            ConfigurationError: it was not tried, or is not believed, or private rows would leave this machine.
        """
        consent = DraftVerification(verifier=self.calibrating.verifier)
        consent.require_consent(is_private=include_private, allowed=self.allow_private_remote)
        record, label = await self.calibrating.record(), self.calibrating.verifier.info.label
        if record is None:
            raise ConfigurationError(
                f"{label} has not been tested yet, so voice does not trust it; run `voice verifier check`"
            )
        if not record.is_believed:
            raise ConfigurationError(
                f"{label} accepts too many false statements; choose another model with SURR_VERIFIER_MODEL"
            )

    def foresee(self, pairs: Sequence[Conflict]) -> CallForeseen:
        """Return what asking about the pairs would take, and ask nobody."""
        return foreseen_together([self.calibrating.verifier.foresee(each) for _, each in self._calls(pairs)])

    async def __call__(self, pairs: Sequence[Conflict]) -> ConflictQuestion:
        """Return which of the pairs contradict each other.

        Raises:
            BudgetExceeded: a spending cap does not allow it; nobody was asked.
            StoreError: what was spent cannot be read or kept.
        """
        await self.calibrating.require_paid(self.foresee(pairs).worst)
        verified: list[Conflict] = []
        attempts: list[Attempt] = []
        unanswered = 0
        for some, asked in self._calls(pairs):
            name = f"{self.calibrating.verifier.info.name}, conflicts"
            said = await self.calibrating.asked_alone(asked, attempts, name=name, purpose="verify")
            if isinstance(said, NoOpinion):
                unanswered += len(some)
            else:
                verified += contradicted(some, said)
        return ConflictQuestion(verified=tuple(verified), unanswered=unanswered)

    def _calls(self, pairs: Sequence[Conflict]) -> list[tuple[Sequence[Conflict], VerificationRequest]]:
        asked = [each for each in pairs if each.difference != "edge"]
        calls = [asked[start : start + _PAIRS_A_CALL] for start in range(0, len(asked), _PAIRS_A_CALL)]
        today = self.calibrating.clock.now().date()
        return [(some, request_of(some, today)) for some in calls]


def request_of(pairs: Sequence[Conflict], today: date) -> VerificationRequest:
    """Return what is asked about some pairs: each side is a claim, and the other side what it cites."""
    passages: list[CitedPassage] = []
    claims: list[ClaimToVerify] = []
    for number, pair in enumerate(pairs):
        aliases = (f"S{2 * number + 1}", f"S{2 * number + 2}")
        passages += [
            CitedPassage(alias=alias, text=side.said, day=side.told_at.date() if has_date(side.told_at) else None)
            for alias, side in zip(aliases, (pair.one, pair.other), strict=True)
        ]
        claims += [
            ClaimToVerify(number=2 * number + 1, text=pair.one.said, cited=(aliases[1],)),
            ClaimToVerify(number=2 * number + 2, text=pair.other.said, cited=(aliases[0],)),
        ]
    return VerificationRequest(question="", today=today, claims=tuple(claims), passages=tuple(passages))


def contradicted(pairs: Sequence[Conflict], reply: VerificationReply) -> list[Conflict]:
    """Return the pairs of which a reply calls both sides contradicted, marked so."""
    verdicts = {each.number: each.verdict for each in reply.opinions}
    return [
        replace(pair, is_verified=True)
        for number, pair in enumerate(pairs)
        if {verdicts.get(2 * number + 1), verdicts.get(2 * number + 2)} == {"contradicted"}
    ]
