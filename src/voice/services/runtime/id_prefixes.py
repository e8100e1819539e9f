"""Which ids a person means.

Law: the rule is `core.text.abbreviated`; this reads what it decides on. Programs name ids whole; only a person types.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from voice.core.text.display import MOST_LISTED, id_prefix_of, resolve_id_prefix
from voice.ports.row_queries import IdPrefixes


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveIds:
    """Finds ids by their beginnings."""

    beginnings: IdPrefixes

    async def __call__(self, said: Iterable[str]) -> tuple[str, ...]:
        """Return the ids that are meant, in order; see `one`."""
        return tuple([await self.one(each) for each in said])

    async def one(self, said: str) -> str:
        """Return the id that is meant; what is no id and no beginning of one comes back as it is.

        Raises:
            UnknownId: it ends in `…`, and no id begins with it.
            InvalidParams: it could mean several, or ends in `…` and is too short.
        """
        start = id_prefix_of(said)
        return (
            said
            if start is None
            else resolve_id_prefix(said, await self.beginnings.ids_from(start, limit=MOST_LISTED + 1))
        )
