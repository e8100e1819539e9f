"""How the rows behind a conversation stand when it goes on.

Law: they are read once for a turn, only those that its window and summary name, never the history (ruling D16); a
conversation that has said nothing yet costs nothing.

Source: rulings D16, D22, H.
"""

from collections.abc import Mapping, Sequence

from voice.core.recall.standing import standing_of
from voice.core.records import Table
from voice.core.retrieval.values import RowFilter
from voice.core.session.past import Standing, rows_behind
from voice.core.session.values import InnerVoiceSession, PromptView
from voice.ports.stores import MemoryStore
from voice.services.behind import fetch_with_thoughts


async def fetch_standing(
    store: MemoryStore, session: InnerVoiceSession, view: PromptView, *, superseded: bool, quarantine: bool
) -> Mapping[str, Standing]:
    """Return how the rows behind the session's past stand, by id.

    Args:
        store: where they are.
        session: with its window loaded.
        view: whose eyes they are read with.
        superseded: whether what was replaced may be said again.
        quarantine: whether a row that reads like instructions to the model is a fault.

    Raises:
        StoreError: they cannot be read.
    """
    row_ids = rows_behind(session, include_private=view.include_private)
    return await standing_today(store, row_ids, view, superseded=superseded, quarantine=quarantine)


async def standing_today(
    store: MemoryStore, row_ids: Sequence[str], view: PromptView, *, superseded: bool, quarantine: bool
) -> Mapping[str, Standing]:
    """Return how rows stand, by id; see `fetch_standing`.

    Raises:
        StoreError: they cannot be read.
    """
    reader = RowFilter(
        tables=frozenset(Table),
        scope=view.scope,
        include_private=view.include_private,
        exclude_tags=view.exclude_tags,
        include_superseded=superseded,
    )
    return standing_of(row_ids, await fetch_with_thoughts(store, row_ids), reader, quarantine=quarantine)
