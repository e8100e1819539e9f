"""Real processes on one store."""

from collections.abc import Generator
from pathlib import Path

import pytest

from held_processes import Process, Start


@pytest.fixture
def start(tmp_path: Path) -> Generator[Start]:
    """Start a process on the store of this test."""
    living: list[Process] = []

    def started(*options: str) -> Process:
        living.append(Process(tmp_path, *options))
        return living[-1]

    yield started
    for each in living:
        each.end()
