"""A conversation that began with private rows let in: one was used, or none was."""

from typing import Literal

import pytest

from played_turns import KILN, WHERE, ask, tell
from voice.bootstrap import Services
from voice.services.turn.ask import Turn

Kind = Literal["used", "let in, not used"]
KINDS: tuple[Kind, ...] = ("used", "let in, not used")
TOPIC = "my HIV test"
both_kinds = pytest.mark.parametrize("kind", KINDS)


async def confided(services: Services, kind: Kind, *, topic: str = TOPIC) -> Turn:
    """Ask the first question of a conversation about `topic`, with private rows let in."""
    await tell(services, *KILN, is_private=kind == "used")
    turn = await ask(services, include_private=True, new_topic=topic)
    assert (turn.exchange.is_private, turn.exchange.is_withheld) == (kind == "used", True)
    assert (turn.exchange.status, turn.exchange.my_query) == ("answered", WHERE)
    return turn
