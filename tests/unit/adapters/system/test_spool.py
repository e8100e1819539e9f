"""The spool of ended sessions, as files."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from voice.adapters.system.spool import FileSpool
from voice.adapters.system.spool_writer import HOSTS, SPOOL_FOLDER, has_entries, write_entry
from voice.core.capture.hosts import CaptureOutcome, CaptureTotals, EndedSession, Host

pytestmark = pytest.mark.requirement("capture:status")
ENTRY: Mapping[str, str | None] = {
    "host": "codex",
    "session": "s-1",
    "transcript": "/t.jsonl",
    "cwd": "/work",
    "ended_at": "2026-03-05T10:00:00.5+01:00",
}


@pytest.fixture
def spool(tmp_path: Path) -> FileSpool:
    return FileSpool(tmp_path, tmp_path / "rollouts")


async def taken(spool: FileSpool) -> tuple[EndedSession, ...]:
    async with spool.taking() as waiting:
        return waiting


@pytest.mark.requirement("capture:hand-over")
def test_an_entry_is_a_private_file_of_its_own(tmp_path: Path) -> None:
    assert not has_entries(tmp_path)
    write_entry(tmp_path, ENTRY)
    write_entry(tmp_path, ENTRY)
    files = list((tmp_path / SPOOL_FOLDER).iterdir())
    assert len(files) == 2
    assert {each.stat().st_mode & 0o777 for each in files} == {0o600}
    assert (tmp_path / SPOOL_FOLDER).stat().st_mode & 0o777 == 0o700
    assert has_entries(tmp_path)


def test_the_hosts_that_are_spelt_out_are_all_of_them() -> None:
    assert list(HOSTS) == [host.value for host in Host]


async def test_what_waits_is_taken_by_one_process_and_gone_when_it_is_noted(tmp_path: Path, spool: FileSpool) -> None:
    assert await taken(spool) == ()
    write_entry(tmp_path, ENTRY)
    async with spool.taking() as waiting:
        (ended,) = waiting
        assert await taken(FileSpool(tmp_path, tmp_path)) == ()
        await spool.done(ended, CaptureOutcome(messages=2, left_out={"x": 1}, unfound=1))
    assert (ended.host, ended.session, ended.transcript, ended.cwd) == (Host.CODEX, "s-1", "/t.jsonl", "/work")
    assert ended.ended_at is not None
    assert ended.ended_at.isoformat() == "2026-03-05T09:00:00.500000+00:00"
    assert not has_entries(tmp_path)
    came = CaptureTotals(sessions={"s-1": CaptureOutcome(messages=2, left_out={"x": 1}, unfound=1)})
    assert await spool.captured() == {Host.CODEX: came}


async def test_of_an_ignored_session_nothing_but_a_count_is_noted(tmp_path: Path, spool: FileSpool) -> None:
    write_entry(tmp_path, ENTRY)
    (ended,) = await taken(spool)
    await spool.done(ended, None)
    assert await spool.captured() == {Host.CODEX: CaptureTotals(ignored=1)}
    assert "s-1" not in "".join(path.read_text("utf-8") for path in (tmp_path / SPOOL_FOLDER).iterdir())


async def test_what_could_not_be_taken_in_waits_on_with_why(tmp_path: Path, spool: FileSpool) -> None:
    write_entry(tmp_path, ENTRY)
    (ended,) = await taken(spool)
    for _ in range(2):
        await spool.done(ended, CaptureOutcome(fault="its file is gone"))
    assert await spool.waiting() == {ended.key: (ended, "its file is gone")}
    assert await taken(spool) == (ended,)
    assert await spool.captured() == {}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "1", "{}", json.dumps({**ENTRY, "host": "x"}), json.dumps({**ENTRY, "ended_at": "x"})]
)
async def test_a_file_that_is_no_entry_is_told_and_stops_nothing(tmp_path: Path, spool: FileSpool, text: str) -> None:
    write_entry(tmp_path, ENTRY)
    broken = tmp_path / SPOOL_FOLDER / "0.json"
    broken.write_text(text, encoding="utf-8")
    assert [each.session for each in await taken(spool)] == ["s-1"]
    told = await spool.waiting()
    assert told["0.json"][1] == "is not an entry of the spool; delete the file"


async def test_counts_that_cannot_be_read_are_begun_anew(tmp_path: Path, spool: FileSpool) -> None:
    write_entry(tmp_path, ENTRY)
    for text in ("[", "[]", '{"x": {}}', '{"codex": {"sessions": {"s": {}}}}'):
        (tmp_path / SPOOL_FOLDER / "captured.record").write_text(text, encoding="utf-8")
        assert await spool.captured() == {}
    (ended,) = await taken(spool)
    await spool.done(ended, CaptureOutcome(messages=1))
    assert (await spool.captured())[Host.CODEX].messages == 1


async def test_a_session_of_codex_without_its_file_is_found_by_its_name(tmp_path: Path, spool: FileSpool) -> None:
    write_entry(tmp_path, {**ENTRY, "transcript": None})
    assert [each.transcript for each in await taken(spool)] == [None]
    folder = tmp_path / "rollouts" / "2026" / "03" / "05"
    folder.mkdir(parents=True)
    (folder / "rollout-2026-03-05T10-00-00-s-1.jsonl").touch()
    assert [each.transcript for each in await taken(spool)] == [str(folder / "rollout-2026-03-05T10-00-00-s-1.jsonl")]
    write_entry(tmp_path, {**ENTRY, "transcript": None, "session": "*"})
    write_entry(tmp_path, {**ENTRY, "transcript": None, "host": "gemini-cli"})
    assert sorted(str(each.transcript) for each in await taken(spool))[1:] == ["None", "None"]


async def test_a_session_that_vanishes_while_it_is_looked_at_is_passed_over(tmp_path: Path, spool: FileSpool) -> None:
    write_entry(tmp_path, ENTRY)
    (tmp_path / SPOOL_FOLDER / "1.json").symlink_to(tmp_path / "nowhere")
    assert [each.session for each in await taken(spool)] == ["s-1"]
