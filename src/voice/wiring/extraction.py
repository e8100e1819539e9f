"""Wires what reads notes and stages what they name, and what decides on it."""

from dataclasses import replace

from voice.services.graph.extraction import Extracting
from voice.services.graph.model_extraction import ModelReading
from voice.services.graph.note_links import NoteLinks
from voice.services.graph.vouching import Review
from voice.wiring.open_memory import OpenMemory


def review_of(opened: OpenMemory) -> Review:
    """Return what decides on all that waits in an open memory."""
    stores = opened.stores
    return Review.of(stores.candidates, stores.noted, stores.graph, opened.names, opened.ingest)


def extracting_of(opened: OpenMemory) -> Extracting:
    """Return the service over an open memory; the model is made when notes are to be read by one."""
    organise, review = opened.settings.organise, review_of(opened)
    staging = replace(review.staging, disputes=None)

    def make_model() -> ModelReading:
        from voice.wiring.model_reading import model_reading_of

        return model_reading_of(opened)

    return Extracting(
        staging=staging,
        names=opened.names,
        linked=NoteLinks(moderation=review.moderation),
        is_automatic=organise.auto_candidates,
        extractor=organise.extractor,
        make_model=make_model,
    )
