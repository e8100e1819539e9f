"""What is small talk, and what is not."""

import pytest

from voice.core.answering.question_form import small_talk_reply
from voice.core.grounding.refusal import remark_response

pytestmark = pytest.mark.requirement("answers:small-talk")


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("hi", "Hello."),
        ("Hello!", "Hello."),
        ("Thanks", "You are welcome."),
        ("thank you!", "You are welcome."),
        ("Thank you so much 🙂", "You are welcome."),
        ("ok, thanks", "You are welcome."),
        ("thanks, great", "You are welcome."),
        ("Thanks. Bye!", "Goodbye."),
        ("bye", "Goodbye."),
        ("What can you do?", "I search your notes"),
        ("Hi, who are you?", "I am voice"),
        ("how's it going?", "Hello."),
        ("are you there?", "Hello."),
        ("thx, that helped", "You are welcome."),
        ("Tell me a joke", "I am voice"),
        ("ok", "All right."),
        ("Danke schön!", "Gern geschehen."),
        ("Was kannst du?", "Ich durchsuche"),
        ("Tschüss", "Auf Wiedersehen."),
        ("Gracias", "De nada."),
        ("¿Quién eres?", "Soy voice"),
        ("buenos dias", "Hola."),
    ],
)
def test_what_is_said_to_be_civil_is_replied_to(said: str, reply: str) -> None:
    assert (small_talk_reply(said) or "").startswith(reply)


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "?",
        "🚢",
        "Who said hello to Marta?",
        "thanks, and why?",
        "hi, where is the kiln?",
        "What can you do with cobalt?",
        "help me move the kiln",
        "Bye Bye Birdie",
        "no 12",
        "thanks " * 40,
    ],
)
def test_what_asks_for_anything_is_no_small_talk(asked: str) -> None:
    assert small_talk_reply(asked) is None
    assert small_talk_reply("thanks " * 20) is not None


def test_a_reply_states_nothing_and_has_no_tick() -> None:
    said = remark_response("Hello. Ask me about anything in your notes.")
    assert [(one.text, one.rung, one.receipts) for one in said.sentences] == [
        ("Hello.", "remark", ()),
        ("Ask me about anything in your notes.", "remark", ()),
    ]
    assert (said.refused, said.sources, said.confidence, said.coverage_ratio) == (False, (), 0.0, 0.0)
