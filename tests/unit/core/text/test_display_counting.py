"""One of a thing is told in the singular."""

import pytest

from voice.core.text.display import counted


@pytest.mark.parametrize(("number", "said"), [(0, "0 turns"), (1, "1 turn"), (2, "2 turns"), (1_000, "1,000 turns")])
def test_a_number_of_things_is_told_in_singular_or_plural(number: int, said: str) -> None:
    assert counted(number, "turn") == said


def test_a_plural_may_be_a_word_of_its_own() -> None:
    assert [counted(number, "memory", "memories") for number in (1, 3)] == ["1 memory", "3 memories"]
