"""Laws of sentence spans: ordered, disjoint, trimmed, and no visible character is lost (ruling C13)."""

from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.text.sentences import is_within, sentence_spans, sentences, speech_spans

TABLES = tables(__file__)

_PIECES = st.sampled_from(TABLES["pieces"])
_TEXTS = st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=60).map("".join))


@given(_TEXTS)
def test_spans_are_ordered_disjoint_and_trimmed(text: str) -> None:
    spans = sentence_spans(text)
    previous = 0
    for start, end in spans:
        assert previous <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        previous = end


@given(_TEXTS)
def test_every_visible_character_is_in_a_span(text: str) -> None:
    covered = {index for start, end in sentence_spans(text) for index in range(start, end)}
    assert all(char.isspace() or index in covered for index, char in enumerate(text))


@given(_TEXTS)
def test_a_sentence_on_one_line_cut_again_is_itself(text: str) -> None:
    speech = speech_spans(text)  # over a line's end it keeps stops from cutting
    spans = [span for span in sentence_spans(text) if not any(is_within(speech, edge) for edge in span)]
    lines = [text[start:end] for start, end in spans if len(text[start:end].splitlines()) == 1]
    assert [sentences(line) for line in lines] == [[line] for line in lines]
