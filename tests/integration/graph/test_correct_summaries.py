"""What was summed up before a correction falls with it and is made again of what stands."""

from pathlib import Path

import pytest

from changed_rows import row_that_says
from played_turns import FIRED, GLAZE, KILN, MOVED, NOW, WHERE, ask, given, memory, quoting, scripted, tell
from voice.core.recall.params import RecallRequest
from voice.core.records import Scope
from voice.core.settings.values import SessionSettings
from voice.services.graph.correct import CorrectRequest

pytestmark = pytest.mark.requirement("ruling:F.6", "ruling:D16")
BOTH = "What does the blue glaze for the bowls need, and where is the kiln?"
TURNED = "The kiln was fired at cone 10 on Sunday."


async def test_a_sessions_summary_loses_the_sentence_whose_source_was_corrected(tmp_path: Path) -> None:
    client = scripted(quoting(GLAZE, MOVED), quoting(MOVED, FIRED))
    small = given(session=SessionSettings(window_limit=2, window_keep=1))
    async with memory(tmp_path, client, settings=small) as services:
        await tell(services, *KILN)
        for question in (BOTH, WHERE, WHERE):
            await ask(services, question)
        said = await row_that_says(services, FIRED)
        await services.correcting(CorrectRequest(row_id=said.id, text=TURNED))
        turn = await ask(services, BOTH)
        told = await services.recall(RecallRequest(query="kiln", scope=Scope.ALL, now=NOW))
    assert turn.plan is not None
    assert {each.reason for each in turn.plan.skipped} == {"source_superseded"}
    assert turn.session.rolling_summary is not None
    assert FIRED not in turn.session.rolling_summary.text
    assert told.current_summary is not None
    assert FIRED not in told.current_summary.content
