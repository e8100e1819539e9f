"""Retrieval providers: the three local ones, and those that other packages bring."""
