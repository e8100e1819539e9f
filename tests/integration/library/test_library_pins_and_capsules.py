"""Pins and capsules from a program."""

from datetime import timedelta
from pathlib import Path

import pytest

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts
from voice.core.errors import CapsuleClosed, InvalidParams
from voice.core.recall.capsules import NewSummary
from voice.core.records import Scope
from voice.core.settings.values import Settings
from voice.entrypoints.library import Voice

PARTS = Parts(embedder=HashedEmbedder(64))
REPO = Scope(repo_id="/home/ann/kiln")


async def test_a_program_pins_and_unpins(tmp_path: Path) -> None:
    async with Voice.open(Settings(), tmp_path, parts=PARTS) as memory:
        (row,) = (await memory.remember("Moved the kiln to the shed.", scope=REPO)).stored
        pin = await memory.pin(row, "read first", lifetime=timedelta(days=7))
        assert (pin.scope, pin.expires_at) == (REPO, pin.created_at + timedelta(days=7))
        assert [view.pin for view in await memory.pins()] == [pin]
        assert await memory.pins(scope=Scope(repo_id="other")) == ()
        assert [await memory.unpin(row), await memory.unpin(row)] == [[pin.id], []]


async def test_a_program_works_in_a_capsule(tmp_path: Path) -> None:
    async with Voice.open(Settings(), tmp_path, parts=PARTS) as memory:
        capsule = await memory.open_capsule("mend the kiln", scope=REPO)
        report = await memory.remember("kiln --test", kind="tool_call", logged=True, capsule=capsule.id)
        closed = await memory.close_capsule(capsule.id, NewSummary(content="It fires again.", confidence=0.9))
        assert closed.summary is not None
        assert (closed.status, closed.summary.evidence_refs) == ("closed", report.stored)
        with pytest.raises(CapsuleClosed):
            await memory.remember("Too late.", capsule=capsule.id)
        with pytest.raises(InvalidParams):
            await memory.remember("Where?", capsule=capsule.id, scope=REPO)
