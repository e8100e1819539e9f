"""Duplicate entities: suggestions, merge, undo."""
