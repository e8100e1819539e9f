"""What a retrieval leaves in a log.

Law: ten figures and no more (spec inner_voice.retrieve, Logging Strategy); ids with their tables, and the window with
its counts, where they were asked for. A member that is not named here is in no log.

Source: spec inner_voice.retrieve, Logging Strategy; spec nlq, Logging & Metrics; ruling D19.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from voice.core.retrieval.values import RetrieveParams, Selection, Window
from voice.core.text.instants import render_instant

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
        "next": "voice maintain reembed",
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
