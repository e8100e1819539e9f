"""The verdict on a draft.

Law: a draft is judged beside the event loop, so that a long answer holds up neither other turns nor the deadline of its
own: a turn whose time is over is refused then, and what is still being judged is never shown. The rules look first; a
verifier is asked about what they leave open, in one call, and about nothing where nothing is open.

Source: DESIGN 6; rulings D1, D23.
"""

from dataclasses import replace
from functools import partial

from anyio.to_thread import run_sync

from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.judge import judge
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.values import Draft, GroundedResponse
from voice.core.session.exchange import TurnFacts
from voice.core.text.normalise import keyed_hash
from voice.services.runtime.turn import Trace
from voice.services.turn.draft import DraftJob
from voice.services.verification.draft_verification import DraftVerification


async def judge_draft(  # noqa: PLR0913 - what a verdict rests on, by name
    draft: Draft,
    order: DraftJob,
    facts: TurnFacts,
    trace: Trace,
    *,
    verifying: DraftVerification,
    key: bytes,
    owner: tuple[str, ...] = (),
) -> GroundedResponse:
    """Return what is shown and kept of a draft.

    Args:
        draft: a model's parsed words.
        order: what was asked for, with the rows that were shown.
        facts: the turn's policy, stance and time.
        trace: where what the verifier costs is noted.
        verifying: who is asked about what rules cannot prove.
        key: of the hashes under which cut sentences are kept (ruling D9a).
        owner: what the owner of the memory is called.

    Source: DESIGN 6; ruling D1.
    """
    context = ProofContext(question=order.question, now=facts.timestamp, owner=owner, by_model=facts.by_model)
    proof = await run_sync(partial(prove, draft, order.plan.evidence, context), abandon_on_cancel=True)
    wanted = verification_request(proof, question=order.question, today=context.today) if facts.by_model else None
    heard = await verifying(wanted, trace)
    decide = partial(
        judge,
        proof,
        facts.policy,
        stance=facts.stance,
        reply=heard.reply,
        verifier=heard.record.verifier.label if heard.record else None,
        digest=partial(keyed_hash, key),
    )
    return replace(await run_sync(decide, abandon_on_cancel=True), verification=heard.record)
