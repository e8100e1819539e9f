"""What is small talk, and what is not."""

import pytest

from tables import tables
from voice.core.answering.question_form import small_talk_reply

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("answers:small-talk")


@pytest.mark.parametrize(("said", "reply"), TABLES["what_is_said_to_be_civil_is_replied_to"])
def test_what_is_said_to_be_civil_is_replied_to(said: str, reply: str) -> None:
    assert (small_talk_reply(said) or "").startswith(reply)


@pytest.mark.parametrize("asked", [*TABLES["what_asks_for_anything_is_no_small_talk"], "thanks " * 40])
def test_what_asks_for_anything_is_no_small_talk(asked: str) -> None:
    assert small_talk_reply(asked) is None
    assert small_talk_reply("thanks " * 20) is not None
