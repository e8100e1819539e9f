"""Wires recall."""

from voice.services.recall.recall import Recall
from voice.wiring.finding import time_of
from voice.wiring.open_memory import OpenMemory
from voice.wiring.pins_and_capsules import current_summary_of


def recall_of(opened: OpenMemory) -> Recall:
    """Return the service over an open memory."""
    settings, stores = opened.settings, opened.stores
    return Recall(
        store=stores.memory,
        graph=stores.graph,
        pins=stores.pins,
        capsules=stores.capsules,
        redacted=stores.ledger,
        scoping=opened.scoping,
        current=current_summary_of(opened),
        providers=opened.providers,
        clock=opened.clock,
        time_of=time_of(opened),
        rerank=opened.rerank,
        quarantine_instructions=settings.llm.quarantine_instructions,
    )
