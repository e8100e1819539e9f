"""A question that quotes is answered from rows that hold what it quotes."""

from pathlib import Path

import pytest

from played_turns import FIRED, KILN, MOVED, ask, grounded, memory, tell
from present import present
from voice.core.recall.params import RecallRequest
from voice.core.recall.pins import PinRequest
from voice.core.retrieval.params import RetrieveRequest
from voice.services.turn.ask import Turn


def shown(turn: Turn) -> set[str]:
    return {row.text for row in present(turn.plan).evidence}


@pytest.mark.requirement("ruling:E.8", "s3:config:enable_keyword_filter")
async def test_only_rows_that_hold_the_phrase_are_evidence(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        plain = await ask(services, "Where is the kiln in the shed?")
        quoting = await ask(services, 'Where is the kiln "in the SHED"?')
    assert shown(plain) >= {MOVED, FIRED}
    assert shown(quoting) == {FIRED}
    assert {one.reason for one in present(quoting.selection).dropped} == {"no_phrase"}
    assert quoting.exchange.reason == "coverage_low"


@pytest.mark.requirement("ruling:E.8")
async def test_where_nothing_holds_the_phrase_the_rest_is_looked_at_and_that_is_said(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services, 'Where is the kiln, "the great oven"?')
        never = await ask(services, 'Where is the kiln, "the great oven", in 2019?')
    assert shown(turn) >= {MOVED, FIRED}
    said = ("no passage contains “the great oven”", "searched without the quoted words")
    assert present(turn.selection).diagnostics.warnings == said
    assert present(never.selection).diagnostics.warnings[:2] == said
    assert shown(never) == set()


@pytest.mark.requirement("ruling:E.8")
@pytest.mark.parametrize("provider", ["local-fts", "local-hybrid"])
async def test_retrieve_and_recall_say_which_quoted_phrase_no_passage_contains(tmp_path: Path, provider: str) -> None:
    query = 'Where is the kiln, "the great oven", "in the shed" or "cobalt glaze"?'
    async with memory(tmp_path, grounded()) as services:
        ids = await tell(services, *KILN, "A bowl with cobalt glaze.")
        await services.pins.pin(PinRequest(target_id=ids[-1], reason="the glaze"))
        found = await services.find(RetrieveRequest(query=query, provider=provider, top_k=1))
        recalled = await services.recall(RecallRequest(query=query, provider=provider))
    assert len(found.snippets) == 1, "a phrase that a row contains need not be among what is shown"
    for warnings in (found.diagnostics.warnings, recalled.provenance.warnings):
        assert [each for each in warnings if "contains" in each] == ["no passage contains “the great oven”"]
