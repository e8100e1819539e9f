"""Closed word lists are written as running text and read as sets.

Law: a list is one literal a person can read and correct; membership is all that is asked of it.
"""


def word_set(*lines: str) -> frozenset[str]:
    """Return the whitespace-separated words of `lines` as a set."""
    return frozenset(word for line in lines for word in line.split())
