"""A memory that tests of other frameworks open."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice

SECRET = "The safe opens with 4711."
_ON = {"gate.enabled": True, "llm.provider": "extractive", "grounding.single_source": "green"}


def opened(home: Path) -> AbstractAsyncContextManager[Voice]:
    """Open the memory in `home`, offline."""
    return Voice.open(parse_settings(_ON, {}, {}).settings, home, parts=Parts(embedder=HashedEmbedder(64)))


def framework(module: str, extra: str) -> Any:  # noqa: ANN401 - no types where it is not installed
    """Return a module of a framework, or skip the test by the name of the extra that brings it."""
    return pytest.importorskip(module, reason=f"not installed: pip install 'inner-voice[{extra}]'")
