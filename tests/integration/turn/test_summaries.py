"""Summaries are made again with bounded reading, and recall tells what they came to."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from changed_rows import rewrite, row_that_says
from played_turns import FIRED, GLAZE, KILN, MOVED, NOW, WHERE, ask, given, memory, quoting, scripted, tell
from store_values import exchange, observation, session
from stores_in_memory import store_in_memory
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.grounding.values import Receipt, SentenceVerdict
from voice.core.recall.params import RecallRequest
from voice.core.records import RowStatus, Scope, TrustTier
from voice.core.session.history import SkippedPart
from voice.core.session.lifecycle import append
from voice.core.session.rolling_summary import fold
from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary
from voice.core.settings.values import SessionSettings
from voice.core.text.normalise import content_hash
from voice.ports.stores import WriteBatch
from voice.services.turn.summaries import MOST_TURNS, Summaries, SummarySettings

pytestmark = pytest.mark.requirement("sessions:summary", "ruling:D16")
BOTH = "What does the blue glaze for the bowls need, and where is the kiln?"


def words(text: str) -> int:
    return len(text.split())


def said(index: int, text: str) -> DialogueExchange:
    """An answer of one sentence that is a row's, or a refusal where there are no words."""
    receipt = Receipt(row_id=f"o:{index}", content_hash=content_hash(text), start=0, end=1)
    sentence = SentenceVerdict(
        start=0, end=len(text), text=text, kind="claim", rung="verified", weight=3.0, receipts=(receipt,)
    )
    moment = NOW + timedelta(minutes=index)
    if not text:
        return exchange(index=index, timestamp=moment, answer="", status="refused", refused=True)
    return exchange(index=index, timestamp=moment, answer=text, sentences=(sentence,))


@dataclass(slots=True)
class World:
    """A session whose turns are all folded, and who makes its summary again."""

    session: InnerVoiceSession
    summaries: Summaries
    pages: list[int] = field(default_factory=list[int])
    """How many turns each reading asked for."""

    @property
    def summary(self) -> RollingSummary:
        assert self.session.rolling_summary is not None
        return self.session.rolling_summary


async def world(texts: Sequence[str], *, most: int, monkeypatch: pytest.MonkeyPatch) -> World:
    stores = await store_in_memory()
    rows = [observation(str(index), text) for index, text in enumerate(texts) if text]
    await stores.memory.write(WriteBatch(rows=tuple(rows)))
    turns = [said(index, text) for index, text in enumerate(texts)]
    so_far = session()
    for turn in turns:
        so_far = append(so_far, turn)
    so_far = replace(fold(so_far, turns, now=NOW, count=words, max_tokens=most), revision=1)
    made = World(
        session=await stores.sessions.save(so_far, turns, expected=0),
        summaries=Summaries(
            sessions=stores.sessions,
            store=stores.memory,
            clock=FixedClock(NOW),
            count=words,
            settings=SummarySettings(max_tokens=most, timezone="UTC", quarantine=True),
        ),
    )
    read = stores.sessions.exchanges

    async def counted(*, session_id: str, after_index: int, limit: int) -> list[DialogueExchange]:
        made.pages.append(limit)
        return await read(session_id=session_id, after_index=after_index, limit=limit)

    monkeypatch.setattr(stores.sessions, "exchanges", counted)
    return made


async def test_only_as_many_turns_are_read_as_fill_the_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    made = await world([f"Kiln number {n} is hot." for n in range(300)], most=60, monkeypatch=monkeypatch)
    assert await made.summaries(made.session) is made.session
    assert sum(made.pages) < 50


async def test_however_little_was_said_no_more_than_some_turns_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["The kiln is hot.", *[""] * (2 * MOST_TURNS), "The kiln is cold."]
    made = await world(texts, most=60, monkeypatch=monkeypatch)
    after = await made.summaries(made.session)
    assert sum(made.pages) == MOST_TURNS
    assert after.rolling_summary is not None
    assert [line.turns for line in after.rolling_summary.lines] == [(len(texts) - 1,)]
    assert after.rolling_summary.from_index == len(texts) - MOST_TURNS
    assert await made.summaries(after) is after


@pytest.mark.parametrize("reason", ["source_private", "source_not_asked_for"])
async def test_nothing_is_read_for_what_only_one_reader_may_not_see(
    monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    made = await world(["The kiln is hot."], most=60, monkeypatch=monkeypatch)
    skipped = SkippedPart(part="summary", reason=reason)  # pyright: ignore[reportArgumentType]
    turn = SkippedPart(part="x:1-0", reason="source_removed")
    assert await made.summaries.heal(made.session, [skipped, turn]) is made.session
    assert made.pages == []


async def test_a_session_without_a_summary_has_none_to_make_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = await world(["The kiln is hot."], most=60, monkeypatch=monkeypatch)
    bare = replace(made.session, rolling_summary=None)
    assert await made.summaries(bare) is bare
    assert await made.summaries.heal(bare, [SkippedPart(part="summary", reason="source_removed")]) is bare


@pytest.mark.requirement("ruling:D11")
async def test_what_recall_tells_of_a_session_is_made_of_what_stands_and_marked_as_a_summary(tmp_path: Path) -> None:
    client = scripted(quoting(GLAZE, MOVED), quoting(MOVED, FIRED))
    small = given(session=SessionSettings(window_limit=2, window_keep=1))
    async with memory(tmp_path, client, settings=small) as services:
        await tell(services, *KILN)
        for question in (BOTH, WHERE, WHERE):
            await ask(services, question)
        await rewrite(
            services, await row_that_says(services, FIRED), status=RowStatus.SUPERSEDED, superseded_by="o:newer"
        )
        turn = await ask(services, BOTH)
        told = await services.recall(RecallRequest(query="kiln", scope=Scope.ALL, now=NOW))
    assert turn.session.rolling_summary is not None
    shown = told.current_summary
    assert shown is not None
    assert shown.content == turn.session.rolling_summary.text
    assert FIRED not in shown.content
    assert (shown.entity_kind, shown.kind, shown.trust) == ("summary", "summary", TrustTier.AMBER)
    assert shown.evidence_refs == turn.session.rolling_summary.source_ids
