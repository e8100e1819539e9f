"""The encoders beside the default one that were tried: two files of a package index, and how each is asked.

Law: a file is known by its sha256 and read as data. It rounds all that runs together by one measure, so what runs along
changes a vector: every text runs by itself.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from voice.adapters.onnx.session import load_wordpiece, open_session
from voice.core.errors import DataFileError
from voice.ports.search_index import Embedder

_MAX_PIECES: Final = 256
"""As many as the default encoder sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """An encoder, and what it wants in front of what it encodes."""

    name: str
    embedder: Embedder
    tells: str = ""
    """Before a row."""
    asks: str = ""
    """Before a question."""
    before: str = ""
    """What takes the turn before in, too: `encoded`, or `indexed` by its words as well."""


@dataclass(frozen=True, slots=True)
class _Made:
    """How a model was trained to be used."""

    model: str
    is_first_piece: bool
    """The vector of `[CLS]`, and not the mean of all pieces."""
    tells: str
    asks: tuple[str, ...]
    """Each is tried."""


KNOWN: Final = {
    "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743": _Made(
        "bge-small-en-v1.5-int8", True, "", ("", "Represent this sentence for searching relevant passages: ")
    ),
    "d74a213ce7122581aa2e024601e79e969373e7fe3cd3aa78c4996a5c79d4c5ad": _Made(
        "e5-small-v2-int8", False, "passage: ", ("query: ",)
    ),
}


class FileEmbedder:
    """An `Embedder` over a file of `KNOWN`."""

    provider = "local"
    dim = 384

    def __init__(self, path: Path, made: _Made) -> None:
        self.model = made.model
        self._is_first_piece = made.is_first_piece
        self._session = open_session(path)
        self._tokenizer = load_wordpiece()

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text."""
        return [self._encode(self._tokenizer.encode(text, _MAX_PIECES)) for text in texts]

    def _encode(self, pieces: list[int]) -> bytes:
        ids = np.array([pieces], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, inputs)[0][0].astype(np.float64)
        vector = states[0] if self._is_first_piece else states.mean(axis=0)
        return (vector / np.linalg.norm(vector)).astype("<f4").tobytes()


def read_encoders(path: Path) -> list[Encoder]:
    """Return an encoder for each way to ask a file's model.

    Raises:
        DataFileError: the file cannot be read, or is none of `KNOWN`.
    """
    try:
        made = KNOWN.get(hashlib.sha256(path.read_bytes()).hexdigest())
    except OSError as error:
        raise DataFileError(f"{path} cannot be read: {error.strerror}") from error
    if made is None:
        names = " and ".join(each.model for each in KNOWN.values())
        raise DataFileError(f"{path} is no model that this benchmark knows (sha256 differs): it knows {names}")
    embedder = FileEmbedder(path, made)
    return [
        Encoder(name=made.model + (" + instruction" if number else ""), embedder=embedder, tells=made.tells, asks=asks)
        for number, asks in enumerate(made.asks)
    ]
