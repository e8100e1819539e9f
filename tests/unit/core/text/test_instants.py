"""Whether a name is a time zone's."""

import pytest

from voice.core.text.instants import is_time_zone


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "Pacific/Auckland", "Asia/Kathmandu"])
def test_a_zone_is_known(name: str) -> None:
    assert is_time_zone(name)


@pytest.mark.parametrize(
    "name", ["No/Where", "", "../zone", "/etc/passwd", "Europe", "a\x00b", "x" * 5000, "1/" * 5000]
)
def test_what_is_no_zone_is_told_and_not_thrown(name: str) -> None:
    assert not is_time_zone(name)
    assert is_time_zone("Europe/Lisbon")
