"""Phrase tables of times, one language a module, and the builders that they share."""
