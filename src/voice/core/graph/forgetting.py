"""What of a row must not come back once it was forgotten.

Law: it is what the row says, under whatever id, date or type it says it: the words of a thought or an observation, the
name and description of an entity, the ends, kind and description of a relation. A tombstone's hash is the keyed hash of
the content hash of this text; nobody else decides what is hashed (ruling H).
"""

from typing import assert_never

from voice.core.records import Entity, Observation, Relation, Row, Thought


def lasting_text(row: Row) -> str:
    """Return what `row` says, as it is stored."""
    match row:
        case Thought():
            return row.content
        case Observation():
            return row.text
        case Entity():
            return f"{row.name}\n{row.description}"
        case Relation():
            return f"{row.source_id}\n{row.rel_type}\n{row.target_id}\n{row.description}"
        case _:
            assert_never(row)


def said_by(row: Row) -> str:
    """Return the words of a row that can be read, aliases and who spoke left out."""
    if isinstance(row, Relation):
        return row.description
    return row.content if isinstance(row, Thought) else lasting_text(row)
