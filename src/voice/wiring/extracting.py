"""Wires what reads notes and stages what they name."""

from dataclasses import replace

from voice.services.extracting import Extracting
from voice.services.linked import Linked
from voice.services.model_reading import ModelReading
from voice.services.review import Review
from voice.wiring.opened import Opened


def extracting_of(opened: Opened) -> Extracting:
    """Return the service over an open memory; the model is made when notes are to be read by one."""
    stores, organise = opened.stores, opened.settings.organise
    review = Review.of(stores.candidates, stores.graph, opened.names, opened.ingest)
    staging = replace(review.staging, disputes=None)

    def make_model() -> ModelReading:
        from voice.wiring.model_reading import model_reading_of

        return model_reading_of(opened)

    return Extracting(
        staging=staging,
        names=opened.names,
        linked=Linked(moderation=review.moderation),
        is_automatic=organise.auto_candidates,
        extractor=organise.extractor,
        make_model=make_model,
    )
