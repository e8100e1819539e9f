"""Build the prompt within its token budget.

Law: `count(system) + count(prompt) <= budget`, always (ruling D10). After fixed parts and output: at most 15 % for the
summary, a third for recent exchanges, the rest for knowledge, pins first with at most a fifth (ruling A17). An item
that does not fit is skipped for the next (ruling D14). Only graph rows are evidence (ruling A2).

Source: spec stateful-design-v2, 3 KG-Only Injection Policy; rulings A2, A17, D4, D6, D8, D10-D14, D22, E, H.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from voice.core.context.prompt_evidence import (
    PINS_SHARE,
    PinnedPart,
    PinnedRows,
    count_truncated_pins,
    neutralise,
    not_pinned,
    pinned_part,
    pins_without,
    quarantined_ids,
    render_disagreements,
    render_source,
    with_neighbours,
    without_rows,
)
from voice.core.context.prompt_templates import PromptTemplate
from voice.core.errors import InvalidParams
from voice.core.grounding.values import Evidence, conflicts_among
from voice.core.messages import asking as messages
from voice.core.session.history import ShownHistory, SkippedPart, SourceStatus, shown_history
from voice.core.session.rolling_summary import SUMMARY_SHARE, summary_rendering
from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary
from voice.core.text.instants import in_zone

RECENT_SHARE = 1 / 3  # S2's share (ruling D10)
RESERVE_SHARE = 0.15
"""Maximum share of the evidence's room that is reserved for a repair."""
Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPlan:
    """A rendered prompt with its budget accounting."""

    system: str = field(repr=False)
    prompt: str = field(repr=False)
    evidence: tuple[Evidence, ...]
    """The rows in the prompt, in order, aliased, dated in the person's zone."""
    exchange_ids: tuple[str, ...]
    summary_revision: int | None
    summary_through: int | None
    """Last exchange folded into the shown summary."""
    sections: tuple[tuple[str, int], ...]
    """(section, tokens): fixed, summary, recent, pins, knowledge; pins are not counted twice."""
    skipped_for_budget: tuple[str, ...]
    """Row ids that did not fit."""
    quarantined: tuple[str, ...] = ()
    """Row ids excluded because they read like instructions to the model (ruling D22)."""
    skipped: tuple[SkippedPart, ...] = ()
    """Omitted parts of the past, with reasons (rulings D16, D22)."""
    summary_without: tuple[str, ...] = field(default=(), repr=False)
    """The summary's omitted lines."""
    summary_made: tuple[tuple[str, str], ...] = ()
    """Record entries needed to rebuild the shown summary."""
    pins_truncated: int
    """Pins not shown in full, for lack of room (ruling A17)."""
    prompt_tokens: int
    budget: int
    """The effective budget: the given one minus the repair reserve."""
    is_private: bool
    """Whether anything private is in it (ruling H)."""
    parts: tuple[tuple[str, str], ...] = field(repr=False)
    """(name, text) per part: `system`, `summary`, `recent`, each alias, `question` (with frame and day)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextInputs:
    """A turn's input to its prompt."""

    question: str = field(repr=False)
    evidence: tuple[Evidence, ...] = field(repr=False)
    """Graph rows, best first; aliases are assigned here (ruling D4)."""
    beside: tuple[Evidence, ...] | None = field(default=None, repr=False)
    """Neighbouring rows, those of the best row first; None: rows are shown alone, in their order."""
    pinned: tuple[PinnedRows, ...] = field(default=(), repr=False)
    """Pinned rows, newest pin first."""
    now: datetime
    timezone: str = "UTC"
    """A valid time zone, for the shown dates."""
    include_private: bool = False
    quarantine: bool = True
    """Whether text that reads like instructions is excluded (ruling D22)."""
    grounds: Mapping[str, SourceStatus] | None = field(default=None, repr=False)
    """State of the rows behind the past (`session.history.rows_behind`); None: checked elsewhere."""
    withheld: frozenset[int] = frozenset()
    """Indexes of withheld folded turns (`session.history.shown_history`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    summary: str = ""
    recent: str = ""
    knowledge: str = ""


def prompt_budget(*, max_prompt_tokens: int, context_tokens: int, max_output_tokens: int) -> int:
    """Return the prompt's maximum tokens: the setting, or the model's context minus the output."""
    return max(0, min(max_prompt_tokens, context_tokens - max_output_tokens))


def build_context(
    session: InnerVoiceSession,
    inputs: ContextInputs,
    *,
    template: PromptTemplate,
    budget: int,
    count: Count,
    reserve: int = 0,
) -> ContextPlan:
    """Return the rendered prompt and its plan.

    Args:
        session: with its window, oldest first.
        budget: tokens for system and prompt together (`prompt_budget`).
        reserve: tokens to keep free for a repair; ignored above `RESERVE_SHARE`.

    Raises InvalidParams: the question alone does not fit.
    """
    inputs, kept_out = _without_quarantined(inputs)
    past = _visible_past(session, inputs)
    fill = _Filler(template=template, inputs=inputs, count=count)
    fixed = fill.total(_Parts())
    # Before the reserve, so that a repair never costs a question its answer.
    if fixed > budget:
        raise InvalidParams(messages.question_over_budget(fixed, budget))
    budget -= reserve if reserve <= (budget - fixed) * RESERVE_SHARE else 0
    history = _fit_history(past, fill, rest=budget - fixed)
    sources = _sources(inputs, fill, history, rest=budget - fixed, budget=budget)
    parts = replace(history.parts, knowledge=sources.knowledge)
    return ContextPlan(
        system=fill.system,
        prompt=fill.prompt(parts),
        evidence=sources.shown,
        exchange_ids=tuple(exchange.id for exchange in history.exchanges),
        summary_revision=history.summary.revision if history.summary else None,
        summary_through=history.summary.through_index if history.summary else None,
        sections=_sections(fixed, parts, sources, count),
        skipped_for_budget=sources.skipped,
        quarantined=kept_out,
        skipped=past.skipped,
        summary_without=past.left_out,
        summary_made=tuple(summary_rendering(history.summary)) if history.summary else (),
        pins_truncated=sources.pins_truncated,
        prompt_tokens=fill.total(parts),
        budget=budget,
        is_private=any(each.is_private for each in (*sources.shown, *history.exchanges))
        or (history.summary is not None and history.summary.is_private),
        parts=_named_parts(parts, fill, sources.shown),
    )


def _visible_past(session: InnerVoiceSession, inputs: ContextInputs) -> ShownHistory:
    return shown_history(
        session,
        inputs.grounds,
        include_private=inputs.include_private,
        quarantine=inputs.quarantine,
        withheld=inputs.withheld,
    )


def _sections(fixed: int, parts: _Parts, sources: "_Sources", count: Count) -> tuple[tuple[str, int], ...]:
    return (
        ("fixed", fixed),
        ("summary", count(parts.summary)),
        ("recent", count(parts.recent)),
        ("pins", sources.pins_tokens),
        ("knowledge", max(0, count(parts.knowledge) - sources.pins_tokens)),
    )


def _without_quarantined(inputs: ContextInputs) -> tuple[ContextInputs, tuple[str, ...]]:
    beside = inputs.beside or ()
    kept_out = quarantined_ids((*inputs.evidence, *beside), inputs.pinned) if inputs.quarantine else ()
    if not kept_out:
        return inputs, ()
    pinned = pins_without(inputs.pinned, kept_out)
    beside = None if inputs.beside is None else without_rows(beside, kept_out)
    return replace(inputs, evidence=without_rows(inputs.evidence, kept_out), beside=beside, pinned=pinned), kept_out


def _with_before(rows: Sequence[Evidence]) -> Iterable[tuple[Evidence, Evidence | None]]:
    return zip(rows, (None, *rows), strict=False)  # each row with the one shown before it


def _named_parts(parts: _Parts, fill: "_Filler", chosen: Sequence[Evidence]) -> tuple[tuple[str, str], ...]:
    return (
        ("system", fill.system),
        ("summary", parts.summary),
        ("recent", parts.recent),
        *((row.alias, fill.source(row, before)) for row, before in _with_before(chosen)),
        ("question", fill.prompt(_Parts())),  # what is left of the prompt without the other parts
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filler:
    """Renders the template's blocks for one question."""

    template: PromptTemplate
    inputs: ContextInputs
    count: Count
    # Cache of rendered rows by (id, alias, previous alias): each is measured, shown and recorded.
    rendered: dict[tuple[str, str, str], str] = field(default_factory=dict[tuple[str, str, str], str])

    @property
    def system(self) -> str:
        return self.template.render("system", {}).strip()

    def summary(self, text: str) -> str:
        return self.template.render("summary", {"summary": neutralise(text)}) if text else ""

    def recent(self, exchanges: Sequence[DialogueExchange]) -> str:
        rendered = "".join(self.exchange(exchange) for exchange in exchanges)
        return self.template.render("recent", {"exchanges": rendered}) if rendered else ""  # no heading over nothing

    def exchange(self, exchange: DialogueExchange) -> str:
        slots = {"question": neutralise(exchange.my_query), "answer": neutralise(exchange.answer)}
        return self.template.render("exchange", slots)

    def knowledge(self, rows: Sequence[Evidence]) -> str:
        shown = "".join(self.source(row, before) for row, before in _with_before(rows))
        return self.template.render("knowledge", {"sources": shown + self.disagreements(rows)})

    def disagreements(self, rows: Sequence[Evidence]) -> str:
        """Return a line for each pair of rows of which one supersedes the other."""
        pairs = ((found.earlier, found.later) for found in conflicts_among(rows, self.inputs.now))
        return render_disagreements(self.template, pairs)

    def source(self, row: Evidence, before: Evidence | None = None) -> str:
        key = (row.row_id, row.alias, before.alias if before else "")
        if key not in self.rendered:
            self.rendered[key] = render_source(self.template, row, before)
        return self.rendered[key]

    def cost(self, row: Evidence) -> int:
        return self.count(self.source(row))

    def prompt(self, parts: _Parts) -> str:
        slots = {
            "summary_section": parts.summary,
            "recent_section": parts.recent,
            "knowledge_section": parts.knowledge or self.knowledge(()),  # its heading stays, with no source under it
            "question": neutralise(self.inputs.question),
            "today": f"{in_zone(self.inputs.now, self.inputs.timezone):%A, %d %B %Y}",
        }
        return self.template.render("user", slots)

    def total(self, parts: _Parts) -> int:
        return self.count(self.system) + self.count(self.prompt(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _FittedHistory:
    """The part of the past that is shown, within its caps."""

    summary: RollingSummary | None
    exchanges: tuple[DialogueExchange, ...]
    parts: _Parts  # without knowledge


def _fit_history(past: ShownHistory, fill: _Filler, *, rest: int) -> _FittedHistory:
    text = _summary(past.summary, fill, int(rest * SUMMARY_SHARE))
    exchanges = _recent(past.exchanges, fill, int(rest * RECENT_SHARE))
    parts = _Parts(summary=text, recent=fill.recent(exchanges))
    return _FittedHistory(summary=past.summary if text else None, exchanges=exchanges, parts=parts)


def _summary(summary: RollingSummary | None, fill: _Filler, cap: int) -> str:
    """Return the newest lines that fit, by bisection: fewer lines never take more tokens."""
    lines = [] if summary is None else summary.text.split("\n")

    def fits(left_out: int) -> bool:
        return fill.count(fill.summary("\n".join(lines[left_out:]))) <= cap

    left_out = 0 if fits(0) else bisect_left(range(len(lines)), x=True, lo=1, key=fits)  # usually all of them fit
    return fill.summary("\n".join(lines[left_out:]))


def _recent(exchanges: Sequence[DialogueExchange], fill: _Filler, cap: int) -> tuple[DialogueExchange, ...]:
    shown: list[DialogueExchange] = []
    for exchange in reversed(exchanges):  # the newest first; one that does not fit is skipped (ruling D14)
        if fill.count(fill.recent([exchange, *shown])) <= cap:
            shown.insert(0, exchange)  # but emitted oldest first (ruling D11)
    return tuple(shown)


def _in_local_time(rows: Sequence[Evidence], zone: str) -> list[Evidence]:
    """Convert the rows' dates to the person's zone, for display and judgement alike (ruling E)."""
    return [
        replace(
            row,
            created_at=in_zone(row.created_at, zone),
            valid_until=in_zone(row.valid_until, zone) if row.valid_until else None,
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sources:
    """The shown rows, the ones that did not fit, and the pins' part."""

    shown: tuple[Evidence, ...]
    knowledge: str
    skipped: tuple[str, ...]
    pins_tokens: int
    pins_truncated: int


def _sources(inputs: ContextInputs, fill: _Filler, history: _FittedHistory, *, rest: int, budget: int) -> _Sources:
    """Choose pins under their cap, then hits, then neighbours, within `budget`."""
    dated = _in_local_time(inputs.evidence, inputs.timezone)
    pins = [tuple(_in_local_time(pin, inputs.timezone)) for pin in inputs.pinned]
    pinned = pinned_part(pins, dated, fill.cost, int(rest * PINS_SHARE))
    room = rest - fill.count(history.parts.summary) - fill.count(history.parts.recent)
    chosen, skipped = _knowledge(pinned, not_pinned(dated, pinned), fill, room)
    found = {row.row_id for row in chosen}  # before neighbours join them
    if inputs.beside is not None:
        beside = _in_local_time(inputs.beside, inputs.timezone)
        chosen = with_neighbours(chosen, beside, pins=len(pinned.rows), cost=fill.cost, room=room)
    knowledge = fill.knowledge(chosen)
    # Joined, parts may count more than alone.
    while chosen and fill.total(replace(history.parts, knowledge=knowledge)) > budget:
        # A neighbour was not found for the question, so its lack is not reported.
        skipped = (*((chosen[-1].row_id,) if chosen[-1].row_id in found else ()), *skipped)
        chosen = chosen[:-1]
        knowledge = fill.knowledge(chosen)
    return _Sources(
        shown=chosen,
        knowledge=knowledge,
        skipped=skipped,
        pins_tokens=pinned.tokens,
        pins_truncated=count_truncated_pins(pins, chosen),
    )


def _knowledge(
    pinned: PinnedPart, evidence: Sequence[Evidence], fill: _Filler, room: int
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    chosen = list(pinned.rows)
    skipped = list(pinned.skipped)
    used = pinned.tokens
    for row in evidence:
        aliased = replace(row, alias=f"S{len(chosen) + 1}")  # the alias counts as well
        cost = fill.cost(aliased)
        if used + cost <= room:
            chosen.append(aliased)
            used += cost
        else:
            skipped.append(row.row_id)
    return tuple(chosen), tuple(skipped)
