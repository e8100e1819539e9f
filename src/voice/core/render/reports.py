"""A report over turns, and the run of an exam, as JSON and as tables of text.

Law: unknown is null and counted, never zero; money is a decimal string, rounded nowhere; every form says which period
it is about and, where turns were reckoned anew, with which prices. What a figure of an exam does not show is said
beside it; its questions' words are shown to who ran it, and kept nowhere.
Source: docs/exam.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from voice.core.exam.results import ANSWERABLE, ExamDiff, ExamQuestion, ExamRun, Kind, KindTally, Outcome
from voice.core.messages import showing as messages
from voice.core.report.values import COVERAGE_BINS, Calls, Period, PriceUsed, Report, ReportRow, dollars
from voice.core.text.display import counted
from voice.core.text.instants import render_instant
from voice.core.usage import PriceTable

# How a table names the calls of each kind, and how a report does.
_KINDS: Mapping[str, str] = {
    "draft": "drafts",
    "repair": "repairs",
    "verifier": "verifiers",
    "summary": "summaries",
    "reach": "reach",
    "reading": "reading",
}
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "cost": (
        "turns",
        "cost_usd",
        "turns_of_unknown_cost",
        "mean_cost_usd",
        *(f"{kind}_{figure}" for kind in _KINDS for figure in ("calls", "cost_usd", "calls_of_unknown_cost")),
    ),
    "tokens": (
        "turns",
        "prompt_tokens",
        "completion_tokens",
        "cached_tokens",
        "cached_share",
        "turns_of_unknown_tokens",
        "estimated_prompt_tokens",
        "estimate_ratio",
        *(f"{kind}_{figure}" for kind in _KINDS for figure in ("calls", "input_tokens", "output_tokens")),
    ),
    "grounding": (
        "turns",
        "answered",
        "refused",
        "errors",
        "refusal_rate",
        "mean_coverage",
        "repairs",
        "repair_rate",
        "median_latency_ms",
        "p95_latency_ms",
    ),
}


def row_json(row: ReportRow) -> Mapping[str, object]:
    """Return one group as JSON values."""
    return {
        "key": row.key,
        "thread_topic": row.topic,
        "turns": row.turns,
        "answered": row.answered,
        "refused": row.refused,
        "errors": row.errors,
        "refusal_rate": _rate(row.refusal_rate),
        "reasons": dict(row.reasons),
        "mean_coverage": _rate(row.mean_coverage),
        "coverage": {"answered": list(row.coverage), "refused": list(row.coverage_refused)},
        "prompt_tokens": row.prompt_tokens,
        "completion_tokens": row.completion_tokens,
        "cached_tokens": row.cached_tokens,
        "cached_share": _rate(row.cached_share),
        "turns_of_unknown_tokens": row.unknown_token_turns,
        "estimated_prompt_tokens": row.estimated_prompt_tokens,
        "estimate_ratio": _rate(row.estimate_ratio),
        "cost_usd": f"{row.cost.known:f}",
        "turns_of_unknown_cost": row.cost.unknown_count,
        "mean_cost_usd": None if row.mean_cost is None else f"{row.mean_cost:z.8f}",  # "z": no "-0.00000000"
        "calls": {kind: _calls_json(calls) for kind, calls in row.calls.items()},
        "median_latency_ms": row.median_latency_ms,
        "p95_latency_ms": row.p95_latency_ms,
        "repairs": row.repairs,
        "repair_rate": _rate(row.repair_rate),
    }


def report_json(report: Report) -> Mapping[str, object]:
    """Return the whole report as JSON values (schema: schemas/cli/report.schema.json)."""
    prices = report.repriced_with
    return {
        "by": report.by,
        "period": _period_json(report.period),
        "repriced_with": None
        if prices is None
        else {"source": prices.source, "as_of": prices.as_of, "file_sha256": prices.digest},
        "rows": [row_json(row) for row in report.rows],
        "total": row_json(report.total),
        "prices": [_price_json(used) for used in report.prices],
        "imported_turns": report.imported,
        "unended": {
            "turns": report.unended,
            "most_cost_usd": f"{report.unended_cost.known:f}",
            "calls_of_unknown_cost": report.unended_cost.unknown_count,
        },
    }


def report_rows(report: Report, what: str) -> list[list[str]]:
    """Return a table of text, header first: all columns, or those of `cost`, `tokens` or `grounding`."""
    chosen = _COLUMNS.get(what, tuple(dict.fromkeys(name for names in _COLUMNS.values() for name in names)))
    has_grounding = what not in ("cost", "tokens")
    reasons = [name for name, _ in report.total.reasons] if has_grounding else []
    about = ("thread_topic",) if report.by == "session" else ()  # the topic in words, beside the session's id
    columns = (*about, *chosen, *(_TENTHS if has_grounding else ()))
    same = _same_in_every_line(report)
    header = [report.by, *columns, *(f"reason_{name}" for name in reasons), *same]  # a line alone says what it is of
    lines: list[list[str]] = []
    for row in (*report.rows, report.total):
        counts = dict(row.reasons)
        lines.append([row.key, *_cells(row, columns), *(str(counts.get(name, 0)) for name in reasons), *same.values()])
    return [header, *lines]


_TENTHS = tuple(  # answered_coverage_0 to refused_coverage_90
    f"{status}_coverage_{tenth * 10}" for status in ("answered", "refused") for tenth in range(COVERAGE_BINS)
)


def _same_in_every_line(report: Report) -> Mapping[str, str]:
    period = _period_json(report.period)
    return {
        "since": str(period["since"] or ""),
        "until": str(period["until"] or ""),
        "prices": messages.AS_STORED if report.repriced_with is None else priced_label(report.repriced_with),
    }


def _cells(row: ReportRow, names: Sequence[str]) -> list[str]:
    calls = {
        f"{kind}_{name}": value
        for kind, named in _KINDS.items()
        for name, value in _calls_json(row.calls[named]).items()
    }
    coverage = dict(zip(_TENTHS, (*row.coverage, *row.coverage_refused), strict=True))
    values = {**row_json(row), **calls, **coverage}
    return ["" if values[name] is None else str(values[name]) for name in names]  # empty, never 0, where unknown


def _calls_json(calls: Calls) -> Mapping[str, object]:
    return {
        "calls": calls.count,
        "input_tokens": calls.input_tokens,
        "output_tokens": calls.output_tokens,
        "calls_of_unknown_tokens": calls.unknown_tokens,
        "cost_usd": f"{calls.cost.known:f}",
        "calls_of_unknown_cost": calls.cost.unknown_count,
    }


def _period_json(period: Period) -> Mapping[str, object]:
    return {
        "since": None if period.start is None else render_instant(period.start),
        "until": None if period.end is None else render_instant(period.end),
        "timezone": period.timezone,
    }


def _price_json(used: PriceUsed) -> Mapping[str, object]:
    price = used.price
    cached = price.cached_input_per_million if price else None
    return {
        "model": used.model,
        "turns": used.turns,
        "source": used.source,
        "first_as_of": used.first_as_of or None,
        "last_as_of": used.last_as_of or None,
        "input_usd_per_million": f"{price.input_per_million:f}" if price else None,
        "cached_input_usd_per_million": None if cached is None else f"{cached:f}",
        "output_usd_per_million": f"{price.output_per_million:f}" if price else None,
    }


def _rate(value: float | None) -> float | None:
    return None if value is None else round(value, 6)  # enough for a share, and alike on every machine


def priced_label(table: PriceTable) -> str:
    """Return what turns were reckoned anew with, in words."""
    return messages.repriced_with(table.source, table.as_of, table.digest)


def render_exam(
    run: ExamRun, questions: Sequence[ExamQuestion], diff: ExamDiff | None, *, passed: bool
) -> dict[str, object]:
    """Return a run as JSON values (schema: schemas/cli/eval.schema.json); `diff` is against the run before, if any."""
    outcomes: dict[str, Outcome] = {mark.question_id: mark.outcome for mark in run.marks}
    return {
        "at": render_instant(run.at),
        "seed": run.seed,
        "rows": run.rows,
        "asked": run.all.asked,
        "right": run.all.right,
        "share_right": round(run.all.share, 4),
        "wrongly_answered": run.all.wrong,
        "needlessly_refused": run.all.needlessly_refused,
        "by_kind": {kind: _tally(kind, tally) for kind, tally in run.by_kind.items()},
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "cost_usd": None if run.cost is None else f"{run.cost:f}",
        "settings": dict(run.settings),
        "last": None if diff is None else _diff(diff),
        "passed": passed,
        "questions": [
            {"id": one.id, "kind": one.kind, "question": one.text, "row_id": one.row_id, "outcome": outcomes[one.id]}
            for one in questions
        ],
        "how_it_was_made": messages.EXAM_MADE,
        "what_it_does_not_show": messages.EXAM_NOT_SHOWN,
    }


def _tally(kind: Kind, tally: KindTally) -> dict[str, object]:
    has_answer = kind in ANSWERABLE
    return {
        "asked": tally.asked,
        "found": tally.right if has_answer else None,  # "right" means another thing by kind
        "rightly_refused": None if has_answer else tally.right,
        "wrongly_answered": tally.wrong,
        "needlessly_refused": tally.needlessly_refused if has_answer else None,
    }


def _diff(diff: ExamDiff) -> dict[str, object]:
    before = diff.before
    return {
        "at": render_instant(before.at),
        "asked": before.all.asked,
        "right": before.all.right,
        "wrongly_answered": before.all.wrong,
        "needlessly_refused": before.all.needlessly_refused,
        "by_kind": {kind: _tally(kind, tally) for kind, tally in before.by_kind.items()},
        "shared": diff.shared,
        "points": diff.points,
        "is_worse": diff.is_worse,
        "better": [{"id": one.question_id, "before": one.before, "after": one.after} for one in diff.better],
        "worse": [{"id": one.question_id, "before": one.before, "after": one.after} for one in diff.worse],
        "settings": {name: {"before": before, "after": after} for name, (before, after) in diff.settings.items()},
    }


def exam_table(run: ExamRun, diff: ExamDiff | None) -> list[tuple[str, ...]]:
    """Return the figures by kind, line by line; beside each by how much it changed on what the last run asked, too."""
    last, these = ((), run.marks) if diff is None else (diff.before.marks, run.marks)
    both = {mark.question_id for mark in last} & {mark.question_id for mark in these}  # questions that both runs asked
    then, now = (
        replace(run, marks=tuple(mark for mark in marks if mark.question_id in both)).by_kind for marks in (last, these)
    )
    rows = ((messages.EXAM_KINDS[kind], *_exam_cells(kind, run.by_kind[kind], then[kind], now[kind])) for kind in then)
    return [("", *messages.EXAM_HEADS), *rows]


def _exam_cells(kind: Kind, whole: KindTally, then: KindTally, now: KindTally) -> tuple[str, ...]:
    has_answer = kind in ANSWERABLE
    right = _changed(whole.right, now.right - then.right)
    refused = _changed(whole.needlessly_refused, now.needlessly_refused - then.needlessly_refused)
    return (
        str(whole.asked),
        right if has_answer else "–",
        "–" if has_answer else right,  # a dash where the kind cannot have it
        _changed(whole.wrong, now.wrong - then.wrong),
        refused if has_answer else "–",
    )


def _changed(now: int, by: int) -> str:
    return f"{now} ({by:+d})" if by else str(now)  # "12 (+3)"


def exam_lines(run: ExamRun) -> Iterator[str]:
    """Yield what a run came to as a whole, and what it cost."""
    every, tokens = run.all, messages.TOKENS_UNKNOWN
    if run.input_tokens is not None and run.output_tokens is not None:
        tokens = messages.tokens_used(run.input_tokens, run.output_tokens)
    yield messages.came_out_right(every.right, counted(every.asked, "question"), every.share)
    yield messages.exam_cost(tokens, dollars(run.cost))


def diff_lines(diff: ExamDiff | None, questions: Sequence[ExamQuestion]) -> Iterator[str]:
    """Yield what changed since the last run, question by question; that this is the first where there is none."""
    if diff is None:
        yield messages.FIRST_RUN
        return
    last_run, asked = render_instant(diff.before.at), len(diff.before.marks)
    last_run += "" if asked == diff.shared else f", {counted(asked, 'question')}"  # the last run had others as well
    if not diff.shared:
        yield messages.other_questions(last_run)
        return
    yield messages.compared_runs(counted(diff.shared, "question"), last_run, len(diff.better), len(diff.worse))
    texts = {one.id: one.text for one in questions}
    for word, changes in ((messages.WORSE, diff.worse), (messages.BETTER, diff.better)):
        for one in changes:
            then, now = messages.EXAM_OUTCOMES[one.before], messages.EXAM_OUTCOMES[one.after]
            yield f"  {word}: {texts[one.question_id]} ({then} → {now})"
    for name, (then, now) in diff.settings.items():
        yield f"  {messages.setting_changed(name, then or messages.UNSET, now or messages.UNSET)}"
