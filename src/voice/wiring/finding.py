"""Wires finding what a question in words is about."""

from voice.services.retrieval.query_time import QueryTime
from voice.services.retrieval.retrieve import RetrieveByWords
from voice.wiring.open_memory import OpenMemory
from voice.wiring.service_settings import nlq_settings


def find_of(opened: OpenMemory) -> RetrieveByWords:
    """Return the service over an open memory."""
    settings, stores = opened.settings, opened.stores
    return RetrieveByWords(
        retrieve=opened.retrieve,
        history=stores.history,
        merges=stores.merges,
        clock=opened.clock,
        defaults=settings.retrieve,
        time_of=time_of(opened),
        half_lives=settings.organise.ageing,
    )


def time_of(opened: OpenMemory) -> QueryTime:
    """Return what reads the time in a query."""
    settings = opened.settings
    return QueryTime(names=opened.names, nlq=nlq_settings(settings), timezone=settings.time.timezone)
