"""Rows of an open memory, changed as an edit, a redaction or a removal would change them.

The changes by name are of the row that says when the kiln was fired, in the memory of `played_turns`.
"""

from dataclasses import replace

from played_turns import FIRED, NOW
from voice.bootstrap import Services
from voice.core.records import Observation, Row, RowStatus, Thought, Tombstone
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


async def change(services: Services, row_id: str, **fields: object) -> None:
    """Store the row of that id with other fields, as an edit would."""
    await rewrite(services, (await services.store.fetch([row_id]))[row_id], **fields)


async def redacted(services: Services) -> None:
    thought, row = await row_that_says(services, FIRED, Thought), await row_that_says(services, FIRED)
    await rewrite(services, thought, status=RowStatus.REDACTED, content="[redacted]")
    await rewrite(services, row, status=RowStatus.REDACTED, text="[redacted]")


async def redacted_behind(services: Services) -> None:
    """Redact the thought alone that the row was distilled from."""
    thought = await row_that_says(services, FIRED, Thought)
    await rewrite(services, thought, status=RowStatus.REDACTED, content="[redacted]")


async def hidden(services: Services) -> None:
    await rewrite(services, await row_that_says(services, FIRED), is_private=True)


async def removed(services: Services) -> None:
    row = await row_that_says(services, FIRED)
    gone = Tombstone(row_id=row.id, keyed_hash="k", reason="forgotten", at=NOW)
    await services.store.write(WriteBatch(tombstones=(gone,)))


async def superseded(services: Services) -> None:
    row = await row_that_says(services, FIRED)
    await rewrite(services, row, status=RowStatus.SUPERSEDED, superseded_by="o:newer", valid_until=NOW)


async def corrected(services: Services) -> None:
    await rewrite(services, await row_that_says(services, FIRED), text=FIRED.replace("Sunday", "Monday"))
