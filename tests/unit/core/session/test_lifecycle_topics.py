"""The topic of a session that was given none: the beginning of its first question, in whole words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.session.lifecycle import clean_topic, topic_of

TABLES = tables(__file__)
_LONG = "What does the restoration of the Bechstein cost and why did the price change?"


@pytest.mark.requirement("sessions:topic-in-words")
@pytest.mark.parametrize(("question", "topic"), TABLES["a_long_question_is_cut_at_a_word"])
def test_a_long_question_is_cut_at_a_word(question: str, topic: str) -> None:
    assert topic_of(question, include_private=False) == topic


@pytest.mark.requirement("sessions:topic-in-words")
@given(st.text(alphabet="ab ,\n", min_size=1, max_size=200).filter(str.strip))
def test_a_topic_is_short_stored_as_it_is_and_the_beginning_of_its_question(question: str) -> None:
    topic = topic_of(question, include_private=False)
    assert len(topic) <= 60
    assert clean_topic(topic) == topic
    assert " ".join(question.split()).startswith(topic.removesuffix("…"))


@pytest.mark.requirement("sessions:topic-in-words", "promise:6")
def test_a_question_to_private_rows_is_no_topic() -> None:
    assert _LONG[:10] not in topic_of(_LONG, include_private=True)
    assert _LONG[:10] in topic_of(_LONG, include_private=False)
