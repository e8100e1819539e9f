"""Memory files as values: what a line says, what row it makes, and how a row is written down again.

Law: pure both ways. `parse_line` turns bytes into what they say, `build_row` turns that into a row by the rules of the
entrance it came through, `render_line` turns a row into the one line that stands for it.

Source: docs/formats.md; rulings A12, A21, C10, C13, F, H.
"""
