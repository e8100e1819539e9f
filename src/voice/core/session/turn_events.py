"""Events of a turn while it is asked and answered.

Law: no event holds a word of a draft before the verdict on the whole of it (ruling D9): until then there are counts,
ids and times alone. What is shown of an answer is read from the turn as it is stored, so nothing is shown that is not
kept (promise 3). Every door tells the same events.

The order is fixed: understood, retrieved, then for each time the model is asked: asked, drafting as often as its reply
has grown; calibrating, where a verifier is new; judged; then the sentences of the answer, or the refusal; done. What
did not happen is left out: a question that nothing answers is refused without asking, a turn that is answered from an
earlier one begins with its sentences.

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
    """The question was read."""

    terms: tuple[str, ...] = field(repr=False)
    """Its content words."""
    phrases: tuple[str, ...] = field(default=(), repr=False)
    """What it quotes."""
    entity_ids: tuple[str, ...] = ()
    time: str | None = field(default=None, repr=False)
    """The time it asks about, and how that was understood; None: any time."""
    start: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Evidence was looked for."""

    ids: tuple[str, ...]
    """The rows that were found, best first."""
    shown: tuple[str, ...]
    """The rows that a model would be shown, in the order of the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The model is asked now."""

    provider: str
    model: str
    prompt_tokens: int
    """As they are estimated."""
    attempt: int = 1
    """Further ones are tries again, or the one repair of a reply that had the wrong shape (ruling D8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """The model's reply has grown; what it says is not told."""

    tokens: int
    """So far, as they are estimated."""
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrating:
    """The verifier is new: before it is asked, it is tried on claims whose truth is known, once."""

    verifier: str
    """Its name, model and prompt."""
    calls: int
    expected_cost: Decimal | None
    """Of all calls, in US dollars; None = not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The verdict on the whole draft is there."""

    refused: bool
    reason: RefusalReason | None = None
    coverage_ratio: float = 0.0
    source_count: int = 0
    rungs: tuple[Rung, ...] = ()
    """Of its sentences that are shown, in order; of a refused draft, of all."""
    sentences_cut: int = 0
    """How many were left out because they are not proven."""
    stopped: bool = False
    """The call was ended early: its sources alone had decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of an accepted answer, as it is stored."""

    index: int
    """From 0."""
    judged: SentenceVerdict = field(repr=False)
    spans: tuple[SourceCitation, ...] = field(repr=False)
    """What it rests on, cut from the sources."""

    @property
    def text(self) -> str:
        """The sentence, word for word as in the answer, without the mark that it may need."""
        return self.judged.text

    @property
    def shown(self) -> str:
        """The sentence as it is shown: with its mark, where it is not proven."""
        return marked(self.judged.text, self.judged.rung)

    @property
    def rung(self) -> Rung:
        """The rung of the ladder of proof that it reached."""
        return self.judged.rung


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """There is no answer; a refusal, a cap, a provider that failed."""

    reason: RefusalReason | None
    """None: a turn that was kept before reasons were."""
    message: str
    notes: str | None = field(repr=False)
    """What was missing, and what can be done about it."""
    evidence: tuple[SourceCitation, ...] = field(repr=False)
    """What there was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The turn is kept; the last event."""

    exchange: DialogueExchange = field(repr=False)

    @property
    def usage(self) -> Usage:
        """The tokens that were reported; None = not known."""
        kept = self.exchange
        return Usage(
            input_tokens=kept.prompt_tokens,
            output_tokens=kept.completion_tokens,
            cached_input_tokens=kept.cached_tokens,
        )

    @property
    def cost(self) -> Decimal | None:
        """What it cost in US dollars; None = not known."""
        return self.exchange.cost_estimate

    @property
    def reckoned(self) -> Usage | None:
        """Our own estimate of what it used, where a call was ended before that was reported; None: not needed."""
        attempts = self.exchange.attempts
        if all(attempt.reckoned is None for attempt in attempts):
            return None
        return sum((attempt.reckoned or attempt.usage for attempt in attempts), NO_USAGE)

    @property
    def reckoned_cost(self) -> Decimal | None:
        """What that estimate comes to in US dollars; None = not known, or not needed."""
        return None if self.reckoned is None else cost_of(self.reckoned, self.exchange.price)


Event = Understood | Retrieved | Asked | Drafting | Calibrating | Judged | Sentence | Refused | Done
EventListener = Callable[[Event], None]
"""Is told of each event as it happens; it returns at once and raises nothing."""


def ignore_event(_: Event) -> None:
    """Tell nobody."""


def judged_event(response: GroundedResponse, *, stopped: bool = False) -> Judged:
    """Return the verdict on a draft, without a word of it.

    Args:
        stopped: whether the sources alone had decided.
    """
    return Judged(
        refused=response.refused,
        reason=response.reason,
        coverage_ratio=response.coverage_ratio,
        source_count=response.source_count,
        rungs=tuple(sentence.rung for sentence in response.sentences),
        sentences_cut=len(response.cut),
        stopped=stopped,
    )


def events_of(exchange: DialogueExchange) -> tuple[Event, ...]:
    """Return how a kept turn ends: its sentences or its refusal, and that it is done."""
    if exchange.refused:
        return _refused(exchange), Done(exchange=exchange)
    exchange = with_marks(exchange)
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


def _refused(exchange: DialogueExchange) -> Refused:
    return Refused(
        reason=exchange.reason, message=exchange.answer, notes=exchange.notes, evidence=exchange.evidence_found
    )
