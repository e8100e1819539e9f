"""The process that `bench.turn_crash` kills: it asks one question after the other, each under a key of its own.

It says `x:… LINK` on a line for each turn it was given. Where it begins, the last question that is on record and the
one after it are asked, both under their own keys: the first must be answered with the turn that is there, and the other
is there already where the process before was killed between keeping and saying.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Final

from bench.killed import Say
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.records import Origin
from voice.core.session.values import DialogueExchange
from voice.core.settings.providers import EmbedSettings
from voice.core.settings.values import Settings
from voice.core.usage import Price
from voice.ports.llm import ModelProfile
from voice.services.memory.ingest_values import NewThought
from voice.services.turn.ask import AskRequest

NOW: Final = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
TOPIC: Final = "crash"
_NOTES: Final = (
    "The kiln moved to the shed behind the house in March.",
    "Marta fired the first bowls in the kiln in the shed on Sunday.",
    "The blue glaze for the bowls needs cobalt and two firings.",
)


class PaidExtracts(ExtractiveClient):
    """Answers offline under a price, so that each call is on record before it is made."""

    profile: ModelProfile = replace(
        ExtractiveClient.profile,
        price=Price(input_per_million=Decimal(1), output_per_million=Decimal(10), source="bench", as_of="2026-01-01"),
    )


def question(number: int) -> str:
    """Return question `number`: every one is another, so that none can stand for another, and asks for the same."""
    return f"Where is{' ' * (number + 1)}the kiln?"


def parts() -> Parts:
    """Return what the worker and who looks after it open the memory with."""
    return Parts(clock=FixedClock(NOW + timedelta(seconds=1)), embedder=HashedEmbedder(64), llm=PaidExtracts())


def settings() -> Settings:
    """Return the settings of the trials: nothing leaves this machine."""
    return Settings(embed=EmbedSettings(provider="hash"))


async def ask_for_ever(home: Path, say: Say) -> None:
    """Ask until somebody ends this process."""
    async with open_services(settings(), home, parts()) as services:
        if not (await services.store.status()).exchanges:
            await _tell(services)
        session_id, asked = await _standing(services)
        for number in count(max(0, asked - 1)):
            request = AskRequest(
                question=question(number), session_id=session_id, create=True, idempotency_key=f"call {number}"
            )
            kept = (await services.ask(request)).exchange
            session_id = kept.session_id
            say(line_of(kept))


def line_of(exchange: DialogueExchange) -> str:
    """Return what is said of a turn."""
    return f"{exchange.id} {exchange.link}"


async def _tell(services: Services) -> None:
    known = await services.store.status()
    if sum(known.rows.values()) < len(_NOTES):
        await services.ingest.remember([NewThought(content=note, origin=Origin.HUMAN) for note in _NOTES])


async def _standing(services: Services) -> tuple[str | None, int]:
    """Return the session that is gone on with, and how many questions are on record."""
    sessions = await services.sessions.sessions(limit=1)
    return (sessions[0].id, sessions[0].total_exchanges) if sessions else (None, 0)
