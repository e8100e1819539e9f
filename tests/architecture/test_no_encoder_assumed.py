"""No part of the program assumes an encoder or a dimension."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from played_turns import GLAZE, KILN, ask, given, grounded, memory, tell
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import make_embedder
from voice.core.errors import ConfigurationError
from voice.core.render.retrieval import render_retrieve
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.providers import EmbedSettings

_SOURCE = Path(__file__).resolve().parents[2] / "src" / "voice"
_DIMENSIONS = {384, 768, 1536, 3072}
"""What vectors usually have; only the profile of one encoder may say its own."""


def _places() -> Iterator[tuple[str, str]]:
    for path in sorted(_SOURCE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not any(str(each) in source for each in _DIMENSIONS):
            continue
        for statement in ast.walk(ast.parse(source)):
            for node in ast.iter_child_nodes(statement):
                if not isinstance(node, ast.Constant) or node.value not in _DIMENSIONS:
                    continue
                if ast.get_source_segment(source, node) == str(node.value):  # 0o600 is a file's rights
                    yield str(path.relative_to(_SOURCE)), ast.unparse(statement)


@pytest.mark.requirement("s3:not:hardcoded-dim")
def test_a_dimension_is_written_only_in_its_encoders_own_profile() -> None:
    assert list(_places()) == [("adapters/embedding/minilm.py", "DIM: Final = 384")]


@pytest.mark.requirement("s3:not:hardcoded-dim", "s3:not:bge-primary")
@pytest.mark.parametrize("dim", [8, 97, 384, 1536])
async def test_a_memory_works_with_whatever_the_encoder_says(tmp_path: Path, dim: int) -> None:
    embedder = HashedEmbedder(dim)
    embedder.model = f"unheard-of-{dim}"
    async with memory(tmp_path, grounded(), embedder=embedder, settings=given()) as services:
        await tell(services, *KILN)
        found = render_retrieve(await services.find(RetrieveRequest(query=GLAZE)))
        assert (await ask(services)).exchange.status == "answered"
    told = found["diagnostics"]
    assert (told["model"], told["dim"]) == (f"unheard-of-{dim}", dim)
    assert found["snippets"][0]["text"] == GLAZE


@pytest.mark.requirement("s3:not:bge-primary", "s3:not:hardcoded-dim", "s0:constraint:no-fallback", "ruling:D24")
@pytest.mark.parametrize(
    ("settings", "provider", "model", "dim"),
    [
        (EmbedSettings(), "local", "all-MiniLM-L6-v2-int8", 384),
        (EmbedSettings(provider="hash", dim=96), "local", "hashed-ngrams-v1", 96),
        (
            EmbedSettings(provider="openai", model="text-embedding-3-small", dim=1536),
            "openai",
            "openai/text-embedding-3-small",
            1536,
        ),
        (EmbedSettings(provider="voyage", model="voyage-3", dim=1024), "voyage", "voyage/voyage-3", 1024),
    ],
)
def test_the_encoder_is_the_one_that_is_configured(
    settings: EmbedSettings, provider: str, model: str, dim: int
) -> None:
    embedder = make_embedder(settings)
    assert (embedder.provider, embedder.model, embedder.dim) == (provider, model, dim)


@pytest.mark.parametrize("lacking", [{"dim": 1}, {"model": "m"}])
def test_an_encoder_elsewhere_needs_its_model_and_its_dimension(lacking: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="SURR_EMBED_MODEL and SURR_EMBED_DIM"):
        make_embedder(EmbedSettings(provider="openai", **lacking))
