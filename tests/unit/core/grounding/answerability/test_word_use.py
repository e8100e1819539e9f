"""A ring is no ringing and the work no working: a question for the one is not answered with the other."""

import pytest

from grounding_rows import answer_of, row
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.answerability.word_use import asked_use, is_used_otherwise
from voice.core.grounding.values import Evidence, Stance
from voice.core.text.words import words

pytestmark = pytest.mark.requirement("ruling:D5")


def _given(question: str, *rows: Evidence) -> list[str]:
    return answer_of(compose(question, rows, Stance.SYNTHESIZE)).split("\n")


@pytest.mark.parametrize(
    ("question", "use"),
    [
        ("Where do I work?", ("work", "deed")),
        ("When did we still fish there?", ("fish", "deed")),
        ("Where is the ring?", ("ring", "thing")),
        ("How old are my plants?", ("plants", "thing")),
        ("Where is the ring of keys?", None),
        ("Who came?", None),
    ],
)
def test_what_a_question_has_a_word_as(question: str, use: tuple[str, str] | None) -> None:
    assert asked_use(question) == use


@pytest.mark.parametrize(
    ("sentence", "stem", "use", "otherwise"),
    [
        ("I rang Dr. Osei.", "ring", "thing", True),
        ("Ring Mr. Franke about the mould.", "ring", "thing", True),
        ("Ring the bell.", "ring", "thing", True),
        ("The ring is in the tin.", "ring", "thing", False),
        ("Ring found again.", "ring", "thing", False),
        ("Ring", "ring", "thing", False),
        ("I stay because of the work.", "work", "deed", True),
        ("I work at the mill.", "work", "deed", False),
        ("After work I work on.", "work", "deed", False),
        ("I cycle to work.", "work", "deed", False),
        ("Nothing of the kind.", "work", "deed", False),
    ],
)
def test_only_what_is_plain_is_another_use(sentence: str, stem: str, use: str, otherwise: object) -> None:
    assert is_used_otherwise(stem, "deed" if use == "deed" else "thing", words(sentence)) is otherwise


def test_an_answer_has_the_word_as_the_question_does() -> None:
    work = (
        row("S1", "I would rather stay because of the work and my parents."),
        row("S2", "I work at the mill in Lund."),
    )
    assert _given("Where do I work?", *work) == ["I work at the mill in Lund."]
    assert compose("Where is the ring hidden?", (row("S1", "I rang Dr. Osei at noon."),), Stance.SYNTHESIZE).refused


def test_having_been_somewhere_answers_whether_one_went_there() -> None:
    boat = row("S1", "We took the boat to Hiddensee.")
    assert _given("Did we go to Hiddensee?", boat) == [boat.text]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What did the roof cost in the end?", "Roof done, in the end it cost 15,100."),
        ("Wer ist mein Chef?", "Mein neuer Chef heißt Andreas Kühn."),
        ("Wem habe ich Geld geliehen?", "Ich habe meiner Schwester Jana 500 Euro geliehen."),
    ],
)
def test_a_sum_without_its_currency_and_a_german_name_are_what_was_asked_for(question: str, text: str) -> None:
    assert _given(question, row("S1", text)) == [text]
