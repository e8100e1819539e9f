"""Summaries are made again with bounded reading, and recall tells what they came to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from changed_rows import superseded
from played_turns import BOTH, FIRED, GLAZE, GROUNDED, KILN, MOVED, NOW, WHERE, ask, given, memory, quoting, scripted
from present import present
from stand_ins import stand_in
from store_values import exchange, observation, session
from stores_in_memory import store_in_memory
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.grounding.values import Receipt, SentenceVerdict
from voice.core.recall.params import RecallRequest
from voice.core.records import Scope, TrustTier
from voice.core.session.lifecycle import append
from voice.core.session.rolling_summary import fold
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.settings.values import SessionSettings
from voice.core.text.normalise import content_hash
from voice.ports.stores import WriteBatch
from voice.services.turn.summaries import Summaries

pytestmark = pytest.mark.requirement("sessions:summary", "ruling:D16")
MOST_TOKENS = 60


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
    pages: list[int]
    """How many turns each reading asked for."""


async def world(texts: Sequence[str]) -> World:
    stores = await store_in_memory()
    rows = [observation(str(index), text) for index, text in enumerate(texts) if text]
    await stores.memory.write(WriteBatch(rows=tuple(rows)))
    turns = [said(index, text) for index, text in enumerate(texts)]
    so_far = session()
    for turn in turns:
        so_far = append(so_far, turn)
    so_far = replace(fold(so_far, turns, now=NOW, count=words, max_tokens=MOST_TOKENS), revision=1)
    pages: list[int] = []

    async def counted(*, session_id: str, after_index: int, limit: int) -> list[DialogueExchange]:
        pages.append(limit)
        return await stores.sessions.exchanges(session_id=session_id, after_index=after_index, limit=limit)

    summaries = Summaries(
        sessions=stand_in(stores.sessions, exchanges=counted),
        store=stores.memory,
        clock=FixedClock(NOW),
        count=words,
        max_tokens=MOST_TOKENS,
        timezone="UTC",
        quarantine=True,
    )
    return World(session=await stores.sessions.save(so_far, turns, expected=0), summaries=summaries, pages=pages)


async def test_only_as_many_turns_are_read_as_fill_the_summary() -> None:
    made = await world([f"Kiln number {n} is hot." for n in range(300)])
    assert await made.summaries(made.session) is made.session
    assert sum(made.pages) < 50


@pytest.mark.requirement("ruling:D11")
async def test_what_recall_tells_of_a_session_is_made_of_what_stands_and_marked_as_a_summary(tmp_path: Path) -> None:
    client = scripted(quoting(GLAZE, MOVED), GROUNDED)
    small = given(session=SessionSettings(window_limit=2, window_keep=1))
    async with memory(tmp_path, client, settings=small, told=KILN) as services:
        for question in (BOTH, WHERE, WHERE):
            await ask(services, question)
        await superseded(services)
        turn = await ask(services, BOTH)
        told = await services.recall(RecallRequest(query="kiln", scope=Scope.ALL, now=NOW))
    summary, shown = present(turn.session.rolling_summary), present(told.current_summary)
    assert shown.content == summary.text
    assert FIRED not in shown.content
    assert (shown.entity_kind, shown.kind, shown.trust) == ("summary", "summary", TrustTier.AMBER)
    assert shown.evidence_refs == summary.source_ids
