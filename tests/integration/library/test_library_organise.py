"""Organising notes from a program."""

from pathlib import Path

import pytest

from played_turns import NOW, given
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts
from voice.core.errors import FeatureDisabled
from voice.core.settings.values import GateSettings
from voice.entrypoints.library import Voice

PARTS = Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(128))
ADA = "Ada Lund works at Kiln Co in Porto."


@pytest.mark.requirement("s1:outcome:answer", "s1:param:content", "ruling:A21")
async def test_a_program_organises_by_the_tools_own_parameters(tmp_path: Path) -> None:
    async with Voice.open(given(gate=GateSettings(enabled=True)), tmp_path, parts=PARTS) as voice:
        await voice.remember(ADA)
        assert await voice.services.review.moderation.candidates.count() == 4
        found = await voice.organise("Who works at Kiln Co?", sim_thresh=0.1, stage_kg=True, save=False)
        assert (found.synthesized_answer, found.saved_thought_id, found.pending_entities) == (ADA, None, 3)


@pytest.mark.requirement("ruling:A8")
async def test_organising_is_off_with_the_inner_voice(tmp_path: Path) -> None:
    async with Voice.open(given(), tmp_path, parts=PARTS) as voice:
        with pytest.raises(FeatureDisabled):
            await voice.organise("kiln")
