"""The selection of a retrieval as JSON: plain, explained, and as a log line.

Law: the plain form has S0's members and no others (ruling A9); the explain form is a superset of it. The members are
spelled out as types, so that leaving one out or adding one is an error before any test runs. A log has ten figures, and
where asked for, ids with their tables and the window with its counts.
Source: spec inner_voice.retrieve, Output Schema, Logging Strategy; spec nlq, Logging & Metrics; rulings A9, A16, C13,
D19.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NotRequired, TypedDict

from voice.core.context.prompt_evidence import instruction_in
from voice.core.graph.row_display import Confidence
from voice.core.retrieval.values import Diagnostics, Dropped, Reranked, RetrieveParams, Selection, Snippet, Window
from voice.core.text.instants import has_date, render_if_dated, render_instant

SCORE_PLACES = 6  # of scores


class _Undated(TypedDict, total=False):  # apart, so that the type checker lets `**` leave it out
    """What stands beside the date that is missing."""

    entered_at: str


class SnippetForm(TypedDict):
    """S0's snippet."""

    id: str
    table: str
    source_type: str
    origin: str
    trust_tier: str
    created_at: str | None
    """When it was told; null where nobody said (ruling I2)."""
    entered_at: NotRequired[str]
    """When it came in, of an undated one."""
    text: str
    score: float
    content_hash: str
    span_start: int
    span_end: int


class DiagnosticsForm(TypedDict):
    """S0's diagnostics; the last two are there when nothing was found."""

    provider: str
    model: str
    dim: int
    k_req: int
    k_ret: int
    kg_candidates: int
    thought_candidates: int
    floor_used: float
    latency_ms: int
    no_results: NotRequired[bool]
    reason: NotRequired[Literal["floor_excluded_all", "no_candidates"]]


class RetrieveForm(TypedDict):
    """S0's answer, exactly."""

    snippets: list[SnippetForm]
    diagnostics: DiagnosticsForm


class BoostForm(TypedDict):
    """What was added to a fused score, and for what."""

    name: str
    value: float


class ConfidenceForm(TypedDict):
    """How sure a row was when it was recorded, and is now."""

    recorded: float
    now: float


class ExplainedSnippetForm(SnippetForm):
    """A snippet with its arms and its doubles."""

    rank_score: float
    cosine: float | None
    lexical: float
    also_in: list[str]
    boosts: list[BoostForm]
    confidence: ConfidenceForm | None
    """How sure its row was and is; null where that does not age."""
    instruction: str | None
    """In what way its text reads like instructions to the model, which keeps it out of prompts; null: it does not."""
    context_path: list[str]
    """Where a statement stands in its note: title, headings, the bullets above it; empty of every other row."""
    speaker: str | None
    thread: str | None


class SearchedForm(TypedDict):
    """How much of a table there was to be found."""

    table: str
    admitted: int
    matched: int


TimeForm = TypedDict("TimeForm", {"asked": str | None, "from": str | None, "to": str | None})  # "from" is a keyword
"""What a time was understood as; an open end is null."""


class RerankedForm(TypedDict):
    """Which re-ranker read how many rows."""

    name: str
    version: str
    rows: int


class ExplainedDiagnosticsForm(DiagnosticsForm):
    """Diagnostics with floors and places per source."""

    retrieval_provider: str
    floor_kg: float
    floor_thoughts: float
    kg_slots: int
    thought_slots: int
    backfilled: int
    excluded_other_model: int
    candidate_limit: int
    searched: list[SearchedForm]
    time: TimeForm | None
    when_unparsed: str | None
    partial: bool
    reranked: NotRequired[RerankedForm]
    """What was read together with the question, where that was asked for."""
    warnings: list[str]


class DroppedForm(TypedDict):
    """What was left out, and why; `of` names the row kept instead of a duplicate."""

    id: str
    reason: str
    score: float
    of: NotRequired[str]


class ExplainForm(TypedDict):
    """The answer with the account of the choice."""

    snippets: list[ExplainedSnippetForm]
    diagnostics: ExplainedDiagnosticsForm
    dropped: list[DroppedForm]


def render_retrieve(selection: Selection) -> RetrieveForm:
    """Return S0's answer (schema: `retrieve.schema.json`)."""
    return {
        "snippets": [_snippet(snippet) for snippet in selection.snippets],
        "diagnostics": _diagnostics(selection.diagnostics),
    }


def render_explain(selection: Selection) -> ExplainForm:
    """Return the answer with the account of the choice (schema: `retrieve-explain.schema.json`)."""
    return {
        "snippets": [_explained_snippet(snippet) for snippet in selection.snippets],
        "diagnostics": _explained_diagnostics(selection.diagnostics),
        "dropped": [_dropped(dropped) for dropped in selection.dropped],
    }


def _snippet(snippet: Snippet) -> SnippetForm:
    undated: _Undated = {} if has_date(snippet.created_at) else {"entered_at": render_instant(snippet.entered_at)}
    return {
        "id": snippet.id,
        "table": snippet.table.value,
        "source_type": snippet.source_type,
        "origin": snippet.origin.value,
        "trust_tier": snippet.trust_tier.value,
        "created_at": render_if_dated(snippet.created_at),
        **undated,
        "text": snippet.text,
        "score": round(snippet.score, SCORE_PLACES),
        "content_hash": snippet.content_hash,
        "span_start": snippet.span_start,
        "span_end": snippet.span_end,
    }


def _diagnostics(diagnostics: Diagnostics) -> DiagnosticsForm:
    form: DiagnosticsForm = {
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


def _explained_snippet(snippet: Snippet) -> ExplainedSnippetForm:
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


def render_confidence(confidence: Confidence) -> ConfidenceForm:
    """Return how sure a row was and is."""
    return {"recorded": confidence.recorded, "now": round(confidence.now, SCORE_PLACES)}


def _explained_diagnostics(diagnostics: Diagnostics) -> ExplainedDiagnosticsForm:
    form: ExplainedDiagnosticsForm = {
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


def render_reranked(reranked: Reranked) -> RerankedForm:
    """Return what a re-ranker read."""
    return {"name": reranked.name, "version": reranked.version, "rows": reranked.rows}


def render_time(asked: str | None, window: Window) -> TimeForm | None:
    """Return a time that was asked for and what it was understood as; None where none was."""
    if asked is None and window == Window():  # no time in words and no window
        return None
    start, end = (None if moment is None else render_instant(moment) for moment in (window.start, window.end))
    return {"asked": asked, "from": start, "to": end}


def _dropped(dropped: Dropped) -> DroppedForm:
    form: DroppedForm = {"id": dropped.id, "reason": dropped.reason, "score": round(dropped.score, SCORE_PLACES)}
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
