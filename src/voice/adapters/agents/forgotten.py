"""The records of other frameworks' programs, as forgetting reaches them; implements `DerivedElsewhere`.

Law: what becomes of each is decided by `voice.core.session.agent_records` over the record as it is stored, within the
transaction that takes it away: what a program writes meanwhile is looked at, too, and doing it again does nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anyio import to_thread

from voice.adapters.agents.record_file import RecordFile, Records
from voice.core.session.agent_records import THREAD_KINDS, AgentRecord, RecordKind, record_without
from voice.core.session.forgetting import ForgottenContent


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenRecords:
    """`DerivedElsewhere` over the file of records; where there is none, none is made."""

    file: RecordFile
    kind: str = "agent records"

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the places of the records that hold something of what goes, whole threads with them; see the port."""
        return await to_thread.run_sync(self._reached, gone)

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:
        """Take away what the records hold of what goes; see the port."""
        if ids:
            await to_thread.run_sync(self._take_away, gone)

    def _reached(self, gone: ForgottenContent) -> list[str]:
        if not self.file.is_there:
            return []
        with self.file.transaction() as records:
            return [str(each.id) for each, _ in _touched(records, gone)]

    def _take_away(self, gone: ForgottenContent) -> None:
        with self.file.transaction() as records:
            touched = _touched(records, gone)
            records.remove_ids(each.id for each, left in touched if left is None)
            for _, left in touched:
                if left is not None:
                    records.replace(left)
        self.file.erase()


def _touched(records: Records, gone: ForgottenContent) -> list[tuple[AgentRecord, AgentRecord | None]]:
    """Return each record that loses something, with what is left of it, in order."""
    held = [each for kind in RecordKind for each in records.find(kind)]
    left = {each.id: record_without(each, gone) for each in held}
    threads = {each.owner for each in held if each.kind in THREAD_KINDS and left[each.id] is None}
    left |= {each.id: None for each in _of_threads(held, threads)}
    return sorted(((each, left[each.id]) for each in held if left[each.id] is not each), key=lambda pair: pair[0].id)


def _of_threads(held: Iterable[AgentRecord], threads: set[str]) -> Iterable[AgentRecord]:
    return (each for each in held if each.kind in THREAD_KINDS and each.owner in threads)
