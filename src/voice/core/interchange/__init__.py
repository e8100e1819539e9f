"""Memory files as values: what a line says, what row it makes, and how a row is written down again.

Law: pure both ways. `parse_line` turns bytes into what they say, `build_row` turns that into a row by the rules of the
entrance it came through, `render_line` turns a row into the one line that stands for it.

Source: docs/formats.md; rulings A12, A21, C10, C13, F, H.
"""

from voice.core.interchange.arrival import (
    Arrival,
    Entrance,
    ceiling_of,
    origin_for,
    origin_of_words,
    settle_origin,
)
from voice.core.interchange.build import (
    NOTHING_BEHIND,
    Behind,
    ResolveName,
    build_entity,
    build_observation,
    build_relation,
    build_row,
    build_thought,
    line_id,
)
from voice.core.interchange.instants import parse_instant, start_of_day
from voice.core.interchange.lines import (
    FORMAT,
    MAX_LINE_BYTES,
    MAX_TEXT_CHARS,
    BadLine,
    EntityLine,
    FileLine,
    GraphLine,
    HeaderLine,
    LeftOut,
    LinkedNote,
    NoteLink,
    ObservationLine,
    ParsedLine,
    Record,
    RelationLine,
    RowLine,
    ThoughtLine,
)
from voice.core.interchange.names import EntityNames
from voice.core.interchange.parse import parse_line
from voice.core.interchange.render import Exported, export_order, render_header, render_line

__all__ = [
    "FORMAT",
    "MAX_LINE_BYTES",
    "MAX_TEXT_CHARS",
    "NOTHING_BEHIND",
    "Arrival",
    "BadLine",
    "Behind",
    "EntityLine",
    "EntityNames",
    "Entrance",
    "Exported",
    "FileLine",
    "GraphLine",
    "HeaderLine",
    "LeftOut",
    "LinkedNote",
    "NoteLink",
    "ObservationLine",
    "ParsedLine",
    "Record",
    "RelationLine",
    "ResolveName",
    "RowLine",
    "ThoughtLine",
    "build_entity",
    "build_observation",
    "build_relation",
    "build_row",
    "build_thought",
    "ceiling_of",
    "export_order",
    "line_id",
    "origin_for",
    "origin_of_words",
    "parse_instant",
    "parse_line",
    "render_header",
    "render_line",
    "settle_origin",
    "start_of_day",
]
