"""Each kind of setting, from the environment and from a file."""

import math
from decimal import Decimal
from typing import Final

import pytest

from tables import tables
from voice.core.settings.readers import (
    Reader,
    Unreadable,
    Value,
    flag,
    gate,
    globs,
    half_lives,
    inside,
    integer,
    money,
    names,
    number,
    one_of,
    text,
    timezone,
    url,
    word,
)

TABLES = tables(__file__)
READERS: Final[dict[str, Reader]] = {
    "flag": flag(),
    "gate": gate(),
    "globs": globs(),
    "half_lives": half_lives(),
    "inside": inside(0.0, 1.0, otherwise=0.15),
    "integer": integer(1, 50),
    "money": money(),
    "names": names(),
    "number": number(0.0, 1.0),
    "one_of": one_of("mark", "cut"),
    "text": text(),
    "timezone": timezone(),
    "url": url("ws", "mem"),
    "word": word(),
}


@pytest.mark.requirement("grounding:owner:who", "capture:ignored")
@pytest.mark.parametrize(
    ("reader", "raw", "value"),
    [
        *TABLES["what_is_of_the_kind_is_read_as_it_stands"],
        ("money", "0.05", Decimal("0.05")),
        ("money", 0.05, Decimal("0.05")),
        ("names", ["Irma Sauer", "Mimi, Mi"], "Irma Sauer, Mimi, Mi"),
        ("globs", ["/srv/a", "b*, c"], "/srv/a, b*, c"),
    ],
)
def test_what_is_of_the_kind_is_read_as_it_stands(reader: str, raw: object, value: Value) -> None:
    reading = READERS[reader].read(raw)
    assert (reading.value, reading.warning) == (value, None)
    assert type(reading.value) is type(value)


@pytest.mark.requirement("ruling:C16")
@pytest.mark.parametrize(
    ("reader", "raw"),
    [
        *TABLES["what_is_not_of_the_kind_is_unreadable"],
        ("integer", "9" * 5000),
        ("number", math.inf),
        ("number", 10**400),
        ("number", [0.5]),
        ("money", []),
        ("names", "x" * 81),
        ("names", ["Irma", 3]),
        ("globs", "x" * 5_000),
        ("globs", ["a", 1]),
    ],
)
def test_what_is_not_of_the_kind_is_unreadable(reader: str, raw: object) -> None:
    with pytest.raises(Unreadable, match=r"^must "):
        READERS[reader].read(raw)


@pytest.mark.requirement(
    "ruling:C16", "ruling:A8", "s0:behavior:1", "s0:validation:mix", "s0:validation:topk", "s0:validation:min_floor"
)
@pytest.mark.parametrize(
    ("reader", "raw", "value", "warning"), TABLES["what_cannot_stand_as_it_is_is_put_right_with_a_warning"]
)
def test_what_cannot_stand_as_it_is_is_put_right_with_a_warning(
    reader: str, raw: object, value: Value, warning: str
) -> None:
    reading = READERS[reader].read(raw)
    assert (reading.value, reading.warning) == (value, warning)


@pytest.mark.requirement("ruling:E.6")
@pytest.mark.parametrize("name", ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", "America", "a\x00b", "x" * 300])
def test_an_unknown_time_zone_is_unreadable(name: str) -> None:
    with pytest.raises(Unreadable, match="must be a time zone like"):
        timezone().read(name)


def test_an_address_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(Unreadable) as caught:
        url("ws").read("ws://me:hunter2@host/")
    assert "hunter2" not in str(caught.value)
    assert "settings of their own" in str(caught.value)


def test_a_long_wrong_value_is_shown_shortened() -> None:
    with pytest.raises(Unreadable) as caught:
        integer(1, 2).read("x" * 1_000_000)
    assert len(str(caught.value)) < 100
