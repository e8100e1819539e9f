"""A row or a summary as recall shows it.

Law: one form for all three tiers. A redacted row keeps its id, kind and date and nothing else that was said; its text
is `[redacted]` wherever it is shown at all (spec: Redaction Handling).

Source: spec retrieval-contract, Core Interface, Redaction Handling and Entity-Level Provenance; rulings C19, H.
"""

from voice.core.recall.values import REDACTED_TEXT, Recalled, Summary
from voice.core.records import Row, RowStatus, Thought, TrustTier, table_of
from voice.core.retrieval.values import SOURCE_TYPE, RowFilter


def shown_row(row: Row, text: str, *, is_private: bool) -> Recalled:
    """Return a row that may be seen, with the text it is seen by.

    Args:
        row: the row.
        text: its stored text or its rendering.
        is_private: whether the row is private or anything private went into the text.
    """
    thought = row if isinstance(row, Thought) else None
    return Recalled(
        id=row.id,
        entity_kind="observation",
        kind=kind_of(row),
        content=text,
        created_at=row.created_at,
        scope=row.scope,
        trust=row.trust,
        is_private=is_private,
        origin=row.origin,
        thread=thought.thread if thought else None,
        source_ref=thought.source_ref if thought else None,
        provenance=() if isinstance(row, Thought) else row.provenance,
    )


def shown_redacted(row: Row) -> Recalled:
    """Return what remains to be seen of a redacted row."""
    return Recalled(
        id=row.id,
        entity_kind="observation",
        kind=kind_of(row),
        content=REDACTED_TEXT,
        created_at=row.created_at,
        scope=row.scope,
        trust=row.trust,
        is_private=row.is_private,
        redacted=True,
        origin=row.origin,
        provenance=() if isinstance(row, Thought) else row.provenance,
    )


def shown_summary(summary: Summary, trust: TrustTier = TrustTier.AMBER) -> Recalled:
    """Return a summary; one that somebody wrote is amber, since nobody proved it."""
    return Recalled(
        id=summary.id,
        entity_kind="summary",
        kind="summary",
        content=summary.content,
        created_at=summary.created_at,
        scope=summary.scope,
        trust=trust,
        is_private=summary.is_private,
        evidence_refs=summary.evidence_refs,
        confidence=summary.confidence,
        capsule_id=summary.capsule_id,
    )


def kind_of(row: Row) -> str:
    """Return the thought's kind, or which kind of graph row it is."""
    return row.kind if isinstance(row, Thought) else SOURCE_TYPE[table_of(row.id)]


def is_shown_redacted(row: Row, row_filter: RowFilter) -> bool:
    """Return whether a reader who asked for redacted rows sees this one."""
    return (
        row.status is RowStatus.REDACTED
        and row_filter.scope.admits(row.scope)
        and row_filter.window.admits(row.created_at)
        and (row_filter.include_private or not row.is_private)
    )
