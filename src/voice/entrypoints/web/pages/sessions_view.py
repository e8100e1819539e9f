"""The list of sessions: how they stand, and what they came to, in words.

Law: values in, words out. A cost that nobody reported is told as unknown, and never as nothing.

Source: DESIGN 8 Web; ruling D18.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from voice.core.report.values import money
from voice.core.text.display import counted
from voice.core.usage import Total
from voice.ports.stores import SessionListItem
from voice.services.sessions.lifecycle import StatusWanted, TopicWanted, Wanted
from voice.services.sessions.report import Totals

State = Literal["all", "open", "expired", "closed", "resolved", "abandoned"]
STATES: Final[Mapping[State, str]] = {
    "all": "All",
    "open": "Open",
    "expired": "Idle",
    "closed": "Closed",
    "resolved": "Resolved",
    "abandoned": "Abandoned",
}
"""How a session, or its topic, can stand."""
_STATUS: Final[Mapping[State, StatusWanted]] = {"open": "open", "expired": "expired", "closed": "closed"}
_TOPIC: Final[Mapping[State, TopicWanted]] = {"resolved": "resolved", "abandoned": "abandoned"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEntry:
    """A session in the list."""

    item: SessionListItem
    facts: tuple[str, ...]
    """What it came to, in words."""


def wanted(state: State, about: str) -> Wanted:
    """Return which sessions are listed."""
    return Wanted(status=_STATUS.get(state, "all"), topic_status=_TOPIC.get(state, "all"), about=about)


def entry_of(item: SessionListItem, figures: Totals) -> SessionEntry:
    """Return a session as the list shows it; its turns with those that it shares."""
    return SessionEntry(item=item, facts=(counted(item.total_exchanges, "turn"), *came_to(figures)))


def came_to(figures: Totals) -> tuple[str, ...]:
    """Return in words what sessions came to, without how many turns that were."""
    if not figures.turns:
        return ()
    return (f"{figures.refused:,} refused", counted(figures.tokens, "token"), cost_in_words(figures.cost))


def cost_in_words(cost: Total) -> str:
    """Return what something cost, and of how many turns that is unknown."""
    if not cost.unknown_count:
        return money(cost.known) if cost.known else "no cost"
    if not cost.known:
        return "cost unknown"
    return f"{money(cost.known)}, and of {counted(cost.unknown_count, 'turn')} unknown"
