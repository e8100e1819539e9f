"""Running one ONNX model on one thread.

Law: nothing is imported or loaded before a model is opened; one thread, because two on a busy machine are slower
(measured) and one gives the same bits every time. What goes wrong is the caller's to say: the vendor's errors share no
base and may quote their input. The builds that the runtime's maker releases note on which machine it runs, under the
person's cache directory, and send that to its maker: nothing of it may begin here (promise 6).

Source: DESIGN 5; promises 6, 8 and 10.
"""

import importlib
import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from voice.adapters.onnx.wordpiece import WordPiece

_UNTOLD = "ORT_DISABLE_TELEMETRY"
"""Read by the runtime once, while it is imported; the call that switches it off later comes after its first event."""


Rewriting = Literal["none", "constants", "all"]
"""What the runtime may do to a model first: nothing; once what is the same in every run; all that it knows of.

Nothing opens soonest and takes the least memory. With constants alone the numbers stay the same, bit for bit: to lay
the weights out anew would be a tenth faster and changes the order of the sums (measured).
"""
_AS_LAID_OUT: Final = "session.disable_prepacking"


class Session(Protocol):
    """The part of an onnxruntime session that is used here."""

    def run(self, outputs: list[str] | None, inputs: Mapping[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """Return the named outputs, or all of them."""
        ...


def open_session(model: bytes | Path, *, rewriting: Rewriting = "all") -> Session:
    """Return a session over a model, on one thread of this machine's processor.

    Args:
        model: the bytes of its file, or the file, whose bytes are then not held twice.
        rewriting: what the runtime may do to the model first.

    Its runtime is told to report nothing, for the whole process and whatever the environment says.

    Raises:
        Exception: whatever the vendor raises on a file it cannot use; its text may quote the file.
    """
    os.environ[_UNTOLD] = "1"
    onnxruntime = importlib.import_module("onnxruntime")
    onnxruntime.disable_telemetry_events()  # a program around us may have imported it before
    given = str(model) if isinstance(model, Path) else model
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Runs are of many lengths, and either keeps room for each.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    levels = onnxruntime.GraphOptimizationLevel
    if rewriting == "none":
        options.graph_optimization_level = levels.ORT_DISABLE_ALL
    elif rewriting == "constants":
        options.graph_optimization_level = levels.ORT_ENABLE_BASIC
        options.add_session_config_entry(_AS_LAID_OUT, "1")
    return cast("Session", onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"]))


@cache
def load_wordpiece() -> WordPiece:
    """Return the tokenizer over the vocabulary that this program ships."""
    vocabulary = (files("voice.adapters.onnx") / "data" / "vocab.txt").read_text("utf-8")
    return WordPiece(vocabulary.splitlines())
