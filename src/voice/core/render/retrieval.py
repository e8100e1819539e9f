"""The selection of a retrieval as JSON: plain, explained, and as a log line.

Law: the plain form has S0's members and no others (ruling A9); the explain form is a superset of it. What a member is
and which may be left out, the published schemas say (`retrieve.schema.json`, `retrieve-explain.schema.json`). A log has
ten figures, and where asked for, ids with their tables and the window with its counts.
Source: spec inner_voice.retrieve, Output Schema, Logging Strategy; spec nlq, Logging & Metrics; rulings A9, A16, C13,
D19.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from voice.core.context.prompt_evidence import instruction_in
from voice.core.graph.row_display import Confidence
from voice.core.retrieval.values import Diagnostics, Dropped, Reranked, RetrieveParams, Selection, Snippet, Window
from voice.core.text.instants import has_date, render_if_dated, render_instant

SCORE_PLACES = 6  # of scores


def render_retrieve(selection: Selection) -> dict[str, Any]:
    """Return S0's answer (schema: `retrieve.schema.json`)."""
    return {
        "snippets": [_snippet(snippet) for snippet in selection.snippets],
        "diagnostics": _diagnostics(selection.diagnostics),
    }


def render_explain(selection: Selection) -> dict[str, Any]:
    """Return the answer with the account of the choice (schema: `retrieve-explain.schema.json`)."""
    return {
        "snippets": [_explained_snippet(snippet) for snippet in selection.snippets],
        "diagnostics": _explained_diagnostics(selection.diagnostics),
        "dropped": [_dropped(dropped) for dropped in selection.dropped],
    }


def _snippet(snippet: Snippet) -> dict[str, object]:
    undated = {} if has_date(snippet.created_at) else {"entered_at": render_instant(snippet.entered_at)}
    return {
        "id": snippet.id,
        "table": snippet.table.value,
        "source_type": snippet.source_type,
        "origin": snippet.origin.value,
        "trust_tier": snippet.trust_tier.value,
        "created_at": render_if_dated(snippet.created_at),  # null where nobody said (ruling I2)
        **undated,
        "text": snippet.text,
        "score": round(snippet.score, SCORE_PLACES),
        "content_hash": snippet.content_hash,
        "span_start": snippet.span_start,
        "span_end": snippet.span_end,
    }


def _diagnostics(diagnostics: Diagnostics) -> dict[str, object]:
    form: dict[str, object] = {
        "provider": diagnostics.provider,
        "model": diagnostics.model,
        "dim": diagnostics.dim,
        "k_req": diagnostics.k_req,
        "k_ret": diagnostics.k_ret,
        "kg_candidates": diagnostics.kg_candidates,
        "thought_candidates": diagnostics.thought_candidates,
        "floor_used": round(diagnostics.floor_used, SCORE_PLACES),
        "latency_ms": diagnostics.latency_ms,
    }
    if diagnostics.reason is not None:  # members of S0 that are there only then
        form["no_results"] = diagnostics.no_results
        form["reason"] = diagnostics.reason
    return form


def _explained_snippet(snippet: Snippet) -> dict[str, object]:
    return {
        **_snippet(snippet),
        "rank_score": round(snippet.rank_score, SCORE_PLACES),
        "cosine": None if snippet.cosine is None else round(snippet.cosine, SCORE_PLACES),
        "lexical": round(snippet.lexical, SCORE_PLACES),
        "also_in": list(snippet.also_in),
        "boosts": [{"name": name, "value": round(value, SCORE_PLACES)} for name, value in snippet.boosts],
        "confidence": None if snippet.confidence is None else render_confidence(snippet.confidence),
        "instruction": instruction_in(snippet.text, snippet.speaker, snippet.thread, path=snippet.context_path),
        "context_path": list(snippet.context_path),
        "speaker": snippet.speaker,
        "thread": snippet.thread,
    }


def render_confidence(confidence: Confidence) -> dict[str, float]:
    """Return how sure a row was and is."""
    return {"recorded": confidence.recorded, "now": round(confidence.now, SCORE_PLACES)}


def _explained_diagnostics(diagnostics: Diagnostics) -> dict[str, object]:
    form: dict[str, object] = {
        **_diagnostics(diagnostics),
        "retrieval_provider": diagnostics.retrieval_provider,
        "floor_kg": round(diagnostics.floor_kg, SCORE_PLACES),
        "floor_thoughts": round(diagnostics.floor_thoughts, SCORE_PLACES),
        "kg_slots": diagnostics.kg_slots,
        "thought_slots": diagnostics.thought_slots,
        "backfilled": diagnostics.backfilled,
        "excluded_other_model": diagnostics.excluded_other_model,
        "candidate_limit": diagnostics.candidate_limit,
        "searched": [
            {"table": table.value, "admitted": admitted, "matched": diagnostics.matched.get(table, 0)}
            for table, admitted in sorted(diagnostics.admitted.items())
        ],
        "time": render_time(diagnostics.when, diagnostics.window),
        "when_unparsed": diagnostics.when_unparsed,
        "partial": diagnostics.partial,  # time was up
        "warnings": list(diagnostics.warnings),
    }
    if diagnostics.reranked is not None:
        form["reranked"] = render_reranked(diagnostics.reranked)
    return form


def render_reranked(reranked: Reranked) -> dict[str, object]:
    """Return what a re-ranker read."""
    return {"name": reranked.name, "version": reranked.version, "rows": reranked.rows}


def render_time(asked: str | None, window: Window) -> dict[str, str | None] | None:
    """Return a time that was asked for and what it was understood as; None where none was."""
    if asked is None and window == Window():  # no time in words and no window
        return None
    start, end = (None if moment is None else render_instant(moment) for moment in (window.start, window.end))
    return {"asked": asked, "from": start, "to": end}


def _dropped(dropped: Dropped) -> dict[str, object]:
    form: dict[str, object] = {"id": dropped.id, "reason": dropped.reason, "score": round(dropped.score, SCORE_PLACES)}
    if dropped.of is not None:
        form["of"] = dropped.of
    return form


MISSING_EVENT: Final = "without_vector"
WINDOW_EVENT: Final = "window"


def retrieval_figures(selection: Selection, *, floor: float) -> Mapping[str, str | int | float]:
    """Return the figures of a retrieval that was asked for with `floor`."""
    facts = selection.diagnostics
    return {
        "provider": facts.provider,
        "model": facts.model,
        "dim": facts.dim,
        "k_req": facts.k_req,
        "floor": floor,
        "floor_used": facts.floor_used,
        "kg_candidates": facts.kg_candidates,
        "thought_candidates": facts.thought_candidates,
        "k_ret": facts.k_ret,
        "latency_ms": facts.latency_ms,
    }


def retrieved_rows(selection: Selection) -> Mapping[str, Sequence[str]]:
    """Return the rows of a retrieval by id and table."""
    return {
        "ids": [snippet.id for snippet in selection.snippets],
        "tables": [snippet.table.value for snippet in selection.snippets],
    }


def missing_vectors(selection: Selection) -> Mapping[str, str | int]:
    """Return what is told of rows that no vector of the present encoder stands for: empty where there are none.

    Source: spec nlq, Log Dimension Mismatches.
    """
    facts = selection.diagnostics
    if not facts.excluded_other_model:
        return {}
    return {
        "rows": facts.excluded_other_model,
        "model": facts.model,
        "dim": facts.dim,
        "next": "voice maintain rebuild vectors",
    }


def window_figures(params: RetrieveParams, selection: Selection) -> Mapping[str, str | int]:
    """Return the window and the counts of a question that names a time or quotes words: empty for any other.

    Source: spec nlq, Logging & Metrics. `regex_filtered` is 0 where the choice was settled without a look at every row.
    """
    facts, window = selection.diagnostics, params.window
    if window == Window() and not params.phrases:
        return {}
    return {
        "window_from": render_instant(window.start) if window.start else "open",
        "window_to": render_instant(window.end) if window.end else "open",
        "limit": facts.k_req,
        "keywords_count": len(params.phrases),
        "candidates_scanned": sum(facts.admitted.values()),
        "regex_filtered": sum(one.reason == "no_phrase" for one in selection.dropped),
        "sim_evaluated": sum(facts.matched.values()),
        "returned": facts.k_ret,
    }
