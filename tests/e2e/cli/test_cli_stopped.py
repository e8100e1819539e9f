"""A question that is stopped while the provider has not answered."""

import os
import signal
import sys
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from fakes.fake_provider import HANGING, FakeProvider
from played_turns import KILN, ON_DISK, given, memory, stored, tell
from voice.core.grounding.values import RefusalReason

PATIENCE_S = 120.0


@pytest.mark.requirement("ruling:D25", "ruling:D8", "sessions:interrupted")
@pytest.mark.parametrize(
    ("told", "handled", "code"),
    [(signal.SIGINT, signal.SIG_DFL, 130), (signal.SIGTERM, signal.SIG_IGN, 143)],
    ids=["ctrl-c", "sigterm to what a shell runs in the background, deaf to ctrl-c"],
)
async def test_a_stopped_question_says_one_line_and_what_it_spent_is_on_record(
    tmp_path: Path, told: signal.Signals, handled: signal.Handlers, code: int
) -> None:
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        await tell(services, *KILN)
    with FakeProvider() as fake:
        env = {**os.environ, **HANGING, "VOICE_HOME": str(tmp_path / "home"), "SURR_INNER_VOICE_API_BASE": fake.url}
        before = signal.signal(signal.SIGINT, handled)
        process = await anyio.open_process([sys.executable, "-m", "voice", "ask", "Where is the kiln?"], env=env)
        signal.signal(signal.SIGINT, before)
        async with process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert await to_thread.run_sync(fake.asked.wait, PATIENCE_S)
            process.send_signal(told)
            said = [b"".join([part async for part in stream]) for stream in (process.stdout, process.stderr)]
            await process.wait()
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        (turn,) = await stored(services)
        assert await services.maintenance.verify() == []
        assert await services.transcripts.faults() == []
    assert (process.returncode, said) == (code, [b"", b"voice: stopped\n"])
    assert (turn.status, turn.reason) == ("error", RefusalReason.CANCELLED)
    assert [(each.outcome, each.usage.input_tokens) for each in turn.attempts] == [("error", None)]
