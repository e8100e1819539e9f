"""Every pattern of the package takes time in proportion to what it looks at, whatever that is."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

import pytest

from compiled_patterns import Used, comment_at, excluding, patterns
from cpu_growth import Measured, Run, Work, dearest, measured, unbounded
from hostile_texts import hostile
from pattern_trees import nests_loops, pumps_of

pytestmark = [
    pytest.mark.requirement("bounded:patterns"),
    pytest.mark.xdist_group("patterns"),  # all of them are found once
]
_PARTS = 8
_REASON = "# Linear:"


def _works(used: Used) -> Iterator[tuple[str, Mapping[str, Work]]]:
    """Yield each way a pattern is used, with looking that way at what its own loops go round with."""
    pumps = pumps_of(used.pattern)
    texts = [*pumps, *(("", lead + again) for lead, again in pumps)]
    for use in sorted(used.uses):
        yield use, {f"{lead!r} {again!r}…": _looking(used, use, lead, again) for lead, again in texts if again}


def _looking(used: Used, use: str, lead: str, again: str) -> Work:
    def work(chars: int) -> Run:
        text = lead + hostile(again, chars)
        said = text.encode() if isinstance(used.pattern.pattern, bytes) else text
        look = cast("Callable[[object], object]", getattr(used.pattern, "finditer" if use == "search" else use))
        return lambda: deque(cast("Iterable[object]", look(said) if use == "search" else (look(said),)), 0)

    return work


def _growths(found: Iterable[Used], *, longest: int, enough: float) -> dict[str, Measured]:
    """Return how the time of each pattern grows on the two texts that it takes most for."""
    return {
        f"{used.place}.{use} on {name}": measured(works[name], longest=min(longest, used.longest), enough=enough)
        for used in found
        for use, works in _works(used)
        for name in dearest(works, most=2)
    }


@pytest.fixture(scope="module")
def found() -> tuple[Used, ...]:
    return patterns()


@pytest.mark.parametrize("part", range(_PARTS))
def test_a_pattern_takes_no_longer_than_its_text_grows(part: int, found: tuple[Used, ...]) -> None:
    growths = _growths(found[part::_PARTS], longest=8_000, enough=0.03)
    assert growths
    assert unbounded(growths) == {}


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("part", range(_PARTS))
def test_a_pattern_takes_no_longer_than_its_text_grows_to_a_hundred_thousand_characters(
    part: int, found: tuple[Used, ...]
) -> None:
    growths = _growths(found[part::_PARTS], longest=100_000, enough=0.12)
    assert growths
    assert unbounded(growths) == {}


def test_what_excludes_a_time_is_among_them(found: tuple[Used, ...]) -> None:
    uses = {used.pattern.pattern: used.uses for used in found}
    read = list(excluding())
    assert {used.place for used in read} == {"times.en.txt", "times.de.txt", "times.es.txt"}
    assert [used for used in read if not used.uses <= uses.get(used.pattern.pattern, frozenset())] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "use"), [(r"\s+$", "search"), (r"(a+)+$", "match"), (r"\d+(?:st|nd)", "search")]
)
def test_a_pattern_that_grows_faster_is_found(expression: str, use: str) -> None:
    used = Used("here", re.compile(expression, re.DOTALL), frozenset({use}))
    assert unbounded(_growths([used], longest=12_800, enough=0.01))


def test_a_loop_in_a_loop_gives_nothing_back_or_says_why_it_need_not(found: tuple[Used, ...]) -> None:
    nested = [used for used in found if nests_loops(used.pattern)]
    assert nested
    assert [used.place for used in nested if _REASON not in comment_at(used.place)] == []
    assert [used.place for used in found if used not in nested and _REASON in comment_at(used.place)] == []


def test_a_loop_that_may_give_back_within_another_is_found() -> None:
    giving = [r"(?:a+)+", r"(?:a+b?)*", r"(?:(?:a*)b?){2,40}", r"(?=(?:a+)*)"]
    keeping = [r"(?:a++)+", r"(?:a+)++", r"(?>a+)*", r"a+b+", r"(?:a{1,9})+", r"(?:a+){0,3}"]
    assert [each for each in giving + keeping if nests_loops(re.compile(each))] == giving
