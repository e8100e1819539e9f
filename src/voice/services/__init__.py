"""One use case per file.

Law: a service awaits ports and calls pure core functions; it decides nothing itself and knows no concrete adapter.
"""
