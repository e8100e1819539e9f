"""Record of a prompt without its text, and the proof of a prompt rebuilt from what is stored.

Law: only the keyed hash proves a prompt; other checks explain why it cannot be proven, or what differs (ruling D20).
The record holds enough to rebuild it and no text (ruling A7), and is of the last prompt sent; there is one repair
(ruling D8), within the same budget (ruling D10). A missing, redacted or changed input makes a prompt unprovable, not
different. Rows superseded later are rendered as they were, by the stored hash of their part.
Source: DESIGN 6 "Receipts"; rulings A7, D8, D10, D20.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import permutations
from typing import Literal

from voice.core.context.build import ContextInputs, ContextPlan, build_context
from voice.core.context.prompt_evidence import render_disagreements, render_source, with_aliases
from voice.core.context.prompt_templates import PromptTemplate, prompt_hash
from voice.core.errors import InvalidParams
from voice.core.grounding.values import Evidence, RefusalReason, Stance
from voice.core.messages import asking as messages
from voice.core.session.values import DialogueExchange, InnerVoiceSession, PromptRecord, PromptView, RollingSummary
from voice.core.text.instants import is_time_zone
from voice.core.text.normalise import keyed_hash
from voice.core.token_estimates import ESTIMATE


def record_prompt(  # noqa: PLR0913 - each names something that shaped the text
    plan: ContextPlan,
    template: PromptTemplate,
    *,
    key: bytes,
    now: datetime,
    timezone: str,
    stance: Stance,
    view: PromptView,
    counted_by: str = ESTIMATE,
) -> PromptRecord:
    """Record a rendered prompt.

    Args:
        key: the store's 32 bytes.
        timezone: of the shown dates.
        view: the visibility under which rows were rendered.
    """
    lines = plan.summary_without if plan.summary_revision is not None else ()
    # Lines are kept as keyed hashes: a rebuilt summary can leave them out, and the record holds no text.
    without = (("summary_without", " ".join(summary_lines_hashes(key, lines))),) if lines else ()
    return PromptRecord(
        prompt_hash=prompt_hash(key, plan.system, plan.prompt),
        template=template.label,
        template_hash=template.template_hash,
        evidence=tuple((row.row_id, row.content_hash) for row in plan.evidence),
        summary_revision=plan.summary_revision,
        summary_through=plan.summary_through,
        window_exchange_ids=plan.exchange_ids,
        now=now,
        timezone=timezone,
        prompt_tokens_estimated=plan.prompt_tokens,
        rendering=(
            ("budget", str(plan.budget)),
            ("estimate", counted_by),
            ("stance", stance.value),
            *plan.summary_made,
            *without,
        ),
        view=view,
        parts=tuple((name, part_hash(key, name, text)) for name, text in plan.parts),
    )


def part_hash(key: bytes, name: str, text: str) -> str:
    """Return the keyed hash of one named part of a prompt."""
    return keyed_hash(key, f"{name}\x00{text}")  # with the name: equal parts must not have equal hashes


def summary_lines_hashes(key: bytes, lines: Iterable[str]) -> tuple[str, ...]:
    """Return the keyed hashes that identify omitted summary lines."""
    return tuple(part_hash(key, "summary line", line) for line in lines)


LONGEST_FAULT = messages.reply_not_json(max(messages.JSON_FAULTS.values(), key=len), 400_000)
"""An upper bound for a fault's length in tokens (`voice.core.grounding.draft`)."""


def repair_reserve(template: PromptTemplate, count: Callable[[str], int]) -> int:
    """Return the maximum tokens a repair adds to a prompt."""
    return count(render_repair(template, "", LONGEST_FAULT))


def render_repair(template: PromptTemplate, prompt: str, fault: str) -> str:
    """Render the repair: the first prompt and the fault of its reply."""
    return template.render("user", {"prompt": prompt, "fault": fault})


def record_repair(
    first: PromptRecord, template: PromptTemplate, *, prompt_hash: str, fault: str, tokens: int
) -> PromptRecord:
    """Extend the record of the first prompt by its repair.

    Args:
        prompt_hash: keyed hash of system text and repair.
        fault: contains no text of the reply.
        tokens: of system and prompt.
    """
    repair = (("repair", template.label), ("repair_hash", template.template_hash), ("repair_fault", fault))
    return replace(
        first, prompt_hash=prompt_hash, prompt_tokens_estimated=tokens, rendering=(*first.rendering, *repair)
    )


Count = Callable[[str], int]
Proof = Literal["proven", "differs", "unprovable", "not_sent"]
"""`not_sent`: the turn ended before a model call."""
PROOFS: tuple[Proof, ...] = ("proven", "differs", "unprovable", "not_sent")

_MAX_DIGITS = 18  # an imported record may hold any text; int() of a million digits takes long
_LAST_THAT_READ_WORDS = 2  # last template version whose conflict notes were derived from the rows' text
_WITHOUT_NOTES = re.compile(r"\A(?:<note>[^\n]*</note>\n)++")  # the notes that today's rules put in


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Result of replaying one turn's prompt."""

    exchange_id: str
    session_id: str
    index: int
    timestamp: datetime
    is_private: bool
    proof: Proof
    findings: tuple[str, ...] = ()
    """What differs, or why it is unprovable, in words."""
    summary_revision: int | None = None
    """Revision of the shown summary; None: none."""
    system: str | None = field(default=None, repr=False)
    prompt: str | None = field(default=None, repr=False)
    """The rebuilt texts, if possible: personal data, for `--show` only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayInputs:
    """What remains of a prompt's inputs."""

    session: InnerVoiceSession
    rows: Mapping[str, Evidence] = field(repr=False)
    """By row id, dated in the prompt's zone."""
    redacted: frozenset[str]
    window: Mapping[str, DialogueExchange] = field(repr=False)
    fallen: Mapping[str, str]
    """Repeated turns that rest on a lost row, with its fate: `redacted`, `removed`."""
    summary: RollingSummary | None = field(repr=False)
    """The shown summary with its lines; None: none, or it cannot be rebuilt."""
    templates: tuple[PromptTemplate, ...] = field(repr=False)


def replay(exchange: DialogueExchange, remains: ReplayInputs, *, key: bytes, count: Count | None) -> Replay:
    """Rebuild the prompt of `exchange` and compare it with the one sent.

    Args:
        key: the store's 32 bytes.
        count: what counted its tokens; None if that is not installed.
    """
    record = exchange.prompt
    # A cap stops a turn when its prompt is already recorded, but before it is sent.
    if record is None or (exchange.reason is RefusalReason.BUDGET and not exchange.attempts):
        return _result(exchange, "not_sent")
    if missing := tuple(_missing(record, remains)):  # unprovable, whatever else differs
        return _result(exchange, "unprovable", missing)
    if edited := tuple(_edited(record, remains)):
        return _result(exchange, "differs", edited)
    if count is None:
        return _result(exchange, "unprovable", (messages.TOKENIZER_MISSING,))
    return _compare(exchange, record, remains, key, count)


def _result(exchange: DialogueExchange, proof: Proof, findings: tuple[str, ...] = ()) -> Replay:
    return Replay(
        exchange_id=exchange.id,
        session_id=exchange.session_id,
        index=exchange.index,
        timestamp=exchange.timestamp,
        is_private=exchange.is_withheld,
        proof=proof,
        findings=findings,
        summary_revision=exchange.prompt.summary_revision if exchange.prompt else None,
    )


def _missing(record: PromptRecord, remains: ReplayInputs) -> Iterator[str]:
    """Yield messages on inputs that are missing or were never stored."""
    if record.now is None:
        yield messages.INSTANT_NOT_KEPT
    if not is_time_zone(record.timezone):
        yield messages.ZONE_UNKNOWN
    if not figure_of(record, "budget"):
        yield messages.BUDGET_NOT_KEPT
    for label in _labels(record):
        if _template(label, remains) is None:
            yield messages.prompt_file_missing(label)
    yield from _missing_rows(record, remains)
    yield from (messages.turn_gone(each) for each in record.window_exchange_ids if each not in remains.window)
    yield from (messages.turn_rests_on(each, fate) for each, fate in sorted(remains.fallen.items()))
    if record.summary_revision is not None and remains.summary is None:
        is_by_model = "summary_by" in dict(record.rendering)
        yield messages.model_summary_moved_on(record.summary_revision) if is_by_model else messages.SUMMARY_MOVED_ON


def _missing_rows(record: PromptRecord, remains: ReplayInputs) -> Iterator[str]:
    for row_id, content_hash in record.evidence:
        row = remains.rows.get(row_id)
        if row_id in remains.redacted:
            yield messages.row_was(row_id, "redacted")
        elif row is None:
            yield messages.row_was(row_id, "removed")
        elif row.content_hash != content_hash:
            yield messages.row_was(row_id, "changed")


def _edited(record: PromptRecord, remains: ReplayInputs) -> Iterator[str]:
    rendering = dict(record.rendering)
    kept = {record.template: record.template_hash, rendering.get("repair", ""): rendering.get("repair_hash", "")}
    for label in _labels(record):
        found = _template(label, remains)
        if found is not None and found.template_hash != kept[label]:
            yield messages.prompt_file_edited(label)


def _labels(record: PromptRecord) -> Iterator[str]:
    yield record.template
    repair = dict(record.rendering).get("repair")
    if repair is not None:
        yield repair


def _template(label: str, remains: ReplayInputs) -> PromptTemplate | None:
    return next((template for template in remains.templates if template.label == label), None)


def figure_of(record: PromptRecord, name: str) -> int:
    """Return a number from the record; 0 if absent or invalid (imported records)."""
    figure = dict(record.rendering).get(name, "")
    return int(figure) if figure.isdecimal() and len(figure) <= _MAX_DIGITS else 0


def _compare(
    exchange: DialogueExchange, record: PromptRecord, remains: ReplayInputs, key: bytes, count: Callable[[str], int]
) -> Replay:
    template = _template(record.template, remains)
    assert template is not None, "it was found a moment ago"  # by `_missing`
    rows = [remains.rows[row_id] for row_id, _ in record.evidence]
    rows = _rows_at_that_time(with_aliases(rows), record, template, key)
    try:
        plan = _rebuild(exchange, record, remains, template, rows, count)
    except InvalidParams:
        return _result(exchange, "differs", (messages.NO_LONGER_FITS,))
    prompts = (_sent_text(each, record, remains) for each in (plan, *_with_earlier_notes(plan, template)))
    proven = next((each for each in prompts if prompt_hash(key, plan.system, each) == record.prompt_hash), None)
    prompt = proven if proven is not None else _sent_text(plan, record, remains)
    proof, findings = _difference(record, plan, key) if proven is None else ("proven", ())
    return replace(_result(exchange, proof, findings), system=plan.system, prompt=prompt)


def _with_earlier_notes(plan: ContextPlan, template: PromptTemplate) -> Iterator[ContextPlan]:
    """Yield the prompt with each conflict note that earlier versions may have put in; only the hash tells which."""
    shown = "".join(render_source(template, row) for row in plan.evidence)
    if not template.has("disagreement") or template.version > _LAST_THAT_READ_WORDS or plan.prompt.count(shown) != 1:
        return
    before, rest = plan.prompt.split(shown)
    after = _WITHOUT_NOTES.sub("", rest, count=1)
    by_day = sorted(plan.evidence, key=lambda row: row.created_at)
    for pairs in ((), *((pair,) for pair in permutations(by_day, 2) if pair[0].created_at <= pair[1].created_at)):
        notes = render_disagreements(template, pairs)
        yield replace(plan, prompt=f"{before}{shown}{notes}{after}")


def _rows_at_that_time(
    rows: Sequence[Evidence], record: PromptRecord, template: PromptTemplate, key: bytes
) -> list[Evidence]:
    """Return the rows in the state whose rendering has the stored hash; unchanged if none has."""
    kept = dict(record.parts)
    found: list[Evidence] = []
    for row in rows:
        before = found[-1] if found else None
        states = (row, replace(row, superseded_by=None), replace(row, superseded_by=None, valid_until=None))
        texts = ((each, render_source(template, each, before)) for each in states)
        matching = (each for each, text in texts if part_hash(key, row.alias, text) == kept.get(row.alias))
        found.append(next(matching, row))
    return found


def _rebuild(
    exchange: DialogueExchange,
    record: PromptRecord,
    remains: ReplayInputs,
    template: PromptTemplate,
    rows: Sequence[Evidence],
    count: Callable[[str], int],
) -> ContextPlan:
    """Rebuild the plan from exactly what the prompt showed."""
    assert record.now is not None, "it was found a moment ago"
    shown = tuple(remains.window[each] for each in record.window_exchange_ids)
    return build_context(
        replace(remains.session, context_window=shown, rolling_summary=remains.summary),
        ContextInputs(
            question=exchange.my_query,
            evidence=tuple(rows),
            now=record.now,
            timezone=record.timezone,
            include_private=True,  # it was shown, by the rules of then
            quarantine=False,  # rows that were left out are not among them
        ),
        template=template,
        budget=figure_of(record, "budget"),
        count=count,
    )


def _sent_text(plan: ContextPlan, record: PromptRecord, remains: ReplayInputs) -> str:
    """Return the last text sent: the prompt or its repair."""
    rendering = dict(record.rendering)
    repair = _template(rendering.get("repair", ""), remains)
    return plan.prompt if repair is None else render_repair(repair, plan.prompt, rendering.get("repair_fault", ""))


def _difference(record: PromptRecord, plan: ContextPlan, key: bytes) -> tuple[Proof, tuple[str, ...]]:
    """Describe how a rebuilt prompt differs from the one sent."""
    kept = dict(record.parts)
    if not kept:
        return "unprovable", (messages.PARTS_NOT_KEPT,)
    now = {name: part_hash(key, name, text) for name, text in plan.parts}
    differing = [name for name in {**kept, **now} if kept.get(name) != now.get(name)]
    # When not one part has its hash, the key is another one: it is never exported with a store.
    if len(differing) == len(kept) == len(now):
        return "unprovable", (messages.KEY_DIFFERS,)
    rows = {f"S{place}": row_id for place, (row_id, _) in enumerate(record.evidence, start=1)}
    findings = tuple(_in_words(name, rows) for name in differing)
    return "differs", findings or (messages.PARTS_ORDER,)  # every part is the same, the whole is not


def _in_words(part: str, rows: Mapping[str, str]) -> str:
    names = {
        "system": messages.THE_INSTRUCTIONS,
        "summary": messages.THE_SUMMARY,
        "recent": messages.THE_TURNS_BEFORE,
        "question": messages.THE_QUESTION,
    }
    return names.get(part) or messages.row_shown_differently(rows.get(part, part))
