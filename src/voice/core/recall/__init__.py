"""The tiered contract: pins, the current summary, candidates; deterministic, scoped, explained."""
