"""Candidates for the graph: staging, review, promotion."""
