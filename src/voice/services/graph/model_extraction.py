"""Have a model read notes for what they name and relate.

Law: a note that reads like instructions is not shown, one too long is not cut, a private one goes to another machine
with consent alone and never beside others; each that was not read is counted. Every call is under the caps by its worst
case before it is made, has a deadline, and is kept with its figures alone, whatever becomes of it. A reply counts as
far as its notes bear it out (`voice.core.extraction.model_reply`); nothing it says of a note comes from another.

Source: rulings D8, D18, D22, D24, D25, F.1, H; promises 6 and 7.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import anyio
from anyio.to_thread import run_sync

from voice.core.context.build import prompt_budget
from voice.core.context.prompt_evidence import neutralise
from voice.core.context.prompt_templates import PromptTemplate, latest_template
from voice.core.errors import DeadlineExceeded, ProviderError, VoiceError
from voice.core.extraction.model_reply import EXTRACT_SCHEMA, ModelReply, parse_reply, verify_reply
from voice.core.graph.review.extraction_results import Extracted
from voice.core.messages.showing import vendor
from voice.core.records import RowStatus, Thought
from voice.core.settings.providers import LlmSettings
from voice.core.text.instants import day_or_undated
from voice.core.text.prompt_injection import find_instruction
from voice.core.usage import worst_case_cost
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, TokenCounter
from voice.ports.system import Clock, IdSource
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import Trace, call_alone, facts_alone

TEMPLATE: Final = "extract"
NOTES_A_CALL: Final = 8
_MOST_CHARS: Final = 8_000  # of one note; in a longer one, no model is sure of where a name stands
_GRACE_S: Final = 0.5  # for a client that keeps the deadline itself to say so first


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRead:
    """What a model read, and what that took."""

    found: tuple[Extracted, ...] = ()
    unsupported: int = 0
    unread: int = 0
    """Notes that the model was not shown, or of which its reply told nothing usable."""
    fault: ProviderError | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReading:
    """Asks one model."""

    llm: LlmClient
    counter: TokenCounter
    prompts: tuple[PromptTemplate, ...]
    clock: Clock
    ids: IdSource
    spending: Spending
    limits: LlmSettings
    allow_private_remote: bool

    async def __call__(self, thoughts: Sequence[Thought]) -> ModelRead:
        """Return what the model finds and `thoughts` bear out, or its failure. Raises StoreError: spending not kept."""
        wanted = [each for each in thoughts if not each.is_synthesis and each.status is RowStatus.ACTIVE]
        shown = [each for each in wanted if self._may_be_shown(each)]
        unread, unsupported, found = len(wanted) - len(shown), 0, list[Extracted]()
        calls = list(self._calls(shown))
        unread += len(shown) - sum(map(len, calls))  # those that no prompt has room for
        for at, notes in enumerate(calls):
            try:
                said = await self._ask(notes)
            except ProviderError as fault:
                unread += sum(map(len, calls[at:]))  # these and all that were to follow
                return ModelRead(found=tuple(found), unsupported=unsupported, unread=unread, fault=fault)
            if said is None:
                unread += len(notes)
                continue
            held = await run_sync(verify_reply, said, notes)
            found.append(held.extracted)
            unsupported += held.dropped
        return ModelRead(found=tuple(found), unsupported=unsupported, unread=unread)

    def _may_be_shown(self, note: Thought) -> bool:
        limits = self.limits
        if note.is_private and self.llm.profile.remote and not self.allow_private_remote:
            return False
        # A sender chooses the name that is shown with the text.
        if limits.quarantine_instructions and (find_instruction(note.content) or find_instruction(note.speaker or "")):
            return False
        return len(note.content) <= _MOST_CHARS

    def _calls(self, notes: Sequence[Thought]) -> Iterator[Mapping[str, Thought]]:
        """Yield the notes of each call by their ids in its prompt; one that no prompt has room for is left out."""
        for is_private in (False, True):  # never both in one prompt: a finding could cross over
            some: list[Thought] = []
            for note in (each for each in notes if each.is_private is is_private):
                if not self._fits([note]):
                    continue  # too long for any prompt
                if len(some) == NOTES_A_CALL or (some and not self._fits([*some, note])):
                    yield _by_alias(some)
                    some = []
                some.append(note)
            if some:
                yield _by_alias(some)

    def _fits(self, notes: Sequence[Thought]) -> bool:
        profile, limits = self.llm.profile, self.limits
        most = prompt_budget(
            max_prompt_tokens=limits.max_prompt_tokens,
            context_tokens=profile.context_tokens,
            max_output_tokens=self._output_tokens,
        )
        return self._tokens(_by_alias(notes)) <= most

    def _tokens(self, notes: Mapping[str, Thought]) -> int:
        return self.counter.count(self._system) + self.counter.count(self._prompt(notes))

    @property
    def _output_tokens(self) -> int:
        return min(self.limits.max_output_tokens, self.llm.profile.max_output_tokens)

    @property
    def _template(self) -> PromptTemplate:
        return latest_template(self.prompts, TEMPLATE)

    @property
    def _system(self) -> str:
        return self._template.render("system", {}).strip()

    def _prompt(self, notes: Mapping[str, Thought]) -> str:
        sources = (
            self._template.render(
                "source", {"alias": alias, "date": day_or_undated(note.created_at), "text": neutralise(note.content)}
            )
            for alias, note in notes.items()
        )
        return self._template.render("user", {"sources": "".join(sources)})

    async def _ask(self, notes: Mapping[str, Thought]) -> ModelReply | None:
        """Ask about some notes, and keep what it took; None: the reply cannot be used."""
        facts = facts_alone(self.llm.profile, self.clock, self.ids)
        worst = worst_case_cost(self._tokens(notes), self._output_tokens, facts.price)
        async with call_alone(self.spending, facts, self.clock, worst=worst, purpose="extract") as trace:
            reply = await self._reply(self._request(notes, trace))
            trace.record_reply(reply.usage, "malformed")  # until it is read, so that a cancelled call is kept, too
            said = await run_sync(parse_reply, reply.text)  # a long reply would hold the loop
            if said is not None:
                trace.record_reply(reply.usage, "draft")
        return said

    async def _reply(self, request: LlmRequest) -> LlmReply:
        """Call the model; what a client lets through against its contract may hold the prompt and is dropped."""
        try:
            with anyio.fail_after(request.timeout_s + _GRACE_S):
                return await self.llm.complete(request)
        except TimeoutError:
            failed: ProviderError = DeadlineExceeded(f"the model did not answer within {request.timeout_s:g} s")
        except VoiceError:
            raise
        except Exception as error:  # noqa: BLE001 - nothing of it is passed on but its type (promise 6)
            broken = type(error).__name__
            failed = ProviderError(f"the client of {vendor(self.llm.profile.provider)} failed unexpectedly ({broken})")
        raise failed  # outside the handlers: no context that holds the client's words

    def _request(self, notes: Mapping[str, Thought], trace: Trace) -> LlmRequest:
        return LlmRequest(
            system=self._system,
            prompt=self._prompt(notes),
            schema=EXTRACT_SCHEMA,
            max_output_tokens=self._output_tokens,
            timeout_s=self.limits.deadline_s,
            on_retry=trace.again_paid,  # a retry costs, too
        )


def _by_alias(notes: Sequence[Thought]) -> Mapping[str, Thought]:
    return {f"S{number}": note for number, note in enumerate(notes, 1)}
