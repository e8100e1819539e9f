"""The model with its word pieces looked up first: another order of steps, the same numbers.

What runs the models reports nothing to its maker, and notes nothing that it would report.
The tokenizer of our own gives the pieces of the reference tokenizer.
"""

import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from unicodedata import category, ucd_3_2_0

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

from tables import tables
from voice.adapters.embedding import minilm
from voice.adapters.onnx.session import (
    MAX_READ_CHARS,
    Session,
    WordPiece,
    load_wordpiece,
    move_gather_first,
    open_session,
    words,
)

TABLES = tables(__file__)

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


ENCODE = """
import asyncio
from voice.adapters.embedding.minilm import MiniLmEmbedder
print(len(asyncio.run(MiniLmEmbedder().embed(["The kiln moved to the shed."]))))
"""
ONCE = "import onnxruntime"


def _left_behind(home: Path, code: str, **environment: str) -> list[str]:
    home.mkdir()
    known = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    environment = {**known, "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
    return sorted(str(each.relative_to(home)) for each in home.rglob("*") if each.is_file())


@pytest.mark.requirement("promise:6", "observe:untold")
@pytest.mark.parametrize("said", [{}, {"ORT_DISABLE_TELEMETRY": "0"}])
def test_encoding_leaves_no_mark_of_this_machine_to_be_reported(tmp_path: Path, said: dict[str, str]) -> None:
    assert _left_behind(tmp_path / "home", ENCODE, **said) == []
    marked = "import os, pathlib; pathlib.Path(os.environ['HOME'], 'mark').touch()"
    assert _left_behind(tmp_path / "other", marked, **said) == ["mark"]


@pytest.mark.requirement("observe:untold")
def test_a_runtime_that_was_imported_before_is_told_to_report_no_more(tmp_path: Path) -> None:
    watched = f"""
{ONCE}
calls = []
onnxruntime.disable_telemetry_events = lambda: calls.append(1)
{ENCODE}
assert calls == [1], calls
"""
    _left_behind(tmp_path / "home", watched, ORT_DISABLE_TELEMETRY="1")


_VOCABULARY = (files("voice.adapters.onnx") / "data" / "vocab.txt").read_text("utf-8").splitlines()
TOKENIZER = WordPiece(_VOCABULARY)


def pieces_of_tokenizer(text: str, most: int = 256) -> list[str]:
    return [_VOCABULARY[number] for number in TOKENIZER.encode(text, most)]


def test_the_vocabulary_is_whole() -> None:
    assert len(_VOCABULARY) == len(set(_VOCABULARY)) == 30_522


@pytest.mark.parametrize(("text", "expected"), [*TABLES["splits_as_the_model_was_trained"], ("x" * 101, "[UNK]")])
def test_splits_as_the_model_was_trained(text: str, expected: str) -> None:
    assert pieces_of_tokenizer(text) == ["[CLS]", *expected.split(), "[SEP]"]


def test_gives_no_more_pieces_than_asked_for_and_always_an_end() -> None:
    assert pieces_of_tokenizer("one two three four", 4) == ["[CLS]", "one", "two", "[SEP]"]


def test_reads_only_as_much_of_a_long_text_as_can_matter() -> None:
    assert TOKENIZER.encode("tea " * MAX_READ_CHARS, 256) == TOKENIZER.encode("tea " * 254, 256)


# Characters whose class changed between the Unicode versions of the two tokenizers are left out.
_SETTLED = st.characters(max_codepoint=0x2E4F, categories=("L", "N", "P", "S", "Z", "Cc")).filter(
    lambda char: ucd_3_2_0.category(char) == category(char)
)


@pytest.fixture(scope="module")
def reference() -> BertWordPieceTokenizer:
    return BertWordPieceTokenizer({piece: number for number, piece in enumerate(_VOCABULARY)}, lowercase=True)


@given(text=st.text(_SETTLED, max_size=60))
def test_agrees_with_the_reference_tokenizer_on_any_text(reference: BertWordPieceTokenizer, text: str) -> None:
    assert TOKENIZER.encode(text, 1_000) == reference.encode(text).ids


def test_words_are_lowered_and_bare() -> None:
    assert list(words("Élan, vital")) == ["elan", ",", "vital"]
    assert list(words("ΛΟΓΟΣ λόγος")) == ["λογοσ", "λογος"]


@given(first=st.text(_SETTLED, max_size=60), second=st.text(_SETTLED, max_size=60))
def test_a_pair_has_the_ids_and_kinds_of_the_reference_tokenizer(
    reference: BertWordPieceTokenizer, first: str, second: str
) -> None:
    wanted = reference.encode(first, second)
    assert TOKENIZER.encode_pair(first, second, 1_000) == (wanted.ids, wanted.type_ids)


def test_of_a_pair_the_second_is_cut() -> None:
    ids, kinds = TOKENIZER.encode_pair("one two", "three four five six", 8)
    assert [_VOCABULARY[number] for number in ids] == ["[CLS]", "one", "two", "[SEP]", "three", "four", "five", "[SEP]"]
    assert kinds == [0, 0, 0, 0, 1, 1, 1, 1]
