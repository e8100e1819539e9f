"""How a turn reads its question: follow-ups, times, names, and any text at all."""

from datetime import datetime
from pathlib import Path

import pytest

from played_turns import FIRED, KILN, MOVED, ask, given, grounded, know, later, memory, quoting, scripted, stored, tell
from present import present
from voice.core.errors import InvalidParams
from voice.core.grounding.values import RefusalReason
from voice.core.settings.values import TimeSettings
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


@pytest.mark.requirement("ruling:D5", "promise:1")
@pytest.mark.parametrize("follow_up", ["And Tom?", "And what about Tom?", "and tom?"])
async def test_a_follow_up_about_somebody_else_is_not_answered_with_the_one_before(
    tmp_path: Path, follow_up: str
) -> None:
    ada = ("Ada lives in a small flat in Porto.", "Ada moved to Porto because she wanted to live by the sea.")
    async with memory(tmp_path, told=ada) as services:
        first = await ask(services, "Where does Ada live?")
        second = await ask(services, follow_up)
    assert first.exchange.status == "answered"
    assert (second.exchange.status, second.exchange.sources) == ("refused", ())


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


@pytest.mark.requirement("ruling:E.5")
async def test_a_time_that_is_not_understood_is_an_error_only_where_it_was_explicit(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        with pytest.raises(InvalidParams, match="when"):
            await ask(services, when="the day of the purple moon")
        assert await stored(services) == []
        vague = await ask(services, "Where was the kiln a while ago?")
    parsed = present(vague.parsed)
    assert parsed.window is None
    assert "when_unparsed" in {notice.code for notice in parsed.notices}


@pytest.mark.requirement("s3:time:timezone")
async def test_a_day_is_a_day_of_the_persons_zone(tmp_path: Path) -> None:
    late = datetime.fromisoformat("2026-03-19T23:30:00-05:00")  # yesterday in Chicago, today in UTC
    settings = given(time=TimeSettings(timezone="America/Chicago"))
    async with memory(tmp_path, grounded(), settings=settings) as services:
        await tell(services, MOVED, FIRED, created_at=late)
        yesterday = await ask(services, "Where was the kiln yesterday?")
    assert yesterday.exchange.status == "answered"
    assert present(yesterday.exchange.prompt).timezone == "America/Chicago"


@pytest.mark.requirement("s3:parser:aliases", "s3:parser:stopwords")
async def test_an_alias_in_a_question_means_its_entity(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        marta = await know(services, "Marta", "person", "a potter", "Auntie")
        await tell(services, *KILN)
        turn = await ask(services, "The bowls: what did Auntie fire in the kiln?")
    assert present(turn.parsed).entity_ids == (marta,)
    assert turn.exchange.status == "answered"


def test_a_retrieval_has_no_way_to_call_a_model() -> None:
    assert "llm" not in Retrieve.__dataclass_fields__
    assert "llm" in Ask.__dataclass_fields__


ANY_TEXT = (
    "(excited)+?", "C++?", "login.py", "'; DROP TABLE thoughts; --", "窯はどこ？", "\u202eerehw\u202c", "😀" * 50,
    "$question", "a" * 20_000,
)  # fmt: skip


@pytest.mark.requirement("ruling:G.2a", "s3:test:regex-escaping")
@pytest.mark.parametrize("question", ANY_TEXT)
async def test_any_text_can_be_asked(tmp_path: Path, question: str) -> None:
    async with memory(tmp_path, grounded(), told=(*KILN, "(excited)+? about C++ and login.py")) as services:
        turn = await ask(services, question)
        (kept,) = await stored(services)
    assert kept.my_query == turn.exchange.my_query == question
    assert kept.status in {"answered", "refused"}
