"""In which state the rows behind a conversation are today.

Law: what may not be told may not be told again in the words of an old answer either (promise 6): one question is asked
of a row, here and in what recall returns, whether it may be told to this reader as it stands, with the thoughts behind
it (`voice.core.recall.disclosure`). A row that speaks to the model is no ground for what a model is shown (ruling D22).

Source: rulings D16, D22, H; spec retrieval-contract, Redaction Handling.
"""

from collections.abc import Iterable, Mapping

from voice.core.recall.disclosure import behind, may_be_told, tells_private
from voice.core.records import Observation, Relation, Row, RowStatus, Thought
from voice.core.retrieval.values import RowFilter
from voice.core.session.history import SkipReason, SourceStatus
from voice.core.text.normalise import content_hash
from voice.core.text.prompt_injection.detection import find_instruction


def row_states(
    row_ids: Iterable[str], rows: Mapping[str, Row], reader: RowFilter, *, quarantine: bool
) -> dict[str, SourceStatus]:
    """Return how each of the rows stands.

    Args:
        row_ids: whose standing is asked for.
        rows: what is stored of them and of the thoughts behind them, by id.
        reader: what the reader may be told.
        quarantine: whether a row that reads like instructions to the model is a fault.
    """
    return {row_id: _standing(rows.get(row_id), rows, reader, quarantine=quarantine) for row_id in row_ids}


def _standing(row: Row | None, rows: Mapping[str, Row], reader: RowFilter, *, quarantine: bool) -> SourceStatus:
    if row is None:
        return SourceStatus(fault="source_removed")
    fault = _life(row, rows, reader) or _eyes(row, rows, reader)
    if fault is None and quarantine and any(find_instruction(text) for text in _texts(row) if text):
        fault = "source_instructions"
    said = content_hash(row.text) if isinstance(row, Observation) else ""
    return SourceStatus(fault=fault, is_private=tells_private(row, rows), content_hash=said)


def _life(row: Row, rows: Mapping[str, Row], reader: RowFilter) -> SkipReason | None:
    if any(each.status is RowStatus.REDACTED for each in (row, *behind(row, rows))):
        return "source_redacted"
    if row.status is RowStatus.SUPERSEDED and not reader.include_superseded:
        return "source_superseded"
    return None if row.status in (RowStatus.ACTIVE, RowStatus.SUPERSEDED) else "source_removed"


def _eyes(row: Row, rows: Mapping[str, Row], reader: RowFilter) -> SkipReason | None:
    if tells_private(row, rows) and not reader.include_private:
        return "source_private"
    return None if may_be_told(row, rows, reader) else "source_not_asked_for"


def _texts(row: Row) -> tuple[str | None, ...]:
    match row:
        case Thought():
            return row.content, row.speaker
        case Observation():
            return row.text, row.speaker
        case Relation():
            return (row.description,)
        case _:
            return row.name, row.description
