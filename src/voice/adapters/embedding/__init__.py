"""Sentence encoders, and which of them the settings name.

Law: each obeys `voice.ports.search_index.Embedder` and one contract suite; heavy vendors are imported at the first
text, never at import, and in a worker thread. Choosing opens nothing and imports the one that is chosen.
"""

from pathlib import Path

from voice.adapters.extras import require_installed
from voice.core.errors import ConfigurationError
from voice.core.settings.providers import EmbedSettings
from voice.ports.search_index import Embedder


def make_embedder(settings: EmbedSettings) -> Embedder:
    """Return the encoder the settings name; nothing is loaded yet. Raises ConfigurationError: a remote encoder lacks
    its model or dimension, or the package that speaks to it."""
    if settings.provider == "local":
        from voice.adapters.embedding.minilm import MiniLmEmbedder

        return MiniLmEmbedder(Path(settings.path) if settings.path else None, dim=settings.dim)
    if settings.provider == "hash":
        from voice.adapters.embedding.hashed import HashedEmbedder

        return HashedEmbedder() if settings.dim is None else HashedEmbedder(settings.dim)
    if settings.model is None or settings.dim is None:
        raise ConfigurationError(
            f"the encoder {settings.provider} needs a model and a dimension: set SURR_EMBED_MODEL and SURR_EMBED_DIM"
        )
    require_installed("litellm", f"the encoder of {settings.provider}")
    from voice.adapters.embedding.litellm_embeddings import LiteLlmEmbedder

    return LiteLlmEmbedder(
        model=f"{settings.provider}/{settings.model}",
        dim=settings.dim,
        api_key=settings.api_key,
        api_base=settings.api_base,
    )
