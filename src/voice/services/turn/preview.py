"""Preview what a question would send and cost, and how a model counted its latest prompts.

Law: everything is done that a turn does before its first call, and nothing after it: nobody is asked, and nothing is
kept. Both costs are told: what a call would most likely cost, by what the model reported of late, and the most it can
cost, which is what the caps are held against. What is not known is None.

What one session learned of how a model counts tokens the next one starts from: the newest turns of the model in the
latest sessions count, those of this process as soon as they are kept (ruling D15). It is read once in a process for
each model. A store that cannot be read now is read again with the next turn.

Source: ruling D15; promise 7; docs/budgets.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from statistics import fmean
from typing import Final

from voice.core.context.build import ContextPlan
from voice.core.grounding.claim_verification import passage_of
from voice.core.grounding.values import GroundedResponse
from voice.core.grounding.verifier_values import CalibrationRecord, VerificationRequest
from voice.core.nlq.parsed_query import ParsedQuery
from voice.core.session.budgets import (
    CalibrationKey,
    CapState,
    TokenCalibration,
    calibrate_tokens,
    lower_bounds,
    ratios_of,
)
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.token_estimates import ESTIMATE
from voice.core.usage import Price, Usage, cost_of
from voice.ports.stores import SessionStore
from voice.ports.verifier import NOTHING_TO_PAY, CallForeseen
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import Trace, Turn
from voice.services.turn.draft import Drafting, DraftJob
from voice.services.verification.draft_verification import DraftVerification
from voice.services.verification.outside_turns import Belief

TYPICAL_REPLY: Final = 300
"""Tokens of a reply where no turn of the model is at hand: six sentences with their quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenCheck:
    """The calls that a verifier would take if it checked every sentence."""

    verifier: str
    record: CalibrationRecord | None
    """How it did when it was tried; None: it would be tried first."""
    call: CallForeseen = NOTHING_TO_PAY
    calibration: CallForeseen = NOTHING_TO_PAY
    calibration_calls: int = 0
    capped: str | None = None
    """Why a spending cap would not let it be asked; the answer would be shown unverified then."""

    @property
    def is_asked(self) -> bool:
        """Whether it would be asked: one that was tried and is not believed would not."""
        return self.record is None or self.record.is_believed


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenTurn:
    """A preview of a turn."""

    session_id: str | None
    """The session that would go on; None: a new one."""
    parsed: ParsedQuery | None = field(default=None, repr=False)
    plan: ContextPlan | None = field(default=None, repr=False)
    ready: GroundedResponse | None = None
    """What would be said without asking anybody, a refusal or a reply to small talk; None: a call would be made, if the
    caps let it."""
    provider: str
    model: str
    template: str | None = None
    prompt_hash: str | None = None
    """Of the prompt that would be sent; None where none would."""
    most_prompt_tokens: int = 0
    """What the model would report at most, by its recent turns."""
    max_output_tokens: int = 0
    counted_by: str = ESTIMATE
    """What counted the tokens of the prompt: a vocabulary, or a version of the estimate."""
    token_calibration: TokenCalibration = TokenCalibration()
    price: Price | None = None
    expected_cost: Decimal | None = Decimal(0)
    worst_cost: Decimal | None = Decimal(0)
    """Of the one call; a repair would be another, and so is the verifier's."""
    check: ForeseenCheck | None = None
    turn_cap: Decimal | None = None
    caps: tuple[CapState, ...] = ()
    capped: str | None = None
    warnings: tuple[str, ...] = ()
    earlier: str | None = None
    """The turn whose answer would be given again, because the idempotency key was used for it."""

    @property
    def refused(self) -> GroundedResponse | None:
        """The refusal that it would end with before anybody is asked."""
        return self.ready if self.ready is not None and self.ready.refused else None


def answered_before(turn: Turn) -> ForeseenTurn:
    """Return what asking does under a key that `turn` was asked under: it is given again, and costs nothing."""
    return ForeseenTurn(
        session_id=turn.session.id,
        provider=turn.exchange.provider,
        model=turn.exchange.model,
        earlier=turn.exchange.id,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPreview:
    """Previews a turn that is ready to ask."""

    drafting: Drafting
    spending: Spending
    verifying: DraftVerification = DraftVerification()

    async def __call__(
        self, ready: DraftJob | GroundedResponse, session: InnerVoiceSession, trace: Trace, *, now: datetime
    ) -> ForeseenTurn:
        """Return what would be sent and what it would cost."""
        profile = self.drafting.llm.profile
        foreseen = ForeseenTurn(
            session_id=session.id if session.revision else None,  # no revision: it would be new
            parsed=trace.parsed,
            plan=trace.plan,
            provider=profile.provider,
            model=profile.model,
        )
        if not isinstance(ready, DraftJob):
            return replace(foreseen, ready=ready)
        record, caps = self.drafting.record(ready), await self.spending.states(session.id, now)
        worst = self.drafting.worst_cost(ready.plan.prompt_tokens)
        return replace(
            foreseen,
            template=record.template,
            prompt_hash=record.prompt_hash,
            most_prompt_tokens=self.drafting.calibration.upper(ready.plan.prompt_tokens),
            max_output_tokens=self.drafting.settings.llm.max_output_tokens,
            counted_by=self.drafting.counter.name,
            token_calibration=self.drafting.calibration,
            price=profile.price,
            expected_cost=self._expected(ready.plan, session.context_window),
            worst_cost=worst,
            check=await self._check(ready, (*self.spending.of_turn, *caps), worst),
            turn_cap=self.spending.caps.turn,
            caps=caps,
            capped=self.spending.refused((*self.spending.of_turn, *caps), worst),
            warnings=lower_bounds(caps),
        )

    async def _check(
        self, order: DraftJob, states: Sequence[CapState], drafted: Decimal | None
    ) -> ForeseenCheck | None:
        """Return what the verifier would take: its prompt, the question, all sources that are shown, and any draft."""
        verifier, belief = self.verifying.verifier, self.verifying.belief
        if verifier is None or not self.drafting.llm.profile.writes:
            return None
        shown = tuple(map(passage_of, order.plan.evidence))
        asked = VerificationRequest(question=order.question, today=order.now.date(), claims=(), passages=shown)
        call = verifier.foresee(asked, unwritten=self.drafting.settings.llm.max_output_tokens)
        calibrating = belief.calibrating if isinstance(belief, Belief) else None
        record = await calibrating.record() if calibrating else None
        check = ForeseenCheck(verifier=verifier.info.label, record=record, call=call)
        if calibrating is not None and record is None:  # untried, so the trial would be paid first
            calls = await calibrating.trials(few=True)
            check = replace(check, calibration=calibrating.foresee(calls), calibration_calls=len(calls))
        if not check.is_asked:
            return check
        parts = (drafted, check.calibration.worst, call.worst)
        worst = None if None in parts else sum((part for part in parts if part is not None), Decimal(0))
        return replace(check, capped=self.spending.refused(states, worst))

    def _expected(self, plan: ContextPlan, window: Sequence[DialogueExchange]) -> Decimal | None:
        profile, limit = self.drafting.llm.profile, self.drafting.settings.llm.max_output_tokens
        served = [each for each in window if (each.provider, each.model) == (profile.provider, profile.model)]
        replies = [each.completion_tokens for each in served if each.completion_tokens]
        reply = round(fmean(replies)) if replies else TYPICAL_REPLY
        prompt = self.drafting.calibration.expected(plan.prompt_tokens)
        return cost_of(Usage(input_tokens=prompt, output_tokens=min(reply, limit)), profile.price)


MOST_TURNS: Final = 20
"""How many of the model's newest turns count beside those of the session itself."""
MOST_SESSIONS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCalibrations:
    """Holds what was reported of late, by who reported and what had counted."""

    _known: dict[CalibrationKey, dict[str, float]] = field(default_factory=dict[CalibrationKey, dict[str, float]])

    async def read(self, sessions: SessionStore, by: CalibrationKey) -> None:
        """Read what is kept, once."""
        if by in self._known:
            return
        found: dict[str, float] = {}
        for item in await sessions.sessions(limit=MOST_SESSIONS):
            if len(found) >= MOST_TURNS:
                break
            session = await sessions.load(item.id, window=MOST_TURNS)
            found = ratios_of(session.context_window if session else (), by) | found  # the oldest in front
        self._known.setdefault(by, found)  # another turn may have read it meanwhile

    def of(self, session: InnerVoiceSession, by: CalibrationKey) -> TokenCalibration:
        """Return what is known of one model for the next turn of `session`."""
        return calibrate_tokens((self._known.get(by, {}) | ratios_of(session.context_window, by)).values())

    def add(self, exchange: DialogueExchange, by: CalibrationKey) -> None:
        """Keep in mind what was reported of a turn that is kept now."""
        known = self._known.get(by)
        if known is not None:
            self._known[by] = dict([*known.items(), *ratios_of([exchange], by).items()][-MOST_TURNS:])
