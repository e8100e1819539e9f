"""Wires marking, archiving, taking away and bringing back.

`undecided_candidates` is the one place that says who knows of staged candidates: whoever stores them puts what
implements `UndecidedCandidates` there.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from voice.adapters.archive.local import LocalArchives
from voice.adapters.surreal import SurrealStores
from voice.core.graph.removal import Retention
from voice.core.settings.values import Settings
from voice.ports.removed_rows import UndecidedCandidates
from voice.services.archiving import Archiving
from voice.services.ingest import Ingest
from voice.services.removals import Removals
from voice.services.shelf import Shelf


class NothingStaged:
    """`UndecidedCandidates` of a memory in which nothing is staged."""

    async def undecided(self, thought_ids: Sequence[str]) -> Mapping[str, int]:  # noqa: ARG002 - the port's signature
        """Return nothing: no candidate waits."""
        return {}


def undecided_candidates(stores: SurrealStores) -> UndecidedCandidates:  # noqa: ARG001 - a candidate store will be here
    """Return who knows from which thoughts candidates wait for a human."""
    return NothingStaged()


def archiving_of(settings: Settings, home: Path, stores: SurrealStores, ingest: Ingest) -> Archiving:
    """Return the service over open stores; a relative archive directory is below the data directory."""
    group = settings.archive
    removals = Removals(
        store=stores.memory,
        tombstones=stores.ledger,
        removed=stores.removed,
        undecided=undecided_candidates(stores),
        shelf=Shelf(files=LocalArchives(), directory=str(home / Path(group.directory).expanduser())),
        clock=ingest.clock,
        retention=Retention(days=group.retention_days, timezone=settings.time.timezone),
        key=ingest.forgotten.key,
    )
    return Archiving(removals=removals, graph=stores.graph, ingest=ingest, form=group.format)
