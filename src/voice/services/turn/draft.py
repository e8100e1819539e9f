"""Ask the model for a draft, listen while it streams, and judge what it wrote.

Law: one prompt, and one repair where the reply has the wrong shape (ruling D8), both within the token budget (ruling
D10) and within the spending cap of the turn, each by its own worst case (promise 7). A provider's failure is a response
like any other (ruling D6); what comes from a provider is neither shown nor kept before it was judged (ruling D9). A
draft is ended early where its sources alone decide that it will be refused.

A draft is judged in a thread, so that a long answer holds up neither other turns nor its own deadline; what is still
being judged then is never shown. The rules look first; a verifier is asked about what they leave open, in one call.

Source: spec stateful-design-v2, 4 Provider Abstraction; rulings D1, D6, D8-D10, D18, D20, D23, D25; DESIGN 6;
docs/streaming.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import partial

from anyio.to_thread import run_sync

from voice.core.answering.answer_layout import Layout
from voice.core.context.build import ContextPlan, prompt_budget
from voice.core.context.prompt_evidence import discreet_message
from voice.core.context.prompt_proof import record_prompt, record_repair, render_repair, repair_reserve
from voice.core.context.prompt_templates import PromptTemplate, latest_template, prompt_hash
from voice.core.context.question import temperature_of
from voice.core.errors import BudgetExceeded, DeadlineExceeded, ProviderError, VoiceError
from voice.core.grounding.answer_text import incomplete_reply, refusal, with_advice
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.draft import DRAFT_SCHEMA, DraftFault, parse_draft
from voice.core.grounding.judge import judge
from voice.core.grounding.partial_draft import PartialDraft
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.refusal_reasons import early_refusal
from voice.core.grounding.values import Draft, Evidence, GroundedResponse, GroundingPolicy, RefusalReason, Stance
from voice.core.messages import showing as messages
from voice.core.session.budgets import AS_ESTIMATED, CalibrationKey, TokenCalibration
from voice.core.session.exchange import TurnFacts
from voice.core.session.turn_events import Asked, judged_event
from voice.core.session.turn_events import Drafting as DraftGrown
from voice.core.session.values import PromptRecord, PromptView
from voice.core.settings.values import Settings
from voice.core.text.normalise import keyed_hash
from voice.core.usage import Usage, worst_case_cost
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, TokenCounter
from voice.services.runtime.turn import Trace
from voice.services.verification.draft_verification import DraftVerification

_STEP_CHARS = 80  # growth of a reply between two counts of it


@dataclass(slots=True, kw_only=True)
class DraftListener:
    """Reads one reply while it is written."""

    evidence: Sequence[Evidence] = field(repr=False)
    policy: GroundingPolicy
    count: Callable[[str], int] = field(repr=False)
    progress: Callable[[int], None] = field(repr=False)
    """Is told how many tokens there are so far, as they are estimated."""
    refusal: GroundedResponse | None = None
    """What the draft ends in, where a citation has decided."""
    _partial: PartialDraft = field(default_factory=PartialDraft)
    _text: str = field(default="", repr=False)
    _is_complete: bool = False  # then nothing is left to save, and the whole draft is judged
    _uncounted: str = field(default="", repr=False)
    _tokens: int = 0

    def hear(self, piece: str) -> bool:
        """Take the next piece of the reply; return whether it is decided."""
        self._uncounted += piece
        if len(self._uncounted) >= _STEP_CHARS:  # counting costs, and every piece would be one
            self._tokens += self.count(self._uncounted)
            self._uncounted = ""
            self.progress(self._tokens)
        self._text += piece
        cited = () if self.refusal else self._partial.read(self._text)  # decided once is enough
        if cited and not self._partial.is_refusal:
            self.refusal = early_refusal(cited, self.evidence, self.policy)
        if self.refusal is None:
            return False
        self._is_complete = self._is_complete or isinstance(parse_draft(self._text), Draft)
        return not self._is_complete  # ended early only where that saves something

    def restart(self) -> None:
        """Forget the reply of a try that failed."""
        self.refusal, self._partial, self._tokens = None, PartialDraft(), 0
        self._text, self._uncounted, self._is_complete = "", "", False


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftJob:
    """A draft to be made."""

    question: str = field(repr=False)
    """What the draft will be judged by."""
    plan: ContextPlan = field(repr=False)
    template: PromptTemplate
    stance: Stance
    now: datetime
    view: PromptView
    """Whose eyes the rows of the plan were read with."""
    policy: GroundingPolicy
    """What the draft will be judged by, too."""
    layout: Layout | None = None
    """How it is to be given where no model writes; None: as passages or sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """A prompt that is ready to be sent."""

    text: str = field(repr=False)
    tokens: int
    """System text included."""
    record: PromptRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """Drafts answers with one model."""

    llm: LlmClient
    counter: TokenCounter
    prompts: tuple[PromptTemplate, ...]
    settings: Settings
    key: bytes = field(repr=False)
    calibration: TokenCalibration = AS_ESTIMATED

    @property
    def calibration_key(self) -> CalibrationKey:
        """The model and the counter of its prompts."""
        profile = self.llm.profile
        return CalibrationKey(provider=profile.provider, model=profile.model, counter=self.counter.name)

    @property
    def budget(self) -> int:
        """The tokens that a prompt may take, as they are estimated."""
        return self.calibration.room(  # less where prompts were counted too low
            prompt_budget(
                max_prompt_tokens=self.settings.llm.max_prompt_tokens,
                context_tokens=self.llm.profile.context_tokens,
                max_output_tokens=self.settings.llm.max_output_tokens,
            )
        )

    def worst_cost(self, tokens: int, *, output: int | None = None) -> Decimal | None:
        """Return the most that a call can cost, by the estimated tokens of its prompt; None = unknown price."""
        most = self.settings.llm.max_output_tokens if output is None else output
        return worst_case_cost(self.calibration.upper(tokens), most, self.llm.profile.price)

    def record(self, order: DraftJob) -> PromptRecord:
        """Return the record of the prompt that would be sent first."""
        return self._first(order).record

    @property
    def reserve(self) -> int:
        """The tokens that a prompt leaves free for its repair."""
        return repair_reserve(self._repair, self.counter.count)

    @property
    def _repair(self) -> PromptTemplate:
        return latest_template(self.prompts, "repair")

    async def __call__(self, order: DraftJob, trace: Trace) -> Draft | GroundedResponse:
        """Return a draft to judge, or the response that a failure is; prompt and calls are left in `trace`."""
        first = self._first(order)
        result = await self._attempt(first, order, trace)
        if isinstance(result, DraftFault):
            repair = self._repair_prompt(first, result, order)
            if repair.tokens <= self.budget:  # no room, no repair: the fault stands
                result = await self._attempt(repair, order, trace)
        if isinstance(result, DraftFault):
            notes = with_advice(messages.REPLY_UNREADABLE, RefusalReason.MALFORMED)
            return refusal(RefusalReason.MALFORMED, notes=notes, evidence=())
        return result

    def _first(self, order: DraftJob) -> _Prompt:
        plan = order.plan
        record = record_prompt(
            plan,
            order.template,
            key=self.key,
            now=order.now,
            timezone=self.settings.time.timezone,
            stance=order.stance,
            view=order.view,
            counted_by=self.counter.name,
        )
        return _Prompt(text=plan.prompt, tokens=plan.prompt_tokens, record=record)

    def _repair_prompt(self, first: _Prompt, fault: DraftFault, order: DraftJob) -> _Prompt:
        text = render_repair(self._repair, first.text, fault.message)
        tokens = self.counter.count(order.plan.system) + self.counter.count(text)
        record = record_repair(
            first.record,
            self._repair,
            prompt_hash=prompt_hash(self.key, order.plan.system, text),
            fault=fault.message,
            tokens=tokens,
        )
        return _Prompt(text=text, tokens=tokens, record=record)

    async def _attempt(self, prompt: _Prompt, order: DraftJob, trace: Trace) -> Draft | DraftFault | GroundedResponse:
        try:
            await trace.begin_paid(self.worst_cost(prompt.tokens))
        except BudgetExceeded as fault:
            trace.prompt = trace.prompt or prompt.record  # of a repair that is not paid for, the first stays
            return self._failed(fault, RefusalReason.BUDGET, prompt, order)
        trace.prompt = prompt.record
        self._tell_asked(prompt, trace)
        listener = self._listener(order, trace)
        try:
            reply = await self._complete(self._request(prompt, order, trace, listener), trace)
        except DeadlineExceeded as fault:
            return self._failed(fault, RefusalReason.DEADLINE, prompt, order)
        except ProviderError as fault:
            trace.fault = fault  # kept for the caller: a retry may be worth it
            return self._failed(fault, RefusalReason.PROVIDER_ERROR, prompt, order)
        if reply.stopped and listener.refusal is not None:
            return self._stopped(reply, listener.refusal, prompt, trace)
        parsed = parse_draft(reply.text)
        unfinished = None if isinstance(parsed, Draft) else self._unfinished(reply, parsed, order)
        outcome = "draft" if isinstance(parsed, Draft) else "malformed" if unfinished is None else "unfinished"
        trace.record_reply(reply.usage, outcome, draft_hash=keyed_hash(self.key, reply.text))
        return unfinished or parsed

    def _unfinished(self, reply: LlmReply, fault: DraftFault, order: DraftJob) -> GroundedResponse | None:
        """Return what a reply is that its provider or its limit ended; None where another try may mend it."""
        ended = incomplete_reply(
            reply.ending,
            fault,
            provider=self.llm.profile.provider,
            why=reply.finish_reason,
            limit=self.settings.llm.max_output_tokens,
        )
        return refusal(ended[0], notes=ended[1], evidence=order.plan.evidence) if ended else None

    def _listener(self, order: DraftJob, trace: Trace) -> DraftListener:
        def progress(tokens: int) -> None:
            trace.tell(DraftGrown(tokens=tokens, attempt=trace.drafts))

        count, evidence = self.counter.count, order.plan.evidence
        return DraftListener(evidence=evidence, policy=order.policy, count=count, progress=progress)

    def _stopped(self, reply: LlmReply, refused: GroundedResponse, prompt: _Prompt, trace: Trace) -> GroundedResponse:
        """Return what a draft ends in whose call was ended; what it took is reckoned where nobody reported it."""
        reported, reckoned = reply.usage, None
        if reported.input_tokens is None or reported.output_tokens is None:
            expected = self.calibration.expected(prompt.tokens)
            reckoned = Usage(
                input_tokens=expected if reported.input_tokens is None else reported.input_tokens,
                output_tokens=self.counter.count(reply.text),  # written, so paid for
            )
        draft_hash = keyed_hash(self.key, reply.text)
        trace.record_reply(reported, "stopped", draft_hash=draft_hash, reckoned=reckoned)
        trace.tell(judged_event(refused, stopped=True))
        return refused

    def _failed(
        self, fault: ProviderError, reason: RefusalReason, prompt: _Prompt, order: DraftJob
    ) -> GroundedResponse:
        """Return what a failed call becomes; evidence is shown where nobody was asked."""
        notes = discreet_message(fault.message, prompt.text, otherwise=f"the provider failed ({fault.code})")
        shown = order.plan.evidence if reason is RefusalReason.BUDGET else ()  # nobody saw it yet, so it can be shown
        return refusal(reason, notes=with_advice(notes, reason), evidence=shown)

    async def _complete(self, request: LlmRequest, trace: Trace) -> LlmReply:
        """Call the model and meter the call whatever becomes of it. What a client lets through against its contract may
        hold the prompt and is dropped."""
        try:
            return await self.llm.complete(request)
        except VoiceError:
            raise
        except Exception as error:  # noqa: BLE001 - nothing of it is passed on but its type (promise 6)
            broken = type(error).__name__
        finally:
            trace.end()
        # Outside the handler: as a context, the client's error may hold the prompt.
        raise ProviderError(
            f"the client of {messages.vendor(self.llm.profile.provider)} failed unexpectedly ({broken})"
        )

    def _request(self, prompt: _Prompt, order: DraftJob, trace: Trace, listener: DraftListener) -> LlmRequest:
        limits = self.settings.llm

        async def again() -> None:
            await trace.again_paid()
            listener.restart()  # its pieces begin anew
            self._tell_asked(prompt, trace)

        return LlmRequest(
            system=order.plan.system,
            prompt=prompt.text,
            question=order.question,
            evidence=order.plan.evidence,
            stance=order.stance,
            schema=DRAFT_SCHEMA,
            temperature=temperature_of(order.stance, limits.temperature),
            max_output_tokens=limits.max_output_tokens,
            timeout_s=limits.deadline_s,
            now=order.now,
            layout=order.layout,
            on_retry=again,
            on_text=listener.hear if limits.stream else None,
        )

    def _tell_asked(self, prompt: _Prompt, trace: Trace) -> None:
        profile = self.llm.profile
        provider, model, tokens = profile.provider, profile.model, prompt.tokens
        trace.tell(Asked(provider=provider, model=model, prompt_tokens=tokens, attempt=trace.drafts))


async def judge_draft(
    draft: Draft, order: DraftJob, facts: TurnFacts, trace: Trace, *, verifying: DraftVerification, key: bytes
) -> GroundedResponse:
    """Return what is shown and kept of a draft; its cut sentences are kept as hashes under `key` (ruling D9a)."""
    context = ProofContext(question=order.question, now=facts.timestamp, by_model=facts.by_model)
    # The deadline leaves the thread behind; what it still judges is never shown.
    proof = await run_sync(partial(prove, draft, order.plan.evidence, context), abandon_on_cancel=True)
    wanted = verification_request(proof, question=order.question, today=context.today) if facts.by_model else None
    opinions = await verifying(wanted, trace)
    decide = partial(
        judge,
        proof,
        facts.policy,
        stance=facts.stance,
        reply=opinions.reply,
        verifier=opinions.record.verifier.label if opinions.record else None,
        digest=partial(keyed_hash, key),
    )
    return replace(await run_sync(decide, abandon_on_cancel=True), verification=opinions.record)
