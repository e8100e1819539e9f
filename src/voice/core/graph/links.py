"""Links that a person wrote between notes, as the graph holds them.

Law: a link is the person's own, so nobody is asked about it (ruling I5). What it leads to is a note, or what the person
calls so: a title, and no name that is looked for in other texts ("Go", "notes"). A link and a bare title say nothing of
the world, so no search finds them; whoever walks the graph does.

Source: ruling I5; docs/import.md.
"""

import struct
from typing import Final

from voice.core.records import LINKS_TO, Entity, Relation, Row, VectorRow

NOTE: Final = "note"
"""The type of an entity that is a note, or the end of a link of which nothing else is known."""


def says_nothing(row: Row) -> bool:
    """Return whether a row only stands for a link or a note, without a word about it."""
    match row:
        case Entity():
            return row.entity_type == NOTE and not row.description
        case Relation():
            return row.rel_type == LINKS_TO and not row.description
        case _:
            return False


def blank_vector(row_id: str, model: str, dim: int) -> VectorRow:
    """Return a vector that says nothing, so that a row which no search finds does not wait for one."""
    return VectorRow(row_id=row_id, model=model, dim=dim, data=struct.pack(f"<{dim}f", 1.0, *(0.0,) * (dim - 1)))
