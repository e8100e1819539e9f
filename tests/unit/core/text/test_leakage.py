"""What gives a text away: its sentences, and words that it alone said."""

import pytest

from tables import tables
from voice.core.text.leakage import contains_phrase, leak_markers_of

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:G.2e")
DOOR = "The door code is 4711. Anna told me."


@pytest.mark.parametrize(("text", "phrase", "is_said"), TABLES["words_are_whole_where_words_are_set_apart"])
def test_words_are_whole_where_words_are_set_apart(text: str, phrase: str, *, is_said: bool) -> None:
    assert contains_phrase(text, phrase) is is_said


def test_a_sentence_of_what_went_gives_it_away_and_a_word_of_everybody_does_not() -> None:
    found = leak_markers_of([DOOR], ["Anna told me a joke."])
    assert found.is_quoted_in(None, "Somebody said: THE DOOR  CODE IS 4711.")
    assert found.is_hinted_at_in("What was 4711 again?")
    assert not found.is_hinted_at_in("What did Anna say?", None)
    assert not found.is_quoted_in("What was 4711 again?")


def test_what_is_said_by_what_stays_gives_nothing_away() -> None:
    gone = [DOOR, "Müller’s café, ｗｉｄｅ."]
    found = leak_markers_of(gone, [DOOR, "Das Café ist wide. Müller sagt:", gone[1], "This is not even looked at."])
    assert (found.phrases, found.words) == (frozenset(), frozenset())
    assert leak_markers_of(gone, [DOOR, "Das Café von Müller."]).words == {"wide"}
    assert not found.is_hinted_at_in(DOOR)


def test_what_was_asked_for_counts_wherever_it_stands() -> None:
    found = leak_markers_of([DOOR], [DOOR], named="Door  Code")
    assert found.phrases == {"door code"}
    assert leak_markers_of([], [], named=" ").phrases == frozenset()
    assert leak_markers_of([""], []).phrases == frozenset()


def test_a_short_sentence_counts_only_where_it_is_the_whole_text() -> None:
    assert leak_markers_of(["Yes. The kiln is in the shed."], []).phrases == {
        "the kiln is in the shed.",
        "yes. the kiln is in the shed.",
    }
    assert leak_markers_of(["Yes."], []).phrases == {"yes."}
