"""Events of a turn while it is asked and answered.

Law: no event contains draft text before the verdict on the whole draft (ruling D9); answers are read from the stored
turn (promise 3). Order: understood, retrieved; per model call asked, drafting…, calibrating, judged; then sentences or
refused; done. Steps that did not happen are left out.
Source: DESIGN 3 "One turn", 8; promises 1-3; rulings D6, D9, D26; docs/streaming.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from voice.core.grounding.answer_text import marked
from voice.core.grounding.values import GroundedResponse, RefusalReason, Rung, SentenceVerdict, SourceCitation
from voice.core.session.exchange import with_marks
from voice.core.session.values import DialogueExchange
from voice.core.usage import NO_USAGE, Usage, cost_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The question was parsed."""

    terms: tuple[str, ...] = field(repr=False)
    phrases: tuple[str, ...] = field(default=(), repr=False)
    entity_ids: tuple[str, ...] = ()
    time: str | None = field(default=None, repr=False)
    """The requested time in words, with its bounds in `start` and `end`; None: any time."""
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Evidence was searched."""

    ids: tuple[str, ...]
    """The rows found, best first."""
    shown: tuple[str, ...]
    """The rows for the prompt, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The model is called now."""

    provider: str
    model: str
    prompt_tokens: int
    """Estimated."""
    attempt: int = 1
    """From 2: a retry, or the repair of a malformed reply (ruling D8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """The model's reply has grown; its text is not disclosed."""

    tokens: int
    """So far, estimated."""
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrating:
    """A new verifier is tested once on claims whose truth is known."""

    verifier: str
    """Its name, model and prompt."""
    calls: int
    expected_cost: Decimal | None
    """All calls, in US dollars; None = unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The verdict on the whole draft."""

    refused: bool
    reason: RefusalReason | None = None
    coverage_ratio: float = 0.0
    source_count: int = 0
    rungs: tuple[Rung, ...] = ()
    """Rungs of the shown sentences, in order; of a refused draft, of all."""
    sentences_cut: int = 0
    """Sentences left out because they are not proven."""
    stopped: bool = False
    """Whether the call was ended early, because its citations had already decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of an accepted answer, as stored."""

    index: int
    """From 0."""
    judged: SentenceVerdict = field(repr=False)
    spans: tuple[SourceCitation, ...] = field(repr=False)
    """Its supporting spans, cut from the sources."""

    @property
    def text(self) -> str:
        """The sentence as in the answer, without its mark."""
        return self.judged.text

    @property
    def shown(self) -> str:
        """The sentence with its mark, if it needs one."""
        return marked(self.judged.text, self.judged.rung)

    @property
    def rung(self) -> Rung:
        """Its rung on the ladder of proof."""
        return self.judged.rung


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """There is no answer: a refusal, a spending cap or a provider failure."""

    reason: RefusalReason | None
    """None: an old turn without a reason."""
    message: str
    notes: str | None = field(repr=False)
    """What was missing, and what to do about it."""
    evidence: tuple[SourceCitation, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The turn is stored; the last event."""

    exchange: DialogueExchange = field(repr=False)

    @property
    def usage(self) -> Usage:
        """Reported tokens; None = unknown."""
        kept = self.exchange
        return Usage(
            input_tokens=kept.prompt_tokens,
            output_tokens=kept.completion_tokens,
            cached_input_tokens=kept.cached_tokens,
        )

    @property
    def cost(self) -> Decimal | None:
        """Cost in US dollars; None = unknown."""
        return self.exchange.cost_estimate

    @property
    def reckoned(self) -> Usage | None:
        """Our estimate of the usage if a call ended before it was reported; None: not needed."""
        attempts = self.exchange.attempts
        if all(attempt.reckoned is None for attempt in attempts):  # no call was stopped
            return None
        return sum((attempt.reckoned or attempt.usage for attempt in attempts), NO_USAGE)  # else what was reported

    @property
    def reckoned_cost(self) -> Decimal | None:
        """Cost of that estimate in US dollars; None = unknown or not needed."""
        return None if self.reckoned is None else cost_of(self.reckoned, self.exchange.price)


Event = Understood | Retrieved | Asked | Drafting | Calibrating | Judged | Sentence | Refused | Done
EventListener = Callable[[Event], None]
"""Called with each event as it happens; must return at once and not raise."""


def ignore_event(_: Event) -> None:
    """Discard an event."""


def judged_event(response: GroundedResponse, *, stopped: bool = False) -> Judged:
    """Return the event for a verdict, without draft text; `stopped`: the citations alone decided."""
    return Judged(
        refused=response.refused,
        reason=response.reason,
        coverage_ratio=response.coverage_ratio,
        source_count=response.source_count,
        rungs=tuple(sentence.rung for sentence in response.sentences),  # kinds of proof, no words
        sentences_cut=len(response.cut),
        stopped=stopped,
    )


def events_of(exchange: DialogueExchange) -> tuple[Event, ...]:
    """Return the final events of a stored turn: its sentences or its refusal, then `Done`."""
    if exchange.refused:
        reason, evidence = exchange.reason, exchange.evidence_found
        refusal = Refused(reason=reason, message=exchange.answer, notes=exchange.notes, evidence=evidence)
        return refusal, Done(exchange=exchange)
    exchange = with_marks(exchange)  # an old turn may lack marks
    cited = {(source.source_id, source.span_start, source.span_end): source for source in exchange.sources}
    sentences = (
        Sentence(
            index=index,
            judged=judged,
            spans=tuple(
                cited[place]
                for place in ((receipt.row_id, receipt.start, receipt.end) for receipt in judged.receipts)
                if place in cited
            ),
        )
        for index, judged in enumerate(exchange.sentences)
    )
    return *sentences, Done(exchange=exchange)
