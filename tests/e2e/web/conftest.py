"""What the pages in a browser are opened on."""

from pathlib import Path

import pytest

from example_home import make


@pytest.fixture(scope="session")
def example_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that holds the example, to be copied."""
    return make(tmp_path_factory.mktemp("example") / "memory")
