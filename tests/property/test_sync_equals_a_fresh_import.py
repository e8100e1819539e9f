"""Whatever is done to a folder of notes, the memory that is synced with it says what a fresh import would say."""

import re
import tempfile
from datetime import UTC
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from played_turns import ask, memory
from played_turns import given as settings_of
from voice.adapters.llm.extractive import ExtractiveClient
from voice.bootstrap import Services
from voice.core.grounding.values import GroundingPolicy
from voice.core.interchange.arrival import Entrance
from voice.core.records import Observation, RowStatus, Thought
from voice.core.retrieval.params import RetrieveRequest
from voice.core.text.normalise import content_hash
from voice.ports.stores import Change
from voice.services.importing import ImportRequest

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
@given(edits=EDITS)
def test_a_synced_memory_answers_and_finds_what_a_fresh_import_does(edits: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        anyio.run(_compared, Path(place), edits)


async def _compared(place: Path, edits: list[tuple[str, str, str]]) -> None:
    folder = place / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "z.md").write_text("This note is never touched.")
    async with memory(place / "synced", ExtractiveClient(), settings=SETTINGS) as services:
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
