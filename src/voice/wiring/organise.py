"""Wires the organising tool."""

from voice.core.organise.contract import OrganiseDefaults
from voice.core.settings.values import Settings
from voice.services.graph.extraction import Extracting
from voice.services.removal.removals import Removals
from voice.services.turn.organise import Organise
from voice.wiring.open_memory import OpenMemory


def organise_of(opened: OpenMemory, extracting: Extracting, removals: Removals) -> Organise:
    """Return the service over an open memory."""
    return Organise(
        retrieve=opened.retrieve,
        extracting=extracting,
        ingest=opened.ingest,
        removals=removals,
        defaults=organise_defaults(opened.settings),
    )


def organise_defaults(settings: Settings) -> OrganiseDefaults:
    """Return what the organising tool does where nothing is said."""
    group = settings.organise
    return OrganiseDefaults(
        top_k=group.top_k,
        sim_thresh=group.sim_thresh,
        db_limit=group.db_limit,
        auto_mark_removal=group.auto_mark_removal,
    )
