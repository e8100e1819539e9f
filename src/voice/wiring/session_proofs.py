"""Wires verifying stored answers again, and rebuilding the prompts behind them."""

from voice.adapters.files.prompts import load_prompts
from voice.adapters.llm.model_facts import counter_named
from voice.services.turn.audit import Audit, CurrentRows
from voice.services.turn.replay import Replays
from voice.wiring.open_memory import OpenMemory


def audit_of(opened: OpenMemory) -> Audit:
    """Return what verifies stored answers again."""
    zone = opened.settings.time.timezone
    return Audit(sessions=opened.stores.sessions, today=_today(opened), timezone=zone)


def replays_of(opened: OpenMemory) -> Replays:
    """Return what rebuilds prompts and proves them."""
    return Replays(
        sessions=opened.stores.sessions,
        today=_today(opened),
        prompts=load_prompts(),
        tokenizers=counter_named,
        key=opened.key,
        timezone=opened.settings.time.timezone,
    )


def _today(opened: OpenMemory) -> CurrentRows:
    stores = opened.stores
    return CurrentRows(store=stores.memory, graph=stores.graph, tombstones=stores.ledger, names=opened.names)
