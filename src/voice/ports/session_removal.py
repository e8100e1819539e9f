"""Taking a session away.

Law: what rests on a session is known before it goes; what goes, goes in one transaction. A session that is gone leaves
the figures of its turns (`voice.core.session.turn_stubs`), which `SessionStore.exchanges` still returns and no list of
sessions names.

Source: rulings D18, D21, H; docs/sessions.md.
"""

from collections.abc import Mapping
from typing import Protocol

from voice.ports.stores import SessionListItem


class SessionRemoval(Protocol):
    """Removes sessions, and tells what they carry."""

    async def forks(self, session_id: str) -> list[SessionListItem]:
        """Return the sessions that share turns which this one holds, by `last_interaction` descending, then id."""
        ...

    async def delete(self, revisions: Mapping[str, int]) -> int:
        """Delete sessions with what was said in them, and return how many turns are figures alone from now on.

        Their summaries and the pins on these go with them; all of it happens in one transaction.

        Args:
            revisions: of each session, the revision it was loaded with.

        Raises:
            SessionConflict: one of them was changed or is gone, or another session shares turns of theirs; nothing was
                deleted.
        """
        ...
