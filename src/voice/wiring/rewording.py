"""Wires what corrects and forgets single sentences."""

from voice.services.removal.sentence_edits import SentenceEdits
from voice.wiring.services import Services


def rewording_of(services: Services) -> SentenceEdits:
    """Return what changes single sentences of an open memory."""
    return SentenceEdits(store=services.store, correcting=services.correcting, forget=services.forget)
