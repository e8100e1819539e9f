"""Rows of an open memory, changed as an edit, a redaction or a removal would change them."""

from dataclasses import replace

from voice.bootstrap import Services
from voice.core.records import Observation, Row, Thought
from voice.ports.stores import WriteBatch


async def row_that_says(services: Services, text: str, kind: type[Row] = Observation) -> Row:
    """Return the row of that kind whose words are `text`."""
    changes = await services.store.changes(0, 1000)
    words = {change.row.id: change.row for change in changes if isinstance(change.row, Observation | Thought)}
    return next(
        row
        for row in words.values()
        if isinstance(row, kind) and text == (row.text if isinstance(row, Observation) else row.content)
    )


async def rewrite(services: Services, row: Row, **fields: object) -> None:
    """Store the row with other fields, as an edit would."""
    changed = replace(row, revision=row.revision + 1, **fields)  # pyright: ignore[reportArgumentType]
    await services.store.write(WriteBatch(rows=(changed,)))
