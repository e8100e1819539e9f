"""A comparison of two conversations, line by line, as it is printed."""

import pytest

from store_values import exchange, session
from voice.core.session.compare import compare_sessions
from voice.core.session.values import DialogueExchange, PromptRecord, PromptView
from voice.entrypoints.cli.show.sessions import diff_lines

pytestmark = pytest.mark.requirement("sessions:fork")


def lines(left: list[DialogueExchange], right: list[DialogueExchange], shared: int = 2) -> list[str]:
    diff = compare_sessions(session(), session("s:2"), shared=shared, turns=(left, right))
    return list(diff_lines(diff, include_private=False))[2:]


def said(answer: str, **members: object) -> list[DialogueExchange]:
    return [exchange(**{"answer": answer, **members})]  # pyright: ignore[reportArgumentType]


def test_answers_alike_are_one_line_with_what_only_one_of_them_says() -> None:
    told = lines(said("It is in the old shed."), said("It is in the house."))
    assert told == [
        "the first 2 turns are shared",
        "",
        "turn 3",
        "  > Where does Ada live?",
        "  It is in the [-old shed.-] {+house.+}",
    ]


def test_answers_that_have_little_in_common_stand_below_one_another() -> None:
    told = lines(said("In the shed."), said("Nobody knows it.", my_query="And now?"))
    assert told[3:] == ["A > Where does Ada live?", "B > And now?", "A   In the shed.", "B   Nobody knows it."]


def test_a_turn_that_only_one_of_them_has_says_whose_it_is() -> None:
    assert lines(said("Here."), [], shared=1) == [
        "the first turn is shared",
        "",
        "turn 2",
        "A > Where does Ada live?",
        "A   Here.",
    ]
    assert lines([], said("Here."), shared=0)[0] == "nothing is shared"


def test_nothing_that_steers_a_terminal_is_printed() -> None:
    told = lines(said("\x1b[31mred\x07 shed"), said("\x1b[31mred\x07 house"))
    assert "\x1b" not in "".join(told)
    assert told[-1].startswith("  [31mred ")


WITHHELD = pytest.mark.parametrize(
    "private",
    [
        {"is_private": True},
        {"prompt": PromptRecord(prompt_hash="", template="", template_hash="", view=PromptView(include_private=True))},
    ],
    ids=["used", "let in, not used"],
)


@WITHHELD
@pytest.mark.requirement("cli:withheld")
def test_a_private_turn_is_told_of_and_not_shown(private: dict[str, object]) -> None:
    hidden = said("Here.", my_query="Which?", **private)
    assert lines(hidden, hidden)[3:] == ["A   private; --private shows it", "B   private; --private shows it"]
    assert lines(hidden, [])[3:] == ["A   private; --private shows it"]
    assert lines([], hidden, shared=0)[3:] == ["B   private; --private shows it"]


@WITHHELD
@pytest.mark.requirement("cli:withheld")
def test_of_a_pair_whose_one_side_is_private_the_other_is_shown_and_nothing_of_how_they_differ(
    private: dict[str, object],
) -> None:
    hidden = said("There.", **private)
    public = ["> Where does Ada live?", "  There."]
    assert lines(said("There."), hidden)[3:] == [*(f"A {line}" for line in public), "B   private; --private shows it"]
    assert lines(hidden, said("There."))[3:] == ["A   private; --private shows it", *(f"B {line}" for line in public)]
