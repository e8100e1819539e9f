"""Forgetting, redacting, and removing with an archive."""
