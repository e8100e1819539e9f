"""Each kind of setting, from the environment and from a file."""

from decimal import Decimal

import pytest

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


@pytest.mark.parametrize(
    ("reader", "raw", "value"),
    [
        (integer(1, 50), " 7 ", 7),
        (integer(1, 50), 7, 7),
        (number(0.0, 1.0), ".5", 0.5),
        (number(0.0, 1.0), 1, 1.0),
        (number(0.0, 1.0), "1e-1", 0.1),
        (inside(0.0, 1.0, otherwise=0.15), "0.2", 0.2),
        (money(), "0.05", Decimal("0.05")),
        (money(), 0.05, Decimal("0.05")),
        (flag(), "YES", True),
        (flag(), "off", False),
        (flag(), True, True),
        (gate(), "1", True),
        (gate(), "True", True),
        (gate(), "0", False),
        (gate(), True, True),
        (one_of("mark", "cut"), "Cut", "cut"),
        (word(), "Ollama_Chat", "ollama_chat"),
        (half_lives(), " Works At = 730, born_in=Never ", "works_at=730,born_in=never"),
        (text(), " gpt-5 ", "gpt-5"),
        (url("ws", "mem"), "mem://", "mem://"),
        (timezone(), "Europe/Berlin", "Europe/Berlin"),
    ],
)
def test_what_is_of_the_kind_is_read_as_it_stands(reader: Reader, raw: object, value: Value) -> None:
    reading = reader.read(raw)
    assert (reading.value, reading.warning) == (value, None)
    assert type(reading.value) is type(value)


@pytest.mark.requirement("ruling:C16")
@pytest.mark.parametrize(
    ("reader", "raw"),
    [
        (integer(1, 50), "ten"),
        (integer(1, 50), "1_0"),
        (integer(1, 50), "1.0"),
        (integer(1, 50), 1.0),
        (integer(1, 50), True),
        (integer(1, 50), "9" * 5000),
        (number(0.0, 1.0), "half"),
        (half_lives(), "works_at=soon"),
        (number(0.0, 1.0), "nan"),
        (number(0.0, 1.0), float("inf")),
        (number(0.0, 1.0), "1e999"),
        (number(0.0, 1.0), True),
        (number(0.0, 1.0), 10**400),
        (number(0.0, 1.0), [0.5]),
        (inside(0.0, 1.0, otherwise=0.15), "low"),
        (money(), "cheap"),
        (money(), "-1"),
        (money(), "NaN"),
        (money(), []),
        (flag(), "maybe"),
        (flag(), 1),
        (gate(), 1),
        (one_of("mark", "cut"), "keep"),
        (one_of("mark", "cut"), 3),
        (word(), "a b"),
        (word(), 3),
        (text(), "a\x00b"),
        (text(), "a\nb"),
        (text(), "  "),
        (url("ws"), "http://x"),
        (url("ws"), "ws://[x"),
        (url("ws"), "ws://a\x07"),
        (url("ws"), 3),
    ],
)
def test_what_is_not_of_the_kind_is_unreadable(reader: Reader, raw: object) -> None:
    with pytest.raises(Unreadable, match=r"^must "):
        reader.read(raw)


@pytest.mark.requirement("ruling:C16", "s0:validation:mix", "s0:validation:topk")
@pytest.mark.parametrize(
    ("reader", "raw", "value", "warning"),
    [
        (number(0.0, 1.0), "1.5", 1.0, "is 1.5; using 1.0 (0.0 to 1.0)"),
        (number(0.0, 1.0), -2, 0.0, "is -2.0; using 0.0 (0.0 to 1.0)"),
        (integer(1, 50), "51", 50, "is 51; using 50 (1 to 50)"),
        (integer(1, 50), 0, 1, "is 0; using 1 (1 to 50)"),
    ],
)
def test_a_number_out_of_range_is_clamped_with_a_warning(
    reader: Reader, raw: object, value: Value, warning: str
) -> None:
    reading = reader.read(raw)
    assert (reading.value, reading.warning) == (value, warning)


@pytest.mark.requirement("s0:validation:min_floor")
@pytest.mark.parametrize("raw", ["0", "1", "-0.5", "7"])
def test_a_min_floor_that_is_not_strictly_inside_becomes_its_default(raw: str) -> None:
    reading = inside(0.0, 1.0, otherwise=0.15).read(raw)
    assert reading.value == 0.15
    assert reading.warning is not None
    assert "not between 0.0 and 1.0; using 0.15" in reading.warning


@pytest.mark.requirement("s0:behavior:1", "ruling:A8")
@pytest.mark.parametrize("raw", ["2", "enabled", "ja"])
def test_what_is_not_understood_leaves_the_gate_closed(raw: str) -> None:
    reading = gate().read(raw)
    assert reading.value is False
    assert reading.warning == "is neither 1 nor 0 (true nor false), so the inner voice stays off"


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


@pytest.mark.requirement("grounding:owner:who")
def test_names_are_read_from_a_line_or_from_a_list() -> None:
    assert names().read(" Irma  Sauer,Mimi ,Mimi").value == "Irma Sauer, Mimi"
    assert names().read(["Irma Sauer", "Mimi, Mi"]).value == "Irma Sauer, Mimi, Mi"


@pytest.mark.parametrize("raw", ["", " , ", "x" * 81, "Irma\x1b", ",".join("abcdefghijklm"), 3, ["Irma", 3]])
def test_what_can_be_nobodys_name_is_refused(raw: object) -> None:
    with pytest.raises(Unreadable):
        names().read(raw)


@pytest.mark.requirement("capture:ignored")
def test_globs_are_read_from_a_line_and_from_a_list() -> None:
    assert globs().read(" /srv/a ,, b*").value == "/srv/a, b*"
    assert globs().read(["/srv/a", "b*, c"]).value == "/srv/a, b*, c"
    assert globs().read("").value is None
    for raw in (1, ["a", 1], "a\nb", "x" * 5_000):
        with pytest.raises(Unreadable):
            globs().read(raw)
