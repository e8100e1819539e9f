"""How a turn reads its question: follow-ups, times, names, and any text at all."""

from pathlib import Path

import pytest

from played_turns import FIRED, KILN, MOVED, ask, grounded, know, later, memory, quoting, scripted, stored, tell
from present import present
from voice.core.grounding.values import RefusalReason
from voice.ports.llm import LlmRequest
from voice.services.retrieval.search import Retrieve
from voice.services.turn.ask import Ask


@pytest.mark.requirement("ruling:E.1", "s2:tool:continue")
async def test_a_follow_up_leans_on_the_question_before_it(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    async with memory(tmp_path, grounded(seen), told=KILN) as services:
        await ask(services, "Where is the kiln in the shed?")
        follow_up = await ask(services, "And when was that?")
        alone = await ask(services, "And when was that?", new_topic="another thread")
    assert follow_up.exchange.status == "answered"
    assert follow_up.exchange.my_query == "And when was that?"
    assert seen[1].question == "And when was that?\nkiln shed"
    assert MOVED in seen[1].prompt
    assert alone.exchange.reason is RefusalReason.NO_SOURCES


@pytest.mark.requirement("ruling:E.1", "ruling:D5")
async def test_a_follow_up_finds_what_the_question_before_it_named_and_is_judged_without_the_name(
    tmp_path: Path,
) -> None:
    seen: list[LlmRequest] = []
    ada = ("Ada moved to the flat in Porto in 2019.", "Ada liked the flat in Porto from the first day.")
    async with memory(tmp_path, scripted(quoting(*ada), seen=seen)) as services:
        await know(services, "Ada", "person", "my sister")
        await tell(services, *ada, *KILN)
        await ask(services, "What flat in Porto did Ada move to?")
        follow_up = await ask(services, "And when was that?")
    assert follow_up.exchange.status == "answered"
    assert seen[1].question == "And when was that?\nflat move"
    assert set(ada) <= {row.text for row in seen[1].evidence}
    assert "## Question\nAnd when was that?\n" in seen[1].prompt


FEBRUARY = ("The kiln stood in the cellar of the house.", "Marta swept the cellar around the kiln.")


@pytest.mark.requirement("ruling:E.1", "s3:api:when", "s3:time:clock", "s3:flow:b")
async def test_a_time_in_the_question_narrows_the_evidence_and_an_explicit_one_overrides_it(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    client = scripted(quoting(*FEBRUARY), quoting(MOVED, FIRED), seen=seen)
    async with memory(tmp_path, client) as services:
        await tell(services, *KILN, created_at=later(days=-2))
        await tell(services, *FEBRUARY, created_at=later(days=-35))
        february = await ask(services, "Where was the kiln last month?")
        overridden = await ask(services, "Where was the kiln last month?", when="this week")
    assert february.exchange.status == "answered"
    assert {row.text for row in seen[0].evidence} == set(FEBRUARY)
    assert MOVED in {row.text for row in seen[1].evidence}
    assert not {row.text for row in seen[1].evidence} & set(FEBRUARY)
    assert present(overridden.parsed).time_from_when


def test_a_retrieval_has_no_way_to_call_a_model() -> None:
    assert "llm" not in Retrieve.__dataclass_fields__
    assert "llm" in Ask.__dataclass_fields__


ANY_TEXT = (
    "(excited)+?", "C++?", "login.py", "'; DROP TABLE thoughts; --", "窯はどこ？", "\u202eerehw\u202c", "😀" * 50,
    "$question", "a" * 20_000,
)  # fmt: skip


@pytest.mark.requirement("ruling:G.2a", "s3:test:regex-escaping")
async def test_any_text_can_be_asked(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=(*KILN, "(excited)+? about C++ and login.py")) as services:
        for question in ANY_TEXT:
            await ask(services, question)
        kept = await stored(services)
    assert sorted(each.my_query for each in kept) == sorted(ANY_TEXT)
    assert {each.status for each in kept} <= {"answered", "refused"}
