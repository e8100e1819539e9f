"""Running one ONNX model on one thread.

Law: nothing is imported or loaded before a model is opened; one thread, because two on a busy machine are slower
(measured) and one gives the same bits every time. What goes wrong is the caller's to say: the vendor's errors share no
base and may quote their input.

Source: DESIGN 5; promises 8 and 10.
"""

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from voice.adapters.onnx.wordpiece import WordPiece


class Port(Protocol):
    """One named input of a model."""

    @property
    def name(self) -> str:
        """What the model calls it."""
        ...


class ModelFacts(Protocol):
    """What a model says of itself."""

    @property
    def custom_metadata_map(self) -> Mapping[str, str]:
        """Whatever its maker wrote into it."""
        ...


class Session(Protocol):
    """The part of an onnxruntime session that is used here."""

    def run(self, outputs: list[str] | None, inputs: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """Return the named outputs, or all of them."""
        ...

    def get_inputs(self) -> Sequence[Port]:
        """Return what the model asks for."""
        ...

    def get_modelmeta(self) -> ModelFacts:
        """Return what the model says of itself."""
        ...


def open_session(model: bytes) -> Session:
    """Return a session over the bytes of a model file, on one thread of this machine's processor.

    Raises:
        Exception: whatever the vendor raises on a file it cannot use; its text may quote the file.
    """
    onnxruntime = importlib.import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return cast("Session", onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]))


@cache
def load_wordpiece() -> WordPiece:
    """Return the tokenizer over the vocabulary that this program ships."""
    vocabulary = (files("voice.adapters.onnx") / "data" / "vocab.txt").read_text("utf-8")
    return WordPiece(vocabulary.splitlines())
