"""A question that quotes is answered from rows that hold what it quotes."""

from pathlib import Path

import pytest

from played_turns import FIRED, KILN, MOVED, ask, given, grounded, memory, one_turn, scripted, tell
from present import present
from voice.core.recall.params import RecallRequest
from voice.core.recall.pins import PinRequest
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.values import NlqLimits
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


@pytest.mark.requirement("ruling:E.8", "s3:config:enable_keyword_filter")
async def test_the_filter_can_be_switched_off(tmp_path: Path) -> None:
    settings = given(nlq=NlqLimits(enable_keyword_filter=False))
    turn = await one_turn(tmp_path, grounded(), settings=settings, question='Where is the kiln "in the SHED"?')
    assert shown(turn) >= {MOVED, FIRED}
    assert turn.exchange.status == "answered"


@pytest.mark.requirement("ruling:E.8")
async def test_a_phrase_is_found_among_many_rows_that_rank_before_it(tmp_path: Path) -> None:
    close = [f"The kiln was fired at cone {n} in the shed and the bowls came out blue." for n in range(150)]
    async with memory(tmp_path, scripted("never asked")) as services:
        await tell(services, *close, "A note on the kiln of the shed: cobalt needs zeppelin gas.")
        turn = await ask(services, 'What was fired in the kiln in the shed, with "zeppelin gas"?')
    assert shown(turn) == {"A note on the kiln of the shed: cobalt needs zeppelin gas."}


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
async def test_of_several_phrases_each_that_nothing_holds_is_said(tmp_path: Path) -> None:
    turn = await one_turn(tmp_path, grounded(), question='Where is the kiln, "in the shed" or "the great oven"?')
    assert present(turn.selection).diagnostics.warnings == ("no passage contains “the great oven”",)
    assert shown(turn) == {FIRED}


@pytest.mark.requirement("s3:test:regex-escaping", "ruling:C12")
async def test_a_phrase_with_signs_and_a_question_mark_is_found_in_the_sentence_that_holds_it(tmp_path: Path) -> None:
    said = "My (excited)+? regex line"
    async with memory(tmp_path, scripted("never asked"), told=(said, *KILN)) as services:
        turn = await ask(services, 'What did I note on "(excited)+? regex line"?')
    assert shown(turn) == {said}
    assert present(turn.selection).diagnostics.warnings == ()


@pytest.mark.requirement("s3:config:max_keywords")
async def test_the_keywords_of_a_question_are_as_many_as_the_setting_says(tmp_path: Path) -> None:
    words = " ".join(f"word{n}" for n in range(30))
    for most in (3, 10):
        async with memory(
            tmp_path / str(most), grounded(), settings=given(nlq=NlqLimits(max_keywords=most))
        ) as services:
            turn = await ask(services, f"Where is the kiln of {words}?")
        assert len(present(turn.parsed).terms) == most


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
