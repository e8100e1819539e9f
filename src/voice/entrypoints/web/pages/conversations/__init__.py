"""Pages of conversations: asking, the answer as it comes, its evidence, and the sessions."""
