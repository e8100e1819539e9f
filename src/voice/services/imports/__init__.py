"""Files and folders of notes: previewed, imported, followed, undone.

Whatever reads raises `StoreError` where the store cannot be read; a docstring names the other errors.
"""
