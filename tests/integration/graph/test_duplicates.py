"""Entities that are perhaps one, told by the vectors of what is said of them; nothing here merges any."""

from pathlib import Path

from graph_by_hand import entity, observation
from played_turns import memory
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.bootstrap import Services

BUYS = ("She orders vases for her flower shop every spring.", "She paid the invoice for forty bowls late.")
RENTS = ("She rents flats in Lisbon to tourists.", "She wants a commission on every contract.")
POTTER, CERAMIST = "She is a potter who glazes bowls.", "She makes ceramic pottery."
PLACE = "She grew up in Lisbon."


async def two(services: Services, name: str) -> tuple[str, str]:
    """Return the ids of a person and of what may be anything, of that name."""
    return (await entity(services, name)).id, (await entity(services, name, "concept")).id


async def tell(services: Services, entity_id: str, *texts: str, is_private: bool = False) -> None:
    for text in texts:
        await observation(services, text, entity_id, is_private=is_private)


async def scores(services: Services, *, include_private: bool = False) -> list[float]:
    return [each.pair.score for each in await services.duplicates(include_private=include_private)]


async def test_beth_the_customer_and_beth_the_agent_stay_two(tmp_path: Path) -> None:
    async with memory(tmp_path, embedder=MiniLmEmbedder()) as services:
        customer, agent = await two(services, "Beth")
        await tell(services, customer, *BUYS)
        await tell(services, agent, *RENTS)
        assert await scores(services) == []
        # a word in common leaves it open, and bears nothing out
        await tell(services, agent, "She orders new keys when a tenant moves out.")
        assert await scores(services) == [0.9]
        assert {row.id for row in await services.browse.entities()} == {customer, agent}


async def test_what_is_private_bears_nothing_out_unless_asked_for(tmp_path: Path) -> None:
    async with memory(tmp_path, embedder=MiniLmEmbedder()) as services:
        one, other = await two(services, "Anna")
        await tell(services, one, PLACE)
        await tell(services, other, PLACE)
        assert await scores(services) == [0.95]
        await tell(services, one, *BUYS, POTTER, is_private=True)
        await tell(services, other, *RENTS, is_private=True)
        assert await scores(services) == [0.95]
        assert await scores(services, include_private=True) == [0.9]
