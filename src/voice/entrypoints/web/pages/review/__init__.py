"""Pages of review: the queue of candidates, conflicts, and programs' notes."""
