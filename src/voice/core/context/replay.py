"""Rebuild a prompt from what is stored, and prove it by its hash.

Law: what was sent is proven by its keyed hash alone; everything else only says why it cannot be, or what differs
(ruling D20). An input that is gone, redacted or changed makes a prompt unprovable, never wrong. A row that was
superseded after the prompt was sent is shown as it stood then, if the part it makes has the hash that was kept.

Source: DESIGN 6 "Receipts"; ruling D20.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import permutations
from typing import Literal

from voice.core.context.build import ContextInputs, ContextPlan, build_context
from voice.core.context.passages import render_disagreements, render_source, with_aliases
from voice.core.context.prompt_record import part_hash, render_repair
from voice.core.context.prompt_templates import PromptTemplate, prompt_hash
from voice.core.errors import InvalidParams
from voice.core.grounding.values import Evidence, RefusalReason
from voice.core.messages import asking as messages
from voice.core.session.values import DialogueExchange, InnerVoiceSession, PromptRecord, RollingSummary
from voice.core.text.instants import is_time_zone
from voice.core.token_estimates import ESTIMATES

Count = Callable[[str], int]
Proof = Literal["proven", "differs", "unprovable", "not_sent"]
"""`not_sent`: the turn ended before anything was sent to a model."""
PROOFS: tuple[Proof, ...] = ("proven", "differs", "unprovable", "not_sent")

_MAX_DIGITS = 18
_LAST_THAT_READ_WORDS = 2
"""The last version of a template whose notes on rows that disagree were made from the words of the rows."""
_WITHOUT_NOTES = re.compile(r"\A(?:<note>[^\n]*</note>\n)++")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What became of one turn's prompt."""

    exchange_id: str
    session_id: str
    index: int
    timestamp: datetime
    is_private: bool
    proof: Proof
    findings: tuple[str, ...] = ()
    """What differs, or why nothing can be proven, in words for a person."""
    summary_revision: int | None = None
    """Which revision of the session's summary it showed; None: none."""
    system: str | None = field(default=None, repr=False)
    prompt: str | None = field(default=None, repr=False)
    """The rebuilt texts, where they could be rebuilt: the person's own data, for `--show` alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayInputs:
    """What is left today of the inputs of a prompt."""

    session: InnerVoiceSession
    rows: Mapping[str, Evidence] = field(repr=False)
    """By row id, dated in the zone of the prompt."""
    redacted: frozenset[str]
    window: Mapping[str, DialogueExchange] = field(repr=False)
    fallen: Mapping[str, str]
    """The turns it repeated, in its window or its summary, that rest on a row that is gone since; each with what became
    of that, in a word: `redacted`, `removed`."""
    summary: RollingSummary | None = field(repr=False)
    """The one that was shown, with the lines that were; None where none was, or where it cannot be made again."""
    templates: tuple[PromptTemplate, ...] = field(repr=False)


def replay(
    exchange: DialogueExchange, remains: ReplayInputs, *, key: bytes, tokenizer: Callable[[str], Count | None]
) -> Replay:
    """Return whether the prompt of `exchange` can be rebuilt, and whether it is the one that was sent.

    Args:
        remains: what is left of its prompt's inputs.
        key: the store's 32 bytes.
        tokenizer: what counts by a vocabulary of this name, where that is on this machine; a prompt that was fitted by
            a version of the estimate is fitted by that again.
    """
    record = exchange.prompt
    if record is None or (exchange.reason is RefusalReason.BUDGET and not exchange.attempts):
        return _told(exchange, "not_sent")
    missing = tuple(_missing(record, remains))
    if missing:
        return _told(exchange, "unprovable", missing)
    edited = tuple(_edited(record, remains))
    if edited:
        return _told(exchange, "differs", edited)
    fitted_by = dict(record.rendering).get("estimate", "")
    count = ESTIMATES.get(fitted_by) or tokenizer(fitted_by)
    if count is None:
        return _told(exchange, "unprovable", (messages.TOKENIZER_MISSING,))
    return _compared(exchange, record, remains, key, count)


def _told(exchange: DialogueExchange, proof: Proof, findings: tuple[str, ...] = ()) -> Replay:
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
    """Yield what is no longer there, or was never kept."""
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
        yield _moved_on(record)


def _moved_on(record: PromptRecord) -> str:
    if "summary_by" in dict(record.rendering):
        return messages.model_summary_moved_on(record.summary_revision)
    return messages.SUMMARY_MOVED_ON


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
    """Yield the prompt files that are there and say something else than then."""
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
    """Return a number that shaped a prompt; 0 where none was kept, or something else came in from elsewhere."""
    said = dict(record.rendering).get(name, "")
    return int(said) if said.isdecimal() and len(said) <= _MAX_DIGITS else 0


def _compared(
    exchange: DialogueExchange,
    record: PromptRecord,
    remains: ReplayInputs,
    key: bytes,
    count: Callable[[str], int],
) -> Replay:
    template = _template(record.template, remains)
    assert template is not None, "it was found a moment ago"
    rows = [remains.rows[row_id] for row_id, _ in record.evidence]
    rows = _all_as_then(with_aliases(rows), record, template, key)
    try:
        plan = _rebuilt(exchange, record, remains, template, rows, count)
    except InvalidParams:
        return _told(exchange, "differs", (messages.NO_LONGER_FITS,))
    prompts = (_sent(each, record, remains) for each in (plan, *_with_notes_of_then(plan, template)))
    proven = next((each for each in prompts if prompt_hash(key, plan.system, each) == record.prompt_hash), None)
    prompt = proven if proven is not None else _sent(plan, record, remains)
    proof, findings = _difference(record, plan, key) if proven is None else ("proven", ())
    return replace(_told(exchange, proof, findings), system=plan.system, prompt=prompt)


def _with_notes_of_then(plan: ContextPlan, template: PromptTemplate) -> Iterator[ContextPlan]:
    """Yield the prompt with each note on rows that disagree that an earlier program may have put into it.

    Which rows disagree was once read from their words; the hash that was kept says whether a note was there.
    """
    shown = "".join(render_source(template, row) for row in plan.evidence)
    if not template.has("disagreement") or template.version > _LAST_THAT_READ_WORDS or plan.prompt.count(shown) != 1:
        return
    before, rest = plan.prompt.split(shown)
    after = _WITHOUT_NOTES.sub("", rest, count=1)
    by_day = sorted(plan.evidence, key=lambda row: row.created_at)
    for pairs in ((), *((pair,) for pair in permutations(by_day, 2) if pair[0].created_at <= pair[1].created_at)):
        notes = render_disagreements(template, pairs)
        yield replace(plan, prompt=f"{before}{shown}{notes}{after}")


def _all_as_then(
    rows: Sequence[Evidence], record: PromptRecord, template: PromptTemplate, key: bytes
) -> list[Evidence]:
    """Return rows, each with the standing under which its part has the hash that was kept; as it stands if none has."""
    kept = dict(record.parts)
    found: list[Evidence] = []
    for row in rows:
        before = found[-1] if found else None
        standings = (row, replace(row, superseded_by=None), replace(row, superseded_by=None, valid_until=None))
        texts = ((each, render_source(template, each, before)) for each in standings)
        then = (each for each, text in texts if part_hash(key, row.alias, text) == kept.get(row.alias))
        found.append(next(then, row))
    return found


def _rebuilt(
    exchange: DialogueExchange,
    record: PromptRecord,
    remains: ReplayInputs,
    template: PromptTemplate,
    rows: Sequence[Evidence],
    count: Callable[[str], int],
) -> ContextPlan:
    """Return the plan of the prompt, of what it showed and nothing else."""
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
            quarantine=False,
        ),
        template=template,
        budget=figure_of(record, "budget"),
        count=count,
    )


def _sent(plan: ContextPlan, record: PromptRecord, remains: ReplayInputs) -> str:
    """Return what was sent last: the prompt, or the repair that was made of it."""
    rendering = dict(record.rendering)
    repair = _template(rendering.get("repair", ""), remains)
    return plan.prompt if repair is None else render_repair(repair, plan.prompt, rendering.get("repair_fault", ""))


def _difference(record: PromptRecord, plan: ContextPlan, key: bytes) -> tuple[Proof, tuple[str, ...]]:
    """Return what is to be said of a prompt that was rebuilt and is not the one that was sent."""
    kept = dict(record.parts)
    if not kept:
        return "unprovable", (messages.PARTS_NOT_KEPT,)
    now = {name: part_hash(key, name, text) for name, text in plan.parts}
    differing = [name for name in {**kept, **now} if kept.get(name) != now.get(name)]
    if len(differing) == len(kept) == len(now):
        return "unprovable", (messages.KEY_DIFFERS,)
    rows = {f"S{place}": row_id for place, (row_id, _) in enumerate(record.evidence, start=1)}
    told = tuple(_in_words(name, rows) for name in differing)
    return "differs", told or (messages.PARTS_ORDER,)


def _in_words(part: str, rows: Mapping[str, str]) -> str:
    said = {
        "system": messages.THE_INSTRUCTIONS,
        "summary": messages.THE_SUMMARY,
        "recent": messages.THE_TURNS_BEFORE,
        "question": messages.THE_QUESTION,
    }
    return said.get(part) or messages.row_shown_differently(rows.get(part, part))
