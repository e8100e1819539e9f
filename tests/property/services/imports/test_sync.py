"""Whatever is done to a folder of notes, the memory that is synced with it says what a fresh import would say."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from played_turns import NOW, ask, memory, stored
from played_turns import given as settings_of
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Services
from voice.core.grounding.values import GroundingPolicy
from voice.core.interchange.origin import Entrance
from voice.core.records import Observation, Row, RowStatus, Thought
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.values import Gone, SyncSettings
from voice.core.text.normalise import content_hash
from voice.ports.stores import Change
from voice.services.imports.request import ImportRequest

pytestmark = [pytest.mark.requirement("ruling:I4"), pytest.mark.slow]
SETTINGS = settings_of(grounding=GroundingPolicy(single_source="green"))
SAID = (
    "Marta lives in Porto now.",
    "Jonas keeps the bees behind the shed.",
    "The blue glaze needs cobalt and two firings.",
    "Irma sold the van in October.",
    "The ferry to Faro leaves at nine.",
)
ASKED = (
    "Where does Marta live?",
    "Who keeps the bees?",
    "What does the blue glaze need?",
    "When does the ferry leave?",
)
PLACES = ("a.md", "b.md", "sub/c.md", "sub/d.md")
HEADS = ("", "---\nid: n1\n---\n", "---\nid: n2\n---\n", "---\ndate: 2025-03-05\ntags: [pottery]\n---\n", "%%\n")
NOTES = st.tuples(st.sampled_from(HEADS), st.lists(st.sampled_from(SAID), min_size=1, max_size=3)).map(
    lambda note: note[0] + "\n".join(note[1])
)
WRITE = st.tuples(st.just("write"), st.sampled_from(PLACES), NOTES)
MOVE = st.tuples(st.just("move"), st.sampled_from(PLACES), st.sampled_from(PLACES))
DELETE = st.tuples(st.just("delete"), st.sampled_from(PLACES), st.just(""))
SYNC = st.tuples(st.just("sync"), st.just(""), st.just(""))
EDITS = st.lists(st.one_of(WRITE, WRITE, MOVE, DELETE, SYNC), min_size=3, max_size=14)


@settings(max_examples=12, deadline=None)
@given(edits=EDITS, become=st.sampled_from(get_args(Gone)))
def test_a_synced_memory_answers_and_finds_what_a_fresh_import_does(
    edits: list[tuple[str, str, str]], become: Gone
) -> None:
    with tempfile.TemporaryDirectory() as place:
        anyio.run(_compared, Path(place), edits, become)


async def _compared(place: Path, edits: list[tuple[str, str, str]], become: Gone) -> None:
    folder = place / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "z.md").write_text("This note is never touched.")
    chosen = replace(SETTINGS, sync=SyncSettings(gone=become))
    async with memory(place / "synced", ExtractiveClient(), settings=chosen) as services:
        for act, first, second in edits:
            _edit(folder, act, first, second)
            if act == "sync":
                await services.following.sync(_request(folder))
        await services.following.sync(_request(folder))
        again = await services.following.sync(_request(folder))
        synced = await _said(services)
    assert again.counts.unchanged == len(list(folder.rglob("*.md")))
    assert not again.fresh
    async with memory(place / "fresh", ExtractiveClient(), settings=SETTINGS) as services:
        await services.transfer.import_memory(_request(folder))
        fresh = await _said(services)
    assert synced == fresh


def _edit(folder: Path, act: str, first: str, second: str) -> None:
    path = folder / first
    if act == "write":
        path.write_text(second)
    elif act == "move" and path.is_file():
        path.replace(folder / second)
    elif act == "delete":
        path.unlink(missing_ok=True)


def _request(folder: Path) -> ImportRequest:
    return ImportRequest(path=str(folder), entrance=Entrance.CLI, zone=UTC)


async def _said(services: Services) -> list[object]:
    """Return what a memory holds that is in use, with its vectors, and what it finds and answers.

    Tags that a note has no more stay (ruling I4). Where two notes say the same, what was in use before weighs in which
    of them is shown: their dates are left out.
    """
    said: list[object] = [sorted(filter(None, map(_held, await services.store.changes(0, 100_000))))]
    for question in ASKED:
        found = await services.find(RetrieveRequest(query=question, floor=0.0, top_k=50))
        said.append(sorted((each.text, each.trust_tier, each.table) for each in found.snippets))
        exchange = (await ask(services, question)).exchange
        answer = re.sub(r"\d{4}-\d\d-\d\d", "DATE", exchange.answer or "")
        said.append((answer, exchange.refused, sorted({each.span for each in exchange.sources})))
    return said


def _held(change: Change) -> tuple[str, ...] | None:
    row = change.row
    if not isinstance(row, Thought | Observation) or row.status is not RowStatus.ACTIVE or change.vector is None:
        return None
    place = row.source_ref if isinstance(row, Thought) else None
    text = row.content if isinstance(row, Thought) else row.text
    return (str(row.created_at), place or "", text, content_hash(change.vector.data.hex())[:8])


@pytest.mark.requirement("ruling:I4:gone")
@settings(max_examples=25, deadline=None)
@given(edits=EDITS, become=st.sampled_from(get_args(Gone)))
def test_what_is_gone_is_kept_as_of_before_or_forgotten_everywhere(
    edits: list[tuple[str, str, str]], become: Gone
) -> None:
    with tempfile.TemporaryDirectory() as place:
        anyio.run(_looked_back, Path(place), edits, become)


async def _looked_back(place: Path, edits: list[tuple[str, str, str]], become: Gone) -> None:
    folder, clock, then = place / "notes", FixedClock(NOW), list[tuple[datetime, set[str]]]()
    (folder / "sub").mkdir(parents=True)
    (folder / "z.md").write_text("This note is never touched.")
    chosen = replace(SETTINGS, sync=SyncSettings(gone=become))
    async with memory(place / "home", ExtractiveClient(), settings=chosen, clock=clock) as services:
        for act, first, second in (*edits, ("sync", "", "")):
            _edit(folder, act, first, second)
            if act == "sync":
                await services.following.sync(_request(folder))
                then.append((clock.now() + timedelta(hours=1), _sentences(folder)))
                await ask(services, ASKED[len(then) % len(ASKED)])
                clock.advance(timedelta(days=1))
        held = {row.id: row for change in await services.store.changes(0, 100_000) if (row := change.row)}
        if become == "keep":
            for number, (moment, said) in enumerate(then):
                found = await _found(services, moment)
                # A note that is back, in whatever words, is what it was: as if it had never left.
                back = _said_in(then[:number]) if number + 1 < len(then) else set[str]()
                assert said <= found <= said | back
            return
        assert [row.id for row in held.values() if not _is_in_use(row, held)] == []
        assert await _found(services, None) == _sentences(folder)
        answers = "\n".join(each.answer or "" for each in await stored(services))
        words = "\n".join(row.content for row in held.values() if isinstance(row, Thought))
        assert [each for each in SAID if each in answers and each not in words] == []


def _sentences(folder: Path) -> set[str]:
    texts = [path.read_text() for path in folder.rglob("*.md")]
    return {each for each in SAID if any(each in text for text in texts)}


def _said_in(times: Sequence[tuple[datetime, set[str]]]) -> set[str]:
    return set[str]().union(*(said for _, said in times))


async def _found(services: Services, as_of: datetime | None) -> set[str]:
    found = set[str]()
    for each in SAID:
        query = each.replace(" in October", "").replace(" at nine", "")  # a time would be asked for
        request = RetrieveRequest(query=query, floor=0.0, top_k=50, as_of=as_of)
        texts = [snippet.text for snippet in (await services.find(request)).snippets]
        found |= {each} if any(each in text for text in texts) else set()
    return found


def _is_in_use(row: Row, held: dict[str, Row]) -> bool:
    """Return whether a row is in use, or is the past of one that is, or fell with what was corrected in one that is."""
    behind: Sequence[Row | None] = [held.get(row.superseded_by)] if row.superseded_by else []
    if row.status is RowStatus.SUPERSEDED and not behind and isinstance(row, Observation):
        behind = [held.get(each.thought_id) for each in row.provenance]
    is_past = row.status is RowStatus.SUPERSEDED and bool(behind)
    return row.status is RowStatus.ACTIVE or (is_past and all(each and _is_in_use(each, held) for each in behind))
