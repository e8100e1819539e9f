"""The verdict on a draft.

Law: a draft is judged beside the event loop, so that a long answer holds up neither other turns nor the deadline of its
own: a turn whose time is over is refused then, and what is still being judged is never shown. What verifiers are to be
asked is known only after a first judgement; without verifiers there is one.

Source: DESIGN 6; rulings D1, D23.
"""

from collections.abc import Sequence
from functools import partial

from anyio.to_thread import run_sync

from voice.core.grounding.judge import claims_to_verify, judge
from voice.core.grounding.opinions import with_verification
from voice.core.grounding.values import Draft, GroundedResponse
from voice.core.grounding.verification import ClaimPair
from voice.core.session.exchange import TurnFacts
from voice.services.drafting import Order
from voice.services.turn import Trace
from voice.services.verifying import TurnMeter, Verifying


async def judged(
    draft: Draft, order: Order, facts: TurnFacts, trace: Trace, *, verifying: Verifying
) -> GroundedResponse:
    """Return what is shown and kept of a draft.

    Args:
        draft: a model's parsed words.
        order: what was asked for, with the rows that were shown.
        facts: the turn's policy, stance and time.
        trace: where what the verifiers cost is noted.
        verifying: who else is asked; nobody by default.

    Source: DESIGN 6; ruling D1.
    """
    asked, stance, now = order.question, facts.stance, facts.timestamp
    shown = order.plan.evidence
    pairs: Sequence[ClaimPair] = ()
    if verifying.verifiers:
        choose = partial(claims_to_verify, draft, shown, facts.policy, question=asked, stance=stance, now=now)
        pairs = await run_sync(choose, abandon_on_cancel=True)
    heard = await verifying(pairs, TurnMeter(trace=trace))
    decide = partial(
        judge,
        draft,
        shown,
        facts.policy,
        question=asked,
        stance=stance,
        opinions=heard.opinions,
        now=now,
        by_model=facts.by_model,
    )
    return with_verification(await run_sync(decide, abandon_on_cancel=True), heard.record)
