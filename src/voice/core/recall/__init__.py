"""Tiered recall: pins, the current summary, candidates; deterministic, scoped, explained."""
