"""One of a thing is told in the singular.

An id as a person types it is one id, or an error.
What is shown of a text where it does not fit.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.errors import InvalidParams, UnknownId
from voice.core.text.display import counted, excerpt_around, id_prefix_of, resolve_id_prefix, trim_context, truncate


@pytest.mark.parametrize(("number", "said"), [(0, "0 turns"), (1, "1 turn"), (2, "2 turns"), (1_000, "1,000 turns")])
def test_a_number_of_things_is_told_in_singular_or_plural(number: int, said: str) -> None:
    assert counted(number, "turn") == said


def test_a_plural_may_be_a_word_of_its_own() -> None:
    assert [counted(number, "memory", "memories") for number in (1, 3)] == ["1 memory", "3 memories"]


@pytest.mark.requirement("cli:ids:beginning")
@pytest.mark.parametrize(
    ("said", "beginning"),
    [
        ("c:44aa", "c:44aa"),
        ("c:44aa…", "c:44aa"),
        ("c:44aa...", "c:44aa"),
        ("t:note.1", "t:note.1"),
        ("t:44a", None),
        ("Anna Lund", None),
        ("Anna…", None),
        ("m:c:01ab", None),
        ("", None),
    ],
)
def test_what_is_looked_up_is_an_id_without_its_dots(said: str, beginning: str | None) -> None:
    assert id_prefix_of(said) == beginning


@pytest.mark.requirement("cli:ids:beginning")
@pytest.mark.parametrize("said", ["t:…", "t:01a…", "t:01a..."])
def test_a_beginning_that_is_too_short_says_how_long_it_must_be(said: str) -> None:
    with pytest.raises(InvalidParams, match="at least 4 characters behind the colon"):
        id_prefix_of(said)


@pytest.mark.requirement("cli:ids:beginning")
@pytest.mark.parametrize("said", ["t:01ab", "t:01ab…"])
def test_the_one_id_that_begins_like_it_is_meant(said: str) -> None:
    assert resolve_id_prefix(said, ["t:01abcd"]) == "t:01abcd"


@pytest.mark.requirement("cli:ids:beginning")
def test_a_whole_id_is_meant_even_where_others_begin_with_it() -> None:
    assert resolve_id_prefix("t:01ab", ["t:01ab", "t:01abc"]) == "t:01ab"


@pytest.mark.requirement("cli:ids:beginning")
def test_a_whole_id_that_is_not_there_is_left_to_whoever_looks_for_it() -> None:
    assert resolve_id_prefix("t:01ab", []) == "t:01ab"


@pytest.mark.requirement("cli:ids:beginning")
@pytest.mark.requirement("cli:ids:never-guess")
def test_several_are_listed_and_none_is_taken() -> None:
    with pytest.raises(InvalidParams, match=r"could mean several: t:01ab, t:01abc; use more of the id"):
        resolve_id_prefix("t:01ab…", ["t:01ab", "t:01abc"])
    many = [f"t:01ab{number}" for number in range(6)]
    with pytest.raises(InvalidParams, match=r"t:01ab4, …; use more"):
        resolve_id_prefix("t:01ab", many)


@pytest.mark.requirement("cli:ids:beginning")
@pytest.mark.requirement("cli:ids:never-guess")
def test_an_abbreviation_of_nothing_is_an_error() -> None:
    with pytest.raises(UnknownId, match="no id begins with 't:01ab'"):
        resolve_id_prefix("t:01ab…", [])


TEXT = "Moved the kiln to the shed. Beth has the key."


@pytest.mark.requirement("cli:excerpts")
@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        (TEXT, 100, TEXT),
        ("The kiln.", 9, "The kiln."),
        (TEXT, 20, "Moved the kiln to…"),
        (TEXT, 15, "Moved the kiln…"),
        (TEXT, 28, "Moved the kiln to the shed.…"),
        ("Kiln, shed and key", 7, "Kiln…"),
        ("unbrokenwords", 6, "unbro…"),
        ("one\ntwo three", 9, "one\ntwo…"),
        ("- 窯を小屋に移しました", 9, "- 窯を小屋に移…"),
        ("  https://example.org/kiln", 12, "  https://e…"),
        ("See https://example.org/kiln", 12, "See https:/…"),
    ],
)
def test_a_long_text_is_cut_at_a_word_and_says_so(text: str, most: int, shown: str) -> None:
    assert truncate(text, most) == shown


@pytest.mark.requirement("cli:excerpts")
@given(st.text(), st.integers(min_value=1, max_value=80))
def test_what_is_shown_has_room_and_is_the_beginning(text: str, most: int) -> None:
    shown = truncate(text, most)
    assert len(shown) <= most
    assert shown == text or text.startswith(shown.removesuffix("…"))


@pytest.mark.requirement("cli:excerpts")
@pytest.mark.parametrize(
    ("before", "behind", "shown"),
    [
        ("o the shed. ", " has the ke", ("… the shed. ", " has the …")),
        ("shed", "shed", ("…shed", "shed…")),
        ("", "", ("…", "…")),
    ],
)
def test_what_stands_around_words_is_cut_at_words_and_says_so(before: str, behind: str, shown: tuple[str, str]) -> None:
    assert trim_context(before, behind, is_more_before=True, is_more_behind=True) == shown
    assert trim_context(before, behind, is_more_before=False, is_more_behind=False) == (before, behind)


@pytest.mark.requirement("cli:excerpts")
@pytest.mark.parametrize(
    ("span", "most", "shown"),
    [
        ((0, 5), 100, TEXT),
        ((0, 5), 20, "Moved the kiln to …"),
        ((10, 14), 14, "… the kiln to …"),
        ((37, 40), 20, "… Beth has the key."),
    ],
)
def test_a_long_text_is_shown_around_a_span(span: tuple[int, int], most: int, shown: str) -> None:
    assert excerpt_around(TEXT, span, most) == shown
