"""An id as a person types it is one id, or an error."""

import pytest

from tables import tables
from voice.core.errors import InvalidParams, UnknownId
from voice.core.text.display import id_prefix_of, resolve_id_prefix

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("cli:ids:beginning")


@pytest.mark.parametrize(("said", "beginning"), TABLES["what_is_looked_up_is_an_id_without_its_dots"])
def test_what_is_looked_up_is_an_id_without_its_dots(said: str, beginning: str | None) -> None:
    assert id_prefix_of(said) == beginning


@pytest.mark.parametrize("said", ["t:…", "t:01a…", "t:01a..."])
def test_a_beginning_that_is_too_short_says_how_long_it_must_be(said: str) -> None:
    with pytest.raises(InvalidParams, match="at least 4 characters after the colon"):
        id_prefix_of(said)


@pytest.mark.parametrize("said", ["t:01ab", "t:01ab…"])
def test_the_one_id_that_begins_like_it_is_meant(said: str) -> None:
    assert resolve_id_prefix(said, ["t:01abcd"]) == "t:01abcd"


def test_a_whole_id_is_meant_even_where_others_begin_with_it() -> None:
    assert resolve_id_prefix("t:01ab", ["t:01ab", "t:01abc"]) == "t:01ab"


def test_a_whole_id_that_is_not_there_is_left_to_whoever_looks_for_it() -> None:
    assert resolve_id_prefix("t:01ab", []) == "t:01ab"


@pytest.mark.requirement("cli:ids:never-guess")
def test_several_are_listed_and_none_is_taken() -> None:
    with pytest.raises(InvalidParams, match=r"could mean several: t:01ab, t:01abc; use more of the id"):
        resolve_id_prefix("t:01ab…", ["t:01ab", "t:01abc"])
    many = [f"t:01ab{number}" for number in range(6)]
    with pytest.raises(InvalidParams, match=r"t:01ab4, …; use more"):
        resolve_id_prefix("t:01ab", many)


@pytest.mark.requirement("cli:ids:never-guess")
def test_an_abbreviation_of_nothing_is_an_error() -> None:
    with pytest.raises(UnknownId, match="no id begins with 't:01ab'"):
        resolve_id_prefix("t:01ab…", [])
