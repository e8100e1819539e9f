"""Records of conflicts, as forgetting reaches them; implements `DerivedElsewhere`.

Law: a record holds no words, but it says that two rows spoke of one thing: it goes with either of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voice.core.session.forgetting import Gone
from voice.ports.conflict_log import ConflictLog


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenConflicts:
    """`DerivedElsewhere` over the log of conflicts."""

    log: ConflictLog
    kind: str = "conflicts"

    async def reached(self, gone: Gone) -> list[str]:
        """Return the ids of the conflicts of which a row goes; see the port."""
        return sorted(each.id for each in await self.log.records() if gone.ids.intersection(each.row_ids))

    async def take_away(self, ids: Sequence[str], gone: Gone) -> None:  # noqa: ARG002 - a record goes whole
        """Remove conflicts; see the port."""
        await self.log.remove(ids)
