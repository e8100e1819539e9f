"""Numbers of things, in words.

Law: one of a thing is never told in the plural.
"""


def counted(number: int, noun: str, several: str | None = None) -> str:
    """Return how many there are: `1 turn`, `2,000 turns`.

    Args:
        number: how many.
        noun: what one of them is called.
        several: what more of them are called, where it is not `noun` with an s.
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"
