"""Wires making two entities one, and two again."""

from voice.adapters.surreal.stores import SurrealStores
from voice.services.ingest import Ingest
from voice.services.merging import Merging


def merging_of(stores: SurrealStores, ingest: Ingest) -> Merging:
    """Return the service over open stores."""
    return Merging(log=stores.merges, graph=stores.graph, pins=stores.pins, ingest=ingest)
