"""Wires memory files that come in and go out, and folders that the memory is kept in step with."""

from dataclasses import replace
from pathlib import Path

from voice.adapters.files.followed_file import FollowedFile
from voice.adapters.files.local import LocalMemoryFiles
from voice.adapters.files.note_folders import LocalNoteFolders
from voice.adapters.surreal.stores import SurrealStores
from voice.ports.import_marks import ImportMarks
from voice.services.beside import BesideCorrections
from voice.services.corrected_candidates import CorrectedCandidates
from voice.services.correcting import Correcting
from voice.services.edited import Edited
from voice.services.following import Following
from voice.services.gone_candidates import GoneCandidates
from voice.services.ingest import Ingest
from voice.services.removals import Removals
from voice.services.transfer import Transfer


def transfer_of(stores: SurrealStores, ingest: Ingest, marks: ImportMarks) -> Transfer:
    """Return the service over open stores."""
    return Transfer(
        files=LocalMemoryFiles(),
        store=stores.memory,
        graph=stores.graph,
        tombstones=stores.ledger,
        ingest=ingest,
        edited=Edited(history=stores.history, correcting=_following(stores, ingest)),
        marks=marks,
    )


def following_of(stores: SurrealStores, transfer: Transfer, removals: Removals, home: Path) -> Following:
    """Return what keeps the memory in step with folders."""
    return Following(
        transfer=transfer,
        folders=LocalNoteFolders(removals.key),
        known=FollowedFile(home),
        history=stores.history,
        graph=stores.graph,
        tombstones=stores.ledger,
        removals=removals,
        waiting=GoneCandidates(store=stores.candidates),
    )


def correcting_of(stores: SurrealStores, ingest: Ingest) -> Correcting:
    """Return what corrects rows, and tells what stands beside what it corrected."""
    return replace(_following(stores, ingest), beside=BesideCorrections(store=stores.memory, graph=stores.graph))


def _following(stores: SurrealStores, ingest: Ingest) -> Correcting:
    waiting = CorrectedCandidates(store=stores.candidates)
    return Correcting(ingest=ingest, graph=stores.graph, pins=stores.pins, waiting=waiting)
