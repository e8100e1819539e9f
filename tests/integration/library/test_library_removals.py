"""Removals from a program."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts
from voice.core.settings.parse import parse_settings
from voice.core.settings.values import Settings
from voice.entrypoints.library import Voice

NOW = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)


def settings(**env: str) -> Settings:
    return parse_settings({"gate.enabled": True}, env, {}).settings


def parts(**later: float) -> Parts:
    return Parts(embedder=HashedEmbedder(64), clock=FixedClock(NOW + timedelta(**later)))


@pytest.mark.requirement("ruling:F.9", "s1:config:SURR_ARCHIVE_DIR", "s1:config:SURR_RETENTION_DAYS")
async def test_a_program_marks_archives_takes_away_and_brings_back(tmp_path: Path) -> None:
    given = settings(SURR_RETENTION_DAYS="7", SURR_ARCHIVE_DIR=str(tmp_path / "kept apart"))
    async with Voice.open(given, tmp_path / "home", parts=parts()) as voice:
        (kiln,) = (await voice.remember("Moved the kiln to the shed.")).stored
        assert (await voice.removals.mark([kiln])).changed == (kiln,)
        assert (await voice.removals.unmark([kiln])).changed == (kiln,)
        await voice.removals.mark([kiln])
        (report,) = (await voice.removals.export(form="jsonl")).reports
        assert Path(report.path).parent == tmp_path / "kept apart"
        assert (await voice.removals.finalise(apply=True)).gone == ()
    async with Voice.open(given, tmp_path / "home", parts=parts(days=7)) as voice:
        assert [each.thought.id for each in (await voice.removals.list()).ready] == [kiln]
        assert not (await voice.removals.finalise()).applied
        assert (await voice.removals.finalise(apply=True)).gone == (kiln,)
        assert (await voice.removals.fate([kiln]))[kiln].reason == "finalised"
        assert (await voice.removals.restore(report.path)).thoughts == (kiln,)


@pytest.mark.requirement("s1:config:SURR_ARCHIVE_DIR", "s1:config:SURR_ARCHIVE_FORMAT", "ruling:F.10")
async def test_archives_are_parquet_below_the_data_directory_unless_it_is_said_otherwise(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    async with Voice.open(settings(), tmp_path / "home", parts=parts()) as voice:
        (kiln,) = (await voice.remember("Moved the kiln to the shed.")).stored
        await voice.removals.mark([kiln])
        (report,) = (await voice.removals.export()).reports
    assert report.format == "parquet"
    assert Path(report.path).parent == tmp_path / "home" / "archive"
