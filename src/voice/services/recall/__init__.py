"""Pins, capsules, summaries and recall over them."""
