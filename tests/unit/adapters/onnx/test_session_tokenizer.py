"""The tokenizer of our own gives the pieces of the reference tokenizer."""

from importlib.resources import files
from unicodedata import category, ucd_3_2_0

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

from voice.adapters.onnx.session import MAX_READ_CHARS, WordPiece, words

_VOCABULARY = (files("voice.adapters.onnx") / "data" / "vocab.txt").read_text("utf-8").splitlines()
TOKENIZER = WordPiece(_VOCABULARY)


def pieces(text: str, most: int = 256) -> list[str]:
    return [_VOCABULARY[number] for number in TOKENIZER.encode(text, most)]


def test_the_vocabulary_is_whole() -> None:
    assert len(_VOCABULARY) == len(set(_VOCABULARY)) == 30_522


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Embeddings!", "em ##bed ##ding ##s !"),
        ("Café NAÏVE", "cafe naive"),
        ("don't", "don ' t"),
        ("C++ a$b", "c + + a $ b"),
        ("日本 tea", "日 本 tea"),
        ("a\x00b\u200bc\td", "abc d"),
        ("re\u0301sum\u00e9", "resume"),
        ("x" * 101, "[UNK]"),
        ("😀", "[UNK]"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_splits_as_the_model_was_trained(text: str, expected: str) -> None:
    assert pieces(text) == ["[CLS]", *expected.split(), "[SEP]"]


def test_gives_no_more_pieces_than_asked_for_and_always_an_end() -> None:
    assert pieces("one two three four", 4) == ["[CLS]", "one", "two", "[SEP]"]


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
