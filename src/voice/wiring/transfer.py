"""Wires memory files that come in and go out, and folders that the memory is kept in step with."""

from collections.abc import Callable
from dataclasses import replace

from voice.adapters.files.memory_files import LocalMemoryFiles
from voice.adapters.files.synced_notes import SyncedFoldersFile
from voice.adapters.files.watched_folders import LocalNoteFolders
from voice.adapters.surreal.database import SurrealStores
from voice.ports.files import ImportMarks
from voice.services.graph.correct import Correcting
from voice.services.graph.correction_consequences import CorrectedCandidates, CorrectionConsequences
from voice.services.imports.edited_notes import EditedNotes
from voice.services.imports.gone_candidates import DeletedNoteCandidates
from voice.services.imports.gone_notes import DeletedNotes
from voice.services.imports.memory_files import Transfer
from voice.services.imports.sync import FolderSync
from voice.services.memory.ingest import Ingest
from voice.services.removal.forget import Forget
from voice.services.removal.removals import Removals
from voice.wiring.open_memory import OpenMemory


def transfer_of(stores: SurrealStores, ingest: Ingest, marks: ImportMarks) -> Transfer:
    """Return the service over open stores."""
    return Transfer(
        files=LocalMemoryFiles(),
        store=stores.memory,
        graph=stores.graph,
        tombstones=stores.ledger,
        ingest=ingest,
        edited=EditedNotes(history=stores.history, correcting=_following(stores, ingest)),
        marks=marks,
    )


def following_of(
    opened: OpenMemory, transfer: Transfer, removals: Removals, forget: Callable[[], Forget]
) -> FolderSync:
    """Return what keeps the memory in step with folders."""
    stores, waiting = opened.stores, DeletedNoteCandidates(store=opened.stores.candidates)
    become = opened.settings.sync.gone
    return FolderSync(
        transfer=transfer,
        folders=LocalNoteFolders(removals.key),
        known=SyncedFoldersFile(opened.home),
        history=stores.history,
        graph=stores.graph,
        tombstones=stores.ledger,
        removals=removals,
        gone=DeletedNotes(removals=removals, waiting=waiting, forget=forget, become=become),
    )


def correcting_of(stores: SurrealStores, ingest: Ingest) -> Correcting:
    """Return what corrects rows, and tells what stands beside what it corrected."""
    return replace(_following(stores, ingest), beside=CorrectionConsequences(store=stores.memory, graph=stores.graph))


def _following(stores: SurrealStores, ingest: Ingest) -> Correcting:
    waiting = CorrectedCandidates(store=stores.candidates)
    return Correcting(ingest=ingest, graph=stores.graph, pins=stores.pins, waiting=waiting)
