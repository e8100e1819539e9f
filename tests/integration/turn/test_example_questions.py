"""The example memory, imported with the real encoder and asked all its questions with the offline provider.

What is asserted is what a person would say of the answers: nothing is answered that the memory does not hold, what it
holds is answered from the right thoughts, times are kept to, private rows stay in. Private questions are asked as their
person asks them.
"""

import json
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypedDict, cast
from zoneinfo import ZoneInfo

import pytest

from present import present
from store_values import observation
from tables import tables
from voice.adapters.files.packaged_data import EXAMPLE_NOW, EXAMPLE_ZONE, example_memory, example_questions
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.grounding.values import RefusalReason, Stance
from voice.core.interchange.origin import Entrance
from voice.core.retrieval.searchable_text import is_in
from voice.core.retrieval.values import Window
from voice.core.settings.parse import parse_settings
from voice.services.imports.request import ImportRequest
from voice.services.turn.ask import Ask, AskRequest, Turn

TABLES = tables(__file__)

OUTLINED = frozenset({"outline", "undated"})
"""Questions over notes in outline form: single lines answer them, which a re-ranker finds better than rules do."""
OF_SEVERAL = frozenset({"several", "time", "contradiction"})
"""Questions that more than one note may answer: what is asked where two sources are wanted, too."""
pytestmark = pytest.mark.xdist_group("example")  # what all of it is asked of is made once

SingleSource = Literal["off", "green"]


class Entry(TypedDict):
    """A question as the file holds it."""

    id: str
    question: str
    category: str
    language: str
    stance: str
    evidence: list[str]
    unanswerable: bool
    needs_private: bool
    window: dict[str, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with what came of it."""

    entry: Entry
    turn: Turn

    @property
    def answered(self) -> bool:
        return self.turn.exchange.status == "answered"

    @property
    def cited_thoughts(self) -> frozenset[str]:
        """The thoughts behind the cited rows."""
        behind = {row.row_id: row.thought_ids for row in present(self.turn.plan).evidence}
        return frozenset(thought for source in self.turn.exchange.sources for thought in behind[source.source_id])

    @property
    def is_from_evidence(self) -> bool:
        return self.answered and not self.cited_thoughts.isdisjoint(self.entry["evidence"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """The open memory, and every question asked once under each policy."""

    services: Services
    asked: Mapping[SingleSource, Mapping[str, Asked]]

    def of_prose(self, policy: SingleSource) -> list[Asked]:
        return [each for each in self.of(policy) if each.entry["category"] not in OUTLINED]

    def of(self, policy: SingleSource, *, unanswerable: bool = False, **wanted: object) -> list[Asked]:
        return [
            asked
            for asked in self.asked[policy].values()
            if asked.entry["unanswerable"] is unanswerable
            and all(asked.entry.get(key) == value for key, value in wanted.items())
        ]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Keep one event loop for the one memory of this module."""
    return "asyncio"


@pytest.fixture(scope="module")
async def played(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Played]:
    """Import the example and ask everything, once for all tests: encoding takes ten seconds."""
    flags = {"gate.enabled": True, "llm.provider": "extractive", "time.timezone": EXAMPLE_ZONE}
    settings = parse_settings(flags, {}, {}).settings
    home = tmp_path_factory.mktemp("example") / "home"
    async with open_services(settings, home, Parts(clock=FixedClock(EXAMPLE_NOW))) as services:
        request = ImportRequest(path=str(example_memory()), entrance=Entrance.CLI, zone=ZoneInfo(EXAMPLE_ZONE))
        report = await services.transfer.import_memory(request)
        assert not report.bad
        green = await _asked(services, "green", entries())
        strict = await _asked(services, "off", [entry for entry in entries() if entry["category"] in OF_SEVERAL])
        yield Played(services=services, asked={"green": green, "off": strict})


def entries() -> list[Entry]:
    return cast("list[Entry]", json.loads(example_questions().read_text("utf-8"))["questions"])


async def _asked(services: Services, policy: SingleSource, wanted: Iterable[Entry]) -> dict[str, Asked]:
    ask = demanding(services.makers.ask(), policy)
    return {entry["id"]: Asked(entry=entry, turn=await ask(request_of(entry))) for entry in wanted}


def demanding(ask: Ask, policy: SingleSource) -> Ask:
    return replace(ask, settings=replace(ask.settings, grounding=replace(ask.settings.grounding, single_source=policy)))


def request_of(entry: Entry) -> AskRequest:
    return AskRequest(
        question=entry["question"],
        new_topic=entry["id"],
        stance=Stance(entry["stance"]),
        include_private=entry["needs_private"],
    )


@pytest.mark.requirement("promise:2", "ruling:D5")
async def test_what_the_memory_does_not_hold_is_never_answered(played: Played) -> None:
    asked = played.of("green", unanswerable=True)
    assert [each.entry["id"] for each in asked if each.answered] == []
    assert len(asked) > 5


@pytest.mark.requirement("ruling:A21", "ruling:D3")
async def test_nine_of_ten_questions_are_answered_from_their_evidence_where_one_green_source_is_enough(
    played: Played,
) -> None:
    asked = played.of_prose("green")
    assert len(asked) == 40
    assert sum(each.is_from_evidence for each in asked) >= 36


@pytest.mark.requirement("ruling:D2", "ruling:D3")
async def test_six_of_ten_have_two_sources_and_the_rest_say_that_they_lack_one(played: Played) -> None:
    asked = played.of("off")
    assert len(asked) == 23
    assert sum(each.is_from_evidence for each in asked) >= 14
    reasons = [each.turn.exchange.reason for each in asked if not each.answered]
    assert reasons.count(RefusalReason.TOO_FEW_SOURCES) >= len(reasons) - 3


@pytest.mark.requirement("ruling:D5", "ruling:I1", "ruling:I2")
async def test_a_question_over_an_outline_or_an_undated_note_is_answered_from_it_or_shown_it(played: Played) -> None:
    asked = [each for each in played.of("green") if each.entry["category"] in OUTLINED]
    assert len(asked) == 7
    for each in asked:
        behind = {row.row_id: row.thought_ids for row in present(each.turn.plan).evidence}
        shown = (*each.turn.exchange.sources, *each.turn.exchange.evidence_found)
        assert {thought for one in shown for thought in behind[one.source_id]} & {*each.entry["evidence"]}, each.entry


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("policy", ["off", "green"])
async def test_what_is_answered_but_for_one_cites_a_thought_that_holds_the_answer(
    played: Played, policy: SingleSource
) -> None:
    beside = [each.entry["id"] for each in played.of(policy) if each.answered and not each.is_from_evidence]
    assert len(beside) <= 1, beside
    assert any(each.answered for each in played.of(policy))


@pytest.mark.requirement("promise:1")
@pytest.mark.parametrize("policy", ["off", "green"])
async def test_answers_are_one_to_four_supported_sentences(played: Played, policy: SingleSource) -> None:
    for each in played.of(policy):
        if each.answered:
            lines = [line for line in each.turn.exchange.answer.splitlines() if not line.startswith("- ")]
            assert 1 <= len(lines) <= (4 if each.entry["window"] is None else 12), each.entry["id"]
            assert each.turn.exchange.coverage_ratio == 1.0, each.entry["id"]


async def test_german_questions_are_answered_in_the_words_of_german_notes(played: Played) -> None:
    asked = played.of("green", language="de")
    assert len(asked) == 7
    assert sum(each.is_from_evidence for each in asked) >= 5


@pytest.mark.requirement("ruling:E.1", "ruling:I3")
async def test_a_question_about_a_time_sees_only_what_was_told_then_or_speaks_of_it(played: Played) -> None:
    asked = played.of("green", category="time")
    assert len(asked) == 8
    for each in asked:
        assert each.turn.plan is not None
        assert each.entry["window"] is not None
        window = Window(
            start=datetime.fromisoformat(each.entry["window"]["start"]),
            end=datetime.fromisoformat(each.entry["window"]["end"]),
        )
        assert each.answered, each.entry["id"]
        shown = [replace(observation("1", row.text), created_at=row.created_at) for row in each.turn.plan.evidence]
        assert all(is_in(window, row) for row in shown), each.entry["id"]


@pytest.mark.parametrize("question_id", ["q33", "q34", "q35", "q37"])
async def test_every_opinion_that_changed_is_challenged_from_two_thoughts(played: Played, question_id: str) -> None:
    each = played.asked["off"][question_id]
    assert each.answered
    assert len(each.cited_thoughts & set(each.entry["evidence"])) >= 2


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize("question_id", ["q38", "q39", "q40"])
async def test_private_rows_answer_only_when_they_are_allowed(played: Played, question_id: str) -> None:
    allowed = played.asked["green"][question_id]
    assert allowed.is_from_evidence
    assert allowed.turn.exchange.is_private
    request = replace(request_of(allowed.entry), include_private=False)
    turn = await demanding(played.services.makers.ask(), "green")(request)
    assert turn.plan is None or not any(row.is_private for row in turn.plan.evidence)
    secret = {row.row_id for row in present(allowed.turn.plan).evidence if row.is_private}
    shown = {source.source_id for source in (*turn.exchange.sources, *turn.exchange.evidence_found)}
    assert secret
    assert shown.isdisjoint(secret)


@pytest.mark.requirement("ruling:D22", "ruling:A13")
async def test_the_hostile_clipping_and_the_assistants_mistake_are_never_sources(played: Played) -> None:
    hostile = {"t:260109-web-pinblock", "t:251015-assistant-wrong"}
    every = [each for policy in played.asked.values() for each in policy.values() if each.answered]
    assert every
    assert all(each.cited_thoughts.isdisjoint(hostile) for each in every)


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(("question", "answer", "missing"), TABLES["who_did_it_whose_it_is_and_who_somebody_is"])
async def test_who_did_it_whose_it_is_and_who_somebody_is(
    played: Played, question: str, answer: str | None, missing: str | None
) -> None:
    ask = demanding(played.services.makers.ask(), "green")
    exchange = (await ask(AskRequest(question=question, new_topic="who"))).exchange

    assert (exchange.notes or "").startswith(missing or "")
    assert exchange.refused is (answer is None)
    assert (answer or "") in exchange.answer
