"""Choosing among candidates: one rule per file, composed by `select`.

Law: every rule is a pure function over values with a total order (ruling C9); the same input gives the same bytes.
"""
