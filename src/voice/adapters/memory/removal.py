"""Taking sessions away from memory; implements `SessionRemoval`."""

from collections.abc import Mapping

from voice.adapters.memory.sessions import list_item, newest_first
from voice.adapters.memory.state import Tables
from voice.core.errors import SessionConflict
from voice.core.recall.values import summary_id
from voice.core.session.turn_stubs import turn_stub
from voice.ports.stores import SessionListItem


class TransientSessionRemoval:
    """`SessionRemoval` in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def forks(self, session_id: str) -> list[SessionListItem]:
        """Return the sessions that share its turns; see `SessionRemoval.forks`."""
        found = [
            each
            for each in self._tables.now.sessions.values()
            if session_id in {point.session_id for point in each.lineage}
        ]
        return [list_item(each) for each in newest_first(found)]

    async def delete(self, revisions: Mapping[str, int]) -> int:
        """Delete sessions with what was said in them; see `SessionRemoval.delete`."""
        with self._tables.transaction() as draft:
            held = {each: draft.sessions[each].revision for each in revisions if each in draft.sessions}
            if held != dict(revisions):
                raise SessionConflict(
                    "a session was changed or deleted by somebody else meanwhile; nothing was deleted"
                )
            for session_id in revisions:
                del draft.sessions[session_id]
            shared = {point.session_id for each in draft.sessions.values() for point in each.lineage}
            if shared.intersection(revisions):
                raise SessionConflict("one of them was forked meanwhile; nothing was deleted")
            turns = [each for each in draft.exchanges.values() if each.session_id in revisions]
            draft.exchanges |= {each.id: turn_stub(each) for each in turns}
            pinned = {summary_id(session_id) for session_id in revisions}
            draft.pins = {each.id: each for each in draft.pins.values() if each.target_id not in pinned}
        return len(turns)
