"""Stored conversations: found, named, forked, totalled, exported.

Whatever reads raises `StoreError` where the store cannot be read; a docstring names the other errors.
"""
