"""Memory files on disk: the own JSON lines, folders of Markdown notes, `memory-bench/1`.

Source: docs/formats.md.
"""
