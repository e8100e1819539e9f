"""Wires recall, and what it shows unasked: capsules, pins and the summary of what goes on."""

from voice.adapters.surreal import SurrealStores
from voice.core.settings.values import Settings
from voice.ports.retrieval_provider import RetrievalProviders
from voice.ports.system import Clock, IdSource
from voice.services.capsules import Capsules
from voice.services.configured import nlq_settings
from voice.services.current_summary import CurrentSummary
from voice.services.pins import Pins
from voice.services.recall import Recall


def recall_of(settings: Settings, stores: SurrealStores, providers: RetrievalProviders, clock: Clock) -> Recall:
    """Return the service over open stores."""
    return Recall(
        store=stores.memory,
        graph=stores.graph,
        pins=stores.pins,
        capsules=stores.capsules,
        redacted=stores.ledger,
        current=_current(settings, stores),
        providers=providers,
        clock=clock,
        nlq=nlq_settings(settings),
        timezone=settings.time.timezone,
        quarantine_instructions=settings.llm.quarantine_instructions,
    )


def capsules_and_pins_of(
    settings: Settings, stores: SurrealStores, clock: Clock, ids: IdSource
) -> tuple[Capsules, Pins]:
    """Return the services of capsules and of pins, which know each other."""
    current = _current(settings, stores)
    capsules = Capsules(capsules=stores.capsules, pins=stores.pins, store=stores.memory, clock=clock, ids=ids)
    pins = Pins(store=stores.memory, held=stores.pins, capsules=stores.capsules, current=current, clock=clock, ids=ids)
    return capsules, pins


def _current(settings: Settings, stores: SurrealStores) -> CurrentSummary:
    return CurrentSummary(
        store=stores.memory,
        capsules=stores.capsules,
        sessions=stores.sessions,
        timezone=settings.time.timezone,
        timeout_hours=settings.session.timeout_hours,
    )
