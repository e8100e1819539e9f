"""The few pieces of Markdown that generated pages are made of."""

from collections.abc import Iterable, Iterator


def cell(text: str) -> str:
    """Return a text as one cell of a table: on one line, without the character that ends a cell."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table, and an empty one after it; nothing where there is no row."""
    lines = [f"| {' | '.join(map(cell, row))} |" for row in rows]
    if lines:
        yield from (f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines, "")


def anchor(title: str) -> str:
    """Return the anchor of a heading, as forges and the site make it."""
    kept = "".join(char for char in title.lower() if char.isalnum() or char in " -_")
    return kept.strip().replace(" ", "-")
