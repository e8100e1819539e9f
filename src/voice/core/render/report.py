"""A report as rows and as JSON.

Law: unknown is null and counted, never zero; money is a decimal string.
"""

from collections.abc import Mapping

from voice.core.report import Report, ReportRow

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "cost": ("turns", "cost_usd", "turns_of_unknown_cost"),
    "tokens": ("turns", "prompt_tokens", "completion_tokens", "cached_tokens", "turns_of_unknown_tokens"),
    "grounding": ("turns", "answered", "refused", "errors", "mean_coverage", "repairs"),
}


def row_json(row: ReportRow) -> Mapping[str, object]:
    """Return one group as JSON values."""
    return {
        "key": row.key,
        "turns": row.turns,
        "answered": row.answered,
        "refused": row.refused,
        "errors": row.errors,
        "refusal_rate": round(row.refused / row.turns, 6) if row.turns else None,
        "reasons": dict(row.reasons),
        "mean_coverage": None if row.mean_coverage is None else round(row.mean_coverage, 6),
        "prompt_tokens": row.prompt_tokens,
        "completion_tokens": row.completion_tokens,
        "cached_tokens": row.cached_tokens,
        "turns_of_unknown_tokens": row.unknown_token_turns,
        "estimated_prompt_tokens": row.estimated_prompt_tokens,
        "cost_usd": f"{row.cost.known:f}",
        "turns_of_unknown_cost": row.cost.unknown_count,
        "median_latency_ms": row.median_latency_ms,
        "repairs": row.repairs,
    }


def report_json(report: Report) -> Mapping[str, object]:
    """Return the whole report as JSON values (schema: schemas/cli/report.schema.json)."""
    return {"by": report.by, "rows": [row_json(row) for row in report.rows], "total": row_json(report.total)}


def report_rows(report: Report, what: str) -> list[list[str]]:
    """Return a table of text, header first: all columns, or those of `cost`, `tokens` or `grounding`."""
    chosen = _COLUMNS.get(what, tuple(dict.fromkeys(name for names in _COLUMNS.values() for name in names)))
    header = [report.by, *chosen]
    return [header, *([row.key, *_cells(row, chosen)] for row in (*report.rows, report.total))]


def _cells(row: ReportRow, names: tuple[str, ...]) -> list[str]:
    values = row_json(row)
    return ["" if values[name] is None else str(values[name]) for name in names]
