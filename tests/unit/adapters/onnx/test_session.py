"""The model with its word pieces looked up first: another order of steps, the same numbers."""

import numpy as np
import pytest

from voice.adapters.embedding import minilm
from voice.adapters.onnx.session import Session, load_wordpiece, move_gather_first, open_session

TEXTS = ["kiln", "Das Boot – hübsch; 中文 too.", "", "one sentence after the other. " * 60]


def as_shipped() -> bytes:
    return minilm._packaged_model().read_bytes()


def pieces(session: Session, text: str) -> bytes:
    ids = np.array([load_wordpiece().encode(text, 256)], dtype=np.int64)
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    return session.run(None, inputs)[0].tobytes()


def test_the_numbers_are_those_of_the_model_as_it_is_shipped() -> None:
    shipped, reordered = open_session(as_shipped()), open_session(move_gather_first(as_shipped(), minilm._PIECES))
    assert [pieces(reordered, text) for text in TEXTS] == [pieces(shipped, text) for text in TEXTS]


def test_a_model_without_that_table_is_refused() -> None:
    with pytest.raises(ValueError, match="does not gather from weights"):
        move_gather_first(as_shipped(), "weights")
