"""Capture of coding agents' sessions: hooks, filters and outcomes."""
