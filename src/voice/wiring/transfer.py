"""Wires memory files that come in and go out."""

from voice.adapters.files.local import LocalMemoryFiles
from voice.adapters.surreal import SurrealStores
from voice.services.corrected_candidates import CorrectedCandidates
from voice.services.correcting import Correcting
from voice.services.edited import Edited
from voice.services.ingest import Ingest
from voice.services.transfer import Transfer


def transfer_of(stores: SurrealStores, ingest: Ingest) -> Transfer:
    """Return the service over open stores."""
    waiting = CorrectedCandidates(store=stores.candidates, removal=stores.candidates)
    correcting = Correcting(ingest=ingest, graph=stores.graph, pins=stores.pins, waiting=waiting)
    edited = Edited(history=stores.history, correcting=correcting)
    files, memory, graph, ledger = LocalMemoryFiles(), stores.memory, stores.graph, stores.ledger
    return Transfer(files=files, store=memory, graph=graph, tombstones=ledger, ingest=ingest, edited=edited)
