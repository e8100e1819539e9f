"""Phrase tables, one module per language: words, rules, and the words around them that change what they mean."""
