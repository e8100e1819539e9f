"""The language model, whoever serves it, and the store of what its calls cost or can cost.

Law: one request value for all providers; a reply carries the text and what the provider reported, never our own guess.
Retries and deadline are wrappers around a client, not part of one (ruling D25); what a call may cost is seen to by who
makes it, before it is made.

What can be spent is on record before it is, and counts at its worst until what it came to takes its place; so a
process that is killed while somebody is asked has spent what it can have spent (promise 7).

Source: spec stateful-design-v2, 4 Provider Abstraction; rulings D8, D18, D24; DESIGN 7.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from voice.core.answering.answer_layout import Layout
from voice.core.grounding.values import Ending, Evidence, Stance
from voice.core.model_endpoints import RequestPart
from voice.core.session.budgets import AmountSpent, OpenCall
from voice.core.session.values import DialogueExchange
from voice.core.usage import Price, Usage

OnText = Callable[[str], bool]
"""Is told each piece of a reply's text as it comes; returns whether enough was heard. It returns at once and raises
nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmRequest:
    """One call. `system` and `prompt` are what a remote model sees; an offline provider reads the parts they came
    from."""

    system: str = field(repr=False)  # no text in a printed request (promise 6)
    prompt: str = field(repr=False)
    question: str = field(default="", repr=False)  # this and the next two: for a provider without a model
    evidence: tuple[Evidence, ...] = field(default=(), repr=False)
    stance: Stance = Stance.SYNTHESIZE
    schema: Mapping[str, object] = field(repr=False)
    """JSON Schema of the reply (ruling A3)."""
    temperature: float = 0.0
    max_output_tokens: int
    timeout_s: float
    """What is left of the turn's deadline."""
    now: datetime | None = None
    """When it is asked, for a client that reads `evidence`: what has an end may not have ended yet."""
    layout: Layout | None = field(default=None, repr=False)
    """How what answers is to be given, for a client that reads `evidence`; None: as it sees fit."""
    without: frozenset[RequestPart] = frozenset()
    """What of it is left out, because its endpoint was seen to reject that."""
    max_tries: int | None = None
    """How many calls may fail for the provider's sake; None = as many as are worth it."""
    on_retry: Callable[[], Awaitable[None] | None] | None = field(default=None, repr=False, compare=False)
    """Called, and awaited where there is something to await, before every call after the first, so that each one is
    metered (ruling D8), on record and held to the spending caps: where it raises, that call must not be made."""
    on_text: OnText | None = field(default=None, repr=False, compare=False)
    """None: the reply is wanted whole. Otherwise it is asked for piece by piece where the provider can, and each piece
    of its text is told here, in order; a further try begins anew. Where this returns True the call is ended, and the
    reply is what came until then. A reply that comes whole is told once, and there is nothing left to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmReply:
    """What came back."""

    text: str = field(repr=False)
    usage: Usage  # unknown where the provider reported none
    model: str
    finish_reason: str | None = None
    """How it ended, in the provider's own word."""
    ending: Ending = "complete"
    """What that word means (ruling J3)."""
    stopped: bool = False
    """The call was ended because `on_text` had heard enough: `text` is its beginning, and `usage` what the provider had
    reported until then, which may be nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """Facts about a model; a pure table row."""

    provider: str
    model: str
    context_tokens: int  # prompt and reply together
    max_output_tokens: int  # its own limit; a request may ask for less
    remote: bool
    """Whether prompts leave this machine (private rows need their own consent then, ruling H)."""
    price: Price | None
    """None = unknown."""
    untaken: frozenset[RequestPart] = frozenset()
    """What of a request the model is known not to take; it is asked without."""
    writes: bool = True
    """Whether a model writes the reply; without one it is composed of the evidence by rules."""


async def ignore_retry(request: LlmRequest) -> None:
    """Tell whoever meters a request that it is about to be sent again. Raises BudgetExceeded, StoreError."""
    told = request.on_retry() if request.on_retry is not None else None
    if told is not None:  # a plain function leaves nothing to await
        await told


class LlmClient(Protocol):
    """One configured model of one provider."""

    @property
    def profile(self) -> ModelProfile:
        """The model's facts."""
        ...

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the model's reply.

        Raises:
            ProviderUnavailable: worth another try (408, 429, 5xx, cut connection, timeout of one attempt).
            ProviderRejected: trying again cannot help (401, 403, 400, unknown model, prompt too long).
            DeadlineExceeded: the deadline passed.
        No exception, and no exception's cause or context that is printed, holds prompt text, reply text or the key.
        """
        ...

    async def aclose(self) -> None:
        """Release connections; safe to call twice."""
        ...


class TokenCounter(Protocol):
    """Counts tokens for a model; never under-counts (ruling D15). Only an empty text has none. Two texts that meet at a
    line break are counted at no less than what they are together: a budget that holds for the parts of a prompt holds
    for the whole."""

    @property
    def name(self) -> str:
        """What it counts by: a version of the estimate, or a vocabulary; kept with the prompt that it was fitted by."""
        ...

    def count(self, text: str) -> int:  # not async: the pure core calls it
        """Return an upper estimate (or the exact count) of the tokens in `text`."""
        ...


class SpendStore(Protocol):
    """What the turns of this store cost, read in a moment however many they are; what was imported is not in it."""

    # Caps begin at a local midnight, which in every zone is at a quarter of an hour in UTC.
    async def spent_between(self, since: datetime, until: datetime) -> AmountSpent:
        """Return what was spent from `since` to `until`, each by its quarter of an hour, deleted sessions too."""
        ...

    async def spent_in(self, session_id: str) -> AmountSpent:
        """Return what a session's own turns cost; nothing for one that is not there."""
        ...

    async def keep(self, call: DialogueExchange) -> None:
        """Keep the figures of a call that belongs to no turn (`voice.core.session.turn_traces`), and settle them."""
        ...

    async def begin(self, call: OpenCall) -> None:
        """Put what calls can cost on record before they are made; again under the same id, on top of what was there. It
        is in no sum. Keeping the exchange of that id settles it, in the same transaction. Raises StoreError: it is on
        no record, so the calls must not be made; among others where a backup is being restored into the store."""
        ...

    async def settle(self, call_id: str) -> None:
        """Take away what was put on record under that id, if anything: it cost nothing. A restore allows it."""
        ...

    async def open_calls(self) -> list[OpenCall]:
        """Return what was begun and is not settled, by its beginning: under way, or left by a process that ended."""
        ...
