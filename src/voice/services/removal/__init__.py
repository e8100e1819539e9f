"""Forgetting, redacting, and removing with an archive.

Whatever reads raises `StoreError` where the store cannot be read; a docstring names the other errors.
"""
