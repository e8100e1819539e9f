"""Which wrong cookies are known again."""

import pytest

from voice.entrypoints.web.access import FailedCookies

pytestmark = pytest.mark.requirement("http:rate")


def test_a_cookie_is_known_again_at_the_address_that_sent_it_and_at_no_other() -> None:
    tried = FailedCookies()
    tried.add("10.0.0.1", ["stale"])
    assert tried.has_all("10.0.0.1", ["stale"])
    assert not tried.has_all("10.0.0.2", ["stale"])
    assert not tried.has_all("10.0.0.1", ["stale", "new"])
    assert not tried.has_all("10.0.0.1", []), "who sent none sent no known one"


def test_what_is_sent_again_and_again_outlives_whatever_else_its_address_tries() -> None:
    tried = FailedCookies()
    tried.add("10.0.0.1", ["stale", "left"])
    for number in range(300):
        tried.add("10.0.0.1", [f"guess-{number}"])
        assert tried.has_all("10.0.0.1", ["stale"])
    assert not tried.has_all("10.0.0.1", ["left"]), "only so many are remembered"


def test_what_one_address_tries_pushes_out_nothing_of_another() -> None:
    tried = FailedCookies()
    tried.add("10.0.0.1", ["stale"])
    for number in range(5_000):
        tried.add("10.0.0.2", [f"guess-{number}"])
    assert tried.has_all("10.0.0.1", ["stale"])


def test_only_so_many_addresses_are_remembered_and_the_longest_unseen_goes_first() -> None:
    tried = FailedCookies()
    for number in range(2_000):
        tried.add(f"10.0.{number // 256}.{number % 256}", ["stale"])
        tried.add("127.0.0.1", ["stale"])
    assert tried.has_all("127.0.0.1", ["stale"])
    assert not tried.has_all("10.0.0.0", ["stale"])
