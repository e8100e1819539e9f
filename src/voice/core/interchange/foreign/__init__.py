"""Parsers for other programs' exports: vaults, chats with assistants, mail, JSON lines.

Law: pure. A file's claims about authorship can only lower an origin; an assistant's words are always a model's.
Source: docs/import.md; rulings A12, H.
"""
