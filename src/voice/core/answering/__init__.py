"""Whether a passage of the notes answers a question, decided by one fitted rule."""
