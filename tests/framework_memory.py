"""A memory that tests of other frameworks open."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice

SECRET = "The safe opens with 4711."
_ON = {
    "gate.enabled": True, "llm.provider": "extractive", "grounding.single_source": "green",
    "nlq.timeout_ms": 600_000,  # no answer depends on how fast the machine is
}  # fmt: skip


def opened(home: Path) -> AbstractAsyncContextManager[Voice]:
    """Open the memory in `home`, offline."""
    return Voice.open(parse_settings(_ON, {}, {}).settings, home, parts=Parts(embedder=HashedEmbedder(64)))
