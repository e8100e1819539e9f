"""Parsers for other programs' exports; their claims about authorship can only lower an origin (rulings A12, H)."""
