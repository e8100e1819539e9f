"""What happens while the inner voice is switched off, and what is not written down when logging is."""

import logging
from pathlib import Path

import pytest

from cli_runner import SETTINGS
from played_turns import FIRED, KILN, MOVED, NOW, ask, given, memory, quoting, scripted, tell
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts
from voice.core.errors import FeatureDisabled, ProviderRejected
from voice.core.settings.values import GateSettings, PrivacySettings
from voice.entrypoints.cli.main import exit_code
from voice.entrypoints.library import Voice

PARTS = Parts(clock=FixedClock(NOW), embedder=HashedEmbedder(64), llm=ExtractiveClient())


@pytest.mark.requirement(
    "s0:behavior:1", "s0:constraint:gate", "s0:error:feature_disabled", "s2:tool:gate", "s2:guarantee:5", "ruling:A8"
)
async def test_nothing_can_be_asked_of_a_voice_that_is_off_and_memories_are_still_kept(tmp_path: Path) -> None:
    async with Voice.open(given(), tmp_path, parts=PARTS) as voice:
        assert len((await voice.remember("The kiln moved to the shed.")).stored) == 1
        for call in (voice.retrieve("kiln"), voice.explain("kiln"), voice.ask("Where is the kiln?")):
            with pytest.raises(FeatureDisabled, match="SURR_ENABLE_INNER_VOICE=1"):
                await call
        assert await voice.services.sessions.sessions(limit=5) == []
    async with Voice.open(given(gate=GateSettings(enabled=True)), tmp_path / "on", parts=PARTS) as voice:
        await voice.remember("The kiln moved to the shed.")
        assert (await voice.retrieve("kiln", floor=0.0))["snippets"]


@pytest.mark.requirement("s0:behavior:1", "s0:acceptance:gate", "s0:error:feature_disabled", "s2:tool:gate")
@pytest.mark.parametrize("command", [["retrieve", "kiln"], ["ask", "Where is the kiln?"]])
def test_the_commands_that_ask_say_how_to_switch_it_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (tmp_path / "voice.toml").write_text(SETTINGS.replace("enabled = true", "enabled = false"), encoding="utf-8")
    assert exit_code(["--home", str(tmp_path), *command]) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert "SURR_ENABLE_INNER_VOICE=1" in said.err
    assert "[feature_disabled]" in said.err


@pytest.mark.requirement(
    "s0:logging:no-log", "s0:constraint:logging", "s2:privacy:no-log", "s2:guarantee:7", "ruling:D19"
)
async def test_without_logging_nothing_is_written_and_the_counters_still_count(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = given(privacy=PrivacySettings(no_log=True, metrics=True, log_level="debug"))
    client = scripted(*(quoting(MOVED, FIRED),) * 2, ProviderRejected("no"))
    with caplog.at_level(logging.DEBUG):
        async with memory(tmp_path, client, settings=settings) as services:
            await tell(services, *KILN)
            turns = [await ask(services) for _ in range(3)]
            assert await services.stores.metrics.count("turn") == 0
    session = turns[-1].session
    assert (session.answered, session.errors, session.total_exchanges) == (2, 1, 3)
    ours = [record for record in caplog.records if record.name.startswith("voice")]
    assert (ours, *capfd.readouterr()) == ([], "", "")
