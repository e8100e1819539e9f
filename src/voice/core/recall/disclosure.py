"""Whether a row may be shown, by the thoughts behind it, and in which form.

Law: a graph row repeats thoughts, so it is silenced if one is redacted and private if one is private (promise 6; ruling
H). All tiers decide here. A redacted row keeps id, kind and date; its text is `[redacted]`.
Source: spec retrieval-contract, Core Interface, Redaction Handling, Entity-Level Provenance; rulings A13, C19, D16,
D22, H.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from voice.core.recall.values import REDACTED_TEXT, RecalledEntity, Summary
from voice.core.records import Observation, Relation, Row, RowStatus, Thought, TrustTier, table_of
from voice.core.retrieval.candidates import admits
from voice.core.retrieval.values import SOURCE_TYPE, RowFilter
from voice.core.session.history import SkipReason, SourceStatus
from voice.core.text.normalise import content_hash
from voice.core.text.prompt_injection import find_instruction


def thoughts_behind(row: Row) -> tuple[str, ...]:
    """Return the thoughts a row repeats: all of an observation; of other rows only a single one."""
    if isinstance(row, Thought):
        return ()
    behind = tuple(dict.fromkeys(origin.thought_id for origin in row.provenance))
    # An entity or relation that rests on several thoughts is a fact of its own, and repeats none of them.
    return behind if isinstance(row, Observation) or len(behind) == 1 else ()


def missing_behind(rows: Mapping[str, Row]) -> list[str]:
    """Return the sorted ids of thoughts behind `rows` that are not among them."""
    return sorted({thought_id for row in rows.values() for thought_id in thoughts_behind(row)} - rows.keys())


def is_content_visible(row: Row, rows: Mapping[str, Row], row_filter: RowFilter) -> bool:
    """Return whether the reader may see the row's content; `rows` are the thoughts behind it, by id."""
    hides = tells_private(row, rows) and not row_filter.include_private  # also what was made private after distilling
    return admits(row_filter, row) and not is_silenced(row, rows) and not hides


def is_silenced(row: Row, rows: Mapping[str, Row]) -> bool:
    """Return whether it repeats a redacted thought or the inner voice's own."""
    return any(thought.status is RowStatus.REDACTED or thought.is_synthesis for thought in behind(row, rows))


def tells_private(row: Row, rows: Mapping[str, Row]) -> bool:
    """Return whether it is private or repeats a private thought."""
    return row.is_private or any(thought.is_private for thought in behind(row, rows))


def behind(row: Row, rows: Mapping[str, Row]) -> Iterable[Thought]:
    """Return the thoughts in `rows` that the row repeats, in order."""
    return (thought for thought in map(rows.get, thoughts_behind(row)) if isinstance(thought, Thought))


def shown_row(row: Row, text: str, *, is_private: bool) -> RecalledEntity:
    """Build a visible row's entity, with its stored or rendered text, private if anything in either is."""
    thought = row if isinstance(row, Thought) else None
    return RecalledEntity(
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


def shown_redacted(row: Row) -> RecalledEntity:
    """Build a redacted row's entity, without its text, thread and source."""
    shown = shown_row(row, REDACTED_TEXT, is_private=row.is_private)
    return replace(shown, redacted=True, thread=None, source_ref=None)  # a thread or file name may tell what it was


def shown_summary(summary: Summary, trust: TrustTier = TrustTier.AMBER) -> RecalledEntity:
    """Build a summary's entity; amber by default, because a written summary is unproven."""
    return RecalledEntity(
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
    """Return a thought's kind, or a graph row's source type."""
    return row.kind if isinstance(row, Thought) else SOURCE_TYPE[table_of(row.id)]


def is_shown_redacted(row: Row, row_filter: RowFilter) -> bool:
    """Return whether a reader who requested redacted rows sees this one."""
    return (
        row.status is RowStatus.REDACTED
        and row_filter.scope.admits(row.scope)
        and row_filter.window.admits(row.created_at)
        and (row_filter.include_private or not row.is_private)
    )


def row_states(
    row_ids: Iterable[str], rows: Mapping[str, Row], reader: RowFilter, *, quarantine: bool
) -> dict[str, SourceStatus]:
    """Return each row's state for a reader; `quarantine`: text that reads like instructions is a fault."""
    return {row_id: _status(rows.get(row_id), rows, reader, quarantine=quarantine) for row_id in row_ids}


def _status(row: Row | None, rows: Mapping[str, Row], reader: RowFilter, *, quarantine: bool) -> SourceStatus:
    if row is None:
        return SourceStatus(fault="source_removed")
    fault = _end_of_life(row, rows, reader)
    if fault is None and tells_private(row, rows) and not reader.include_private:
        fault = "source_private"
    if fault is None and not is_content_visible(row, rows, reader):  # another scope, time or tag
        fault = "source_not_asked_for"
    if fault is None and quarantine and any(find_instruction(text) for text in _texts(row) if text):
        fault = "source_instructions"
    hashed = content_hash(row.text) if isinstance(row, Observation) else ""
    return SourceStatus(fault=fault, is_private=tells_private(row, rows), content_hash=hashed)


def _end_of_life(row: Row, rows: Mapping[str, Row], reader: RowFilter) -> SkipReason | None:
    if any(each.status is RowStatus.REDACTED for each in (row, *behind(row, rows))):
        return "source_redacted"
    if row.status is RowStatus.SUPERSEDED and not reader.include_superseded:
        return "source_superseded"
    return None if row.status in (RowStatus.ACTIVE, RowStatus.SUPERSEDED) else "source_removed"  # marked for removal


def _texts(row: Row) -> tuple[str | None, ...]:
    match row:
        case Thought():
            return row.content, row.speaker
        case Observation():
            return row.text, row.speaker, *row.context_path
        case Relation():
            return (row.description,)
        case _:
            return row.name, row.description
