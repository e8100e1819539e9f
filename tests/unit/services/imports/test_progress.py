"""How far an import is, told of what is stored."""

import pytest

from voice.ports.files import ReadBatch
from voice.services.imports.report import BatchProgress, StepProgress

pytestmark = pytest.mark.requirement("imports:watched")


def batch(done: int, total: int | None = 1_000) -> ReadBatch:
    return ReadBatch(lines=(), done=done, total=total)


def test_the_reading_is_as_far_as_what_was_stored_of_it() -> None:
    read: list[tuple[int, int | None]] = []
    kept: list[int] = []
    progress = BatchProgress(
        reading=lambda done, total: read.append((done, total)), storing=lambda done, _: kept.append(done)
    )
    progress.begin(batch(400), 8)
    progress.stored(2)
    progress.stored(6)
    progress.end()
    progress.begin(batch(1_000), 4)
    progress.stored(1)
    progress.end()
    assert read == [(100, 1_000), (400, 1_000), (400, 1_000), (550, 1_000), (1_000, 1_000)]
    assert kept == [2, 8, 9]


def test_a_batch_of_which_nothing_is_stored_is_told_at_its_end_and_nobody_need_listen() -> None:
    read: list[int] = []
    progress = BatchProgress(reading=lambda done, _: read.append(done), storing=None)
    progress.begin(batch(400), 0)
    progress.end()
    progress.begin(batch(900, None), 1)
    progress.stored(1)
    assert read == [400, 900]
    silent = BatchProgress(reading=None, storing=None)
    silent.begin(batch(1), 1)
    silent.stored(1)
    silent.end()


def test_steps_are_as_long_as_what_they_store_and_more_of_them_than_were_known_are_none() -> None:
    rows: list[int] = []
    far: list[tuple[int, int | None]] = []
    steps = StepProgress(sizes=[0, 10, 30, 60], tell=rows.append, storing=lambda done, total: far.append((done, total)))
    steps.advance()
    steps.advance(2)
    steps.advance(5)
    StepProgress(sizes=[1], tell=rows.append, storing=None).advance()
    assert (rows, far) == ([1, 3, 4, 1], [(0, 100), (40, 100), (100, 100)])
