"""One use case per file.

Law: a service awaits ports and calls pure core functions; it decides nothing itself and knows no concrete adapter.
What cannot be read raises `StoreError`; a docstring names it only where it has more to say.
"""
