"""Memory files as values: parse a line, build its row, render a row.

Law: pure both ways.
Source: docs/formats.md; rulings A12, A21, C10, C13, F, H.
"""
