"""Wires memory files that come in and go out, and folders that the memory is kept in step with."""

from collections.abc import Callable
from dataclasses import replace

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
from voice.services.forget import Forget
from voice.services.gone_candidates import GoneCandidates
from voice.services.gone_notes import GoneNotes
from voice.services.ingest import Ingest
from voice.services.removals import Removals
from voice.services.transfer import Transfer
from voice.wiring.opened import Opened


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


def following_of(opened: Opened, transfer: Transfer, removals: Removals, forget: Callable[[], Forget]) -> Following:
    """Return what keeps the memory in step with folders."""
    stores, waiting = opened.stores, GoneCandidates(store=opened.stores.candidates)
    become = opened.settings.sync.gone
    return Following(
        transfer=transfer,
        folders=LocalNoteFolders(removals.key),
        known=FollowedFile(opened.home),
        history=stores.history,
        graph=stores.graph,
        tombstones=stores.ledger,
        removals=removals,
        gone=GoneNotes(removals=removals, waiting=waiting, forget=forget, become=become),
    )


def correcting_of(stores: SurrealStores, ingest: Ingest) -> Correcting:
    """Return what corrects rows, and tells what stands beside what it corrected."""
    return replace(_following(stores, ingest), beside=BesideCorrections(store=stores.memory, graph=stores.graph))


def _following(stores: SurrealStores, ingest: Ingest) -> Correcting:
    waiting = CorrectedCandidates(store=stores.candidates)
    return Correcting(ingest=ingest, graph=stores.graph, pins=stores.pins, waiting=waiting)
