"""Phrase tables for times, one language per module, and shared builders."""
