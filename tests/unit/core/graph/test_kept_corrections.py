"""What somebody corrected in a note, put into what its file says since."""

import pytest

from voice.core.graph.kept_corrections import corrected_sentences, with_corrections

pytestmark = pytest.mark.requirement("ruling:I4:conflict")
BEFORE = "Marta lives in Porto. The kiln is hot.\n- Paul pays."
AFTER = "Marta lives in Faro. She has moved. The kiln is hot.\n- Anna pays."


def test_the_sentences_that_were_put_in_the_place_of_others_are_known_with_those() -> None:
    pairs = (("Marta lives in Porto.", "Marta lives in Faro. She has moved."), ("Paul pays.", "Anna pays."))
    assert corrected_sentences(BEFORE, AFTER) == pairs
    assert with_corrections(BEFORE, pairs) == AFTER
    assert corrected_sentences(BEFORE, f"{BEFORE} More.") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("New. Marta lives in Porto. Old.", "New. Marta lives in Faro. Old."),
        ("Marta lives in Lisbon.", "Marta lives in Lisbon."),
        ("Marta lives in Porto. Marta lives in Porto.", "Marta lives in Porto. Marta lives in Porto."),
        ("They say that Marta lives in Porto.", "They say that Marta lives in Porto."),
    ],
)
def test_it_stands_where_the_old_sentence_stands_once_and_whole(text: str, said: str) -> None:
    assert with_corrections(text, [("Marta lives in Porto.", "Marta lives in Faro.")]) == said


def test_corrections_of_corrections_follow_one_another() -> None:
    assert (
        with_corrections("It is red.", [("It is red.", "It is blue."), ("It is blue.", "It is green.")])
        == "It is green."
    )
