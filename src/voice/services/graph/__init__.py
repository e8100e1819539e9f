"""The knowledge graph: entered, proposed, reviewed, corrected, resolved.

Whatever reads raises `StoreError` where the store cannot be read; a docstring names the other errors.
"""
