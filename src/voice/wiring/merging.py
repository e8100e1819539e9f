"""Wires suggesting that entities are one, and making two entities one, and two again."""

from voice.adapters.surreal.database import SurrealStores
from voice.services.graph.browse import Browse, Duplicates
from voice.services.graph.entity_merge import Merging
from voice.services.memory.ingest import Ingest
from voice.wiring.open_memory import OpenMemory


def duplicates_of(opened: OpenMemory, browse: Browse) -> Duplicates:
    """Return what suggests entities that are perhaps one."""
    embedder = opened.embedder
    return Duplicates(browse=browse, vectors=opened.stores.removed, encoding=(embedder.model, embedder.dim))


def merging_of(stores: SurrealStores, ingest: Ingest) -> Merging:
    """Return the service over open stores."""
    return Merging(log=stores.merges, graph=stores.graph, pins=stores.pins, ingest=ingest)
