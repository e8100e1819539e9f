"""What a retrieval leaves in a log.

Law: ten figures and no more (spec inner_voice.retrieve, Logging Strategy); ids with their tables where they were asked
for. A member that is not named here is in no log.

Source: spec inner_voice.retrieve, Logging Strategy; ruling D19.
"""

from collections.abc import Mapping, Sequence

from voice.core.retrieval.values import Selection


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
