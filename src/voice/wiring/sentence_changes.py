"""Wires what is made of other services: changing single sentences, and taking back an import."""

from voice.services.imports.undo import ImportUndo
from voice.services.removal.sentence_edits import SentenceEdits
from voice.wiring.services import Services


def rewording_of(services: Services) -> SentenceEdits:
    """Return what changes single sentences of an open memory."""
    return SentenceEdits(store=services.store, correcting=services.correcting, forget=services.forget)


def unimporting_of(services: Services) -> ImportUndo:
    """Return what takes back what an import stored in an open memory."""
    return ImportUndo(store=services.store, gone=services.following.gone, extracting=services.extracting)
