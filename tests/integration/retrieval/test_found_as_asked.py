"""What a question finds by its words, and that an answer is never an old one."""

from pathlib import Path

import pytest

from changed_rows import change
from played_turns import KILN, MOVED, NOW, MoodyEmbedder, ask, grounded, memory, tell
from store_values import tombstone
from voice.bootstrap import Services
from voice.core.records import Observation, RowStatus, Thought
from voice.core.retrieval.params import RetrieveRequest
from voice.ports.stores import WriteBatch

BUG = "Fixed the auth bug in the login form today."
FERRY = "Took the ferry to the island with Jonas."
WHAT = "What a day it is, and what is that?"
NOTES = (BUG, FERRY, WHAT)


async def texts(services: Services, query: str, provider: str = "local-fts") -> list[str]:
    found = await services.find(RetrieveRequest(query=query, provider=provider, floor=0.0, mix=0.0))
    return [snippet.text for snippet in found.snippets]


@pytest.mark.requirement("ruling:B16", "ruling:G.1")
async def test_a_question_with_stop_words_and_strangers_finds_its_row(tmp_path: Path) -> None:
    async with memory(tmp_path, told=NOTES) as services:
        for query in ("what's the auth bug?", "What is it that the bug was about", "auth bug zeppelin"):
            assert await texts(services, query) == [BUG]


@pytest.mark.requirement("s4:performance:no-cache")
@pytest.mark.parametrize("provider", ["local-vector", "local-fts", "local-hybrid"])
async def test_the_same_call_sees_what_was_written_hidden_and_forgotten_meanwhile(
    tmp_path: Path, provider: str
) -> None:
    embedder = MoodyEmbedder()
    async with memory(tmp_path, embedder=embedder) as services:
        first, second = await tell(services, BUG, "The auth bug came back in the login form.")
        await tell(services, FERRY)
        asked = "auth bug in the login form"
        assert len([text for text in await texts(services, asked, provider) if "auth bug" in text]) == 2
        await change(services, first, status=RowStatus.REMOVAL, removal_marked_at=NOW)
        assert BUG not in await texts(services, asked, provider)
        await services.store.write(WriteBatch(tombstones=(tombstone(second),)))
        assert not [text for text in await texts(services, asked, provider) if "auth bug" in text]
        await tell(services, "Wrote a test for the auth bug of the login form.")
        assert "Wrote a test for the auth bug of the login form." in await texts(services, asked, provider)
    assert embedder.texts.count(asked) == (0 if provider == "local-fts" else 1), "a question is encoded once"


@pytest.mark.requirement("ruling:F.7b", "s1:field:status")
async def test_a_thought_that_is_marked_for_removal_is_not_found_and_still_stands_behind_its_sentence(
    tmp_path: Path,
) -> None:
    async with memory(tmp_path, grounded()) as services:
        moved, *_ = await tell(services, *KILN)
        await change(services, moved, status=RowStatus.REMOVAL, removal_marked_at=NOW)
        found = await services.find(RetrieveRequest(query=MOVED, provider="local-hybrid", floor=0.0, top_k=50))
        (derived,) = await services.graph.derived_from([moved])
        exchange = (await ask(services)).exchange
        still = (await services.store.fetch([moved]))[moved]
    assert moved not in {row_id for snippet in found.snippets for row_id in (snippet.id, *snippet.also_in)}
    assert isinstance(derived, Observation)
    assert [(span.thought_id, MOVED[span.start : span.end]) for span in derived.provenance] == [(moved, MOVED)]
    assert derived.id in exchange.memories_referenced
    assert isinstance(still, Thought)
    assert (still.content, still.status) == (MOVED, RowStatus.REMOVAL)
