"""Asking a verifier, and whether it can be believed."""
