"""Entities that are perhaps one, told by the vectors of what is said of them; nothing here merges any."""

from pathlib import Path

from played_turns import MoodyEmbedder, memory
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.bootstrap import Services
from voice.core.graph.entities.duplicates import MEASURED
from voice.core.records import Origin
from voice.services.graph.editor import Backing

MINE, SECRET = Backing(origin=Origin.HUMAN), Backing(origin=Origin.HUMAN, is_private=True)
BUYS = ("She orders vases for her flower shop every spring.", "She paid the invoice for forty bowls late.")
RENTS = ("She rents flats in Lisbon to tourists.", "She wants a commission on every contract.")
POTTER, CERAMIST = "She is a potter who glazes bowls.", "She makes ceramic pottery."
PLACE = "She grew up in Lisbon."


async def two(services: Services, name: str, other: str = "") -> tuple[str, str]:
    """Return the ids of a person and of what may be anything, of these names."""
    editor = services.graph_editor
    added = [
        await editor.add_entity(each, entity_type=kind, description="", aliases=(), backing=MINE)
        for each, kind in ((name, "person"), (other or name, "concept"))
    ]
    return added[0].row.id, added[1].row.id


async def tell(services: Services, entity_id: str, *texts: str, backing: Backing = MINE) -> None:
    for text in texts:
        await services.graph_editor.add_observation(text, about=(entity_id,), backing=backing)


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


async def test_what_means_the_same_bears_it_out_without_a_word_in_common(tmp_path: Path) -> None:
    async with memory(tmp_path, embedder=MiniLmEmbedder()) as services:
        one, other = await two(services, "Anna")
        await tell(services, one, POTTER)
        await tell(services, other, CERAMIST)
        assert await scores(services) == [0.95]
        assert {row.id for row in await services.browse.entities()} == {one, other}


async def test_without_vectors_words_decide_and_nothing_is_encoded(tmp_path: Path) -> None:
    embedder = MoodyEmbedder()
    embedder.model = next(iter(MEASURED))
    async with memory(tmp_path, embedder=embedder) as services:
        one, other = await two(services, "Anna")
        embedder.down = True
        await tell(services, one, POTTER)
        await tell(services, other, CERAMIST)
        assert await scores(services) == []
        await tell(services, other, "She glazes bowls.")
        before = list(embedder.texts)
        assert await scores(services) == [0.95]
        assert embedder.texts == before


async def test_what_is_private_bears_nothing_out_unless_asked_for(tmp_path: Path) -> None:
    async with memory(tmp_path, embedder=MiniLmEmbedder()) as services:
        one, other = await two(services, "Anna")
        await tell(services, one, PLACE)
        await tell(services, other, PLACE)
        assert await scores(services) == [0.95]
        await tell(services, one, *BUYS, POTTER, backing=SECRET)
        await tell(services, other, *RENTS, backing=SECRET)
        assert await scores(services) == [0.95]
        assert await scores(services, include_private=True) == [0.9]


async def test_what_says_more_than_a_name_is_no_name(tmp_path: Path) -> None:
    """An entity's own vector is the direction of its name only while it has no description."""
    async with memory(tmp_path, embedder=MiniLmEmbedder()) as services:
        editor = services.graph_editor
        for kind, said in (("person", POTTER), ("concept", CERAMIST)):
            added = await editor.add_entity(
                "Anna", entity_type=kind, description="Lives by the sea.", aliases=(), backing=MINE
            )
            await tell(services, added.row.id, said)
        assert await scores(services) == [0.95]
        await tell(services, (await services.browse.entities())[0].id, *RENTS)
        assert await scores(services) == [0.95]
