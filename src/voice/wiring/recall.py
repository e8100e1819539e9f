"""Wires recall."""

from voice.services.recall.recall import Recall
from voice.wiring.finding import time_of
from voice.wiring.opened import Opened
from voice.wiring.pinning import current_of


def recall_of(opened: Opened) -> Recall:
    """Return the service over an open memory."""
    settings, stores = opened.settings, opened.stores
    return Recall(
        store=stores.memory,
        graph=stores.graph,
        pins=stores.pins,
        capsules=stores.capsules,
        redacted=stores.ledger,
        scoping=opened.scoping,
        current=current_of(opened),
        providers=opened.providers,
        clock=opened.clock,
        time_of=time_of(opened),
        rerank=opened.rerank,
        quarantine_instructions=settings.llm.quarantine_instructions,
    )
