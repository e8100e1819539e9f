"""Choosing among candidates: one rule per file, composed by `select`.

Law: every rule is a pure function with a total order (ruling C9); equal input gives equal bytes.
"""
