"""Every function of the core that takes a text takes time in proportion to its length, whatever it is."""

from collections.abc import Callable, Iterable, Mapping
from inspect import isgenerator

import pytest

from cpu_growth import Measured, Run, Work, dearest, measured, unbounded
from hostile_texts import NEAR, PIECES, hostile
from made_values import arguments
from taken_texts import DOORS, LEFT_OUT, longest_for, name_of, takers
from voice.core.errors import VoiceError
from voice.core.grounding.draft import InvalidReply

pytestmark = pytest.mark.requirement("bounded:functions")
_PARTS = 32
_PLAIN = "Ida Berg said on 3 May 2020 that the kiln is in the shed [S1]."


def _calling(taker: Callable[..., object], piece: str) -> Work:
    def work(chars: int) -> Run:
        text = hostile(piece, chars)
        try:
            given = arguments(taker, text)
        except VoiceError:
            return lambda: None
        return lambda: _called(taker, given)

    return work


def _called(taker: Callable[..., object], given: Mapping[str, object]) -> None:
    """Call with what was made; what is refused was looked at."""
    try:
        result = taker(**given)
        if isgenerator(result):
            for _ in result:
                pass
    except (VoiceError, InvalidReply, LookupError, ValueError):
        return


def _growths(
    found: Iterable[Callable[..., object]], pieces: Iterable[str], *, longest: int, enough: float, most: int = 2
) -> dict[str, Measured]:
    """Return how the time of each function grows on the `most` pieces that it takes most for."""
    return {
        f"{name_of(taker)} on {piece}": measured(works[piece], longest=longest_for(taker, longest), enough=enough)
        for taker in found
        for works in [{piece: _calling(taker, PIECES[piece]) for piece in pieces}]
        for piece in dearest(works, most=most)
    }


@pytest.fixture(scope="module", autouse=True)
def lost() -> list[str]:
    """Call each function once, so that what they load is loaded, and return those that cannot be called."""
    found: list[str] = []
    for taker in takers():
        try:
            taker(**arguments(taker, _PLAIN))
        except (VoiceError, InvalidReply):
            continue
        except (TypeError, LookupError, ValueError, AttributeError, OSError) as error:
            found.append(f"{name_of(taker)}: {error!r}")
    return found


@pytest.mark.parametrize("part", range(_PARTS))
def test_a_function_takes_no_longer_than_its_text_grows(part: int) -> None:
    growths = _growths(takers()[part::_PARTS], NEAR, longest=2_500, enough=0.05, most=1)
    assert growths
    assert unbounded(growths) == {}


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("part", range(_PARTS))
def test_a_function_takes_no_longer_than_its_text_grows_to_a_hundred_thousand_characters(part: int) -> None:
    growths = _growths(takers()[part::_PARTS], PIECES, longest=100_000, enough=0.12, most=1)
    assert growths
    assert unbounded(growths) == {}


def test_every_function_that_takes_a_text_can_be_given_one(lost: list[str]) -> None:
    assert takers()
    assert lost == []


def test_what_is_left_out_is_there() -> None:
    assert LEFT_OUT.keys() | DOORS <= {name_of(taker) for taker in takers(everything=True)}


def test_a_function_that_grows_faster_is_found() -> None:
    def pairs(text: str) -> int:
        return sum(one == other for one in text for other in text)

    def plain(text: str) -> int:
        return sum(char == "a" for char in text)

    found = unbounded(_growths([pairs, plain], ["one word"], longest=2_400, enough=0.04))
    assert [name.partition(" ")[0].rpartition(".")[2] for name in found] == ["pairs"]
