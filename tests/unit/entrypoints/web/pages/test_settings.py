"""Searches that pages lead back to, and findings as pages show them."""

import pytest

from voice.core.health import Finding
from voice.entrypoints.web.pages.addresses import Kept, Search, search_of
from voice.entrypoints.web.pages.settings import by_gravity, counts_of


@pytest.mark.requirement("web:sources:search", "promise:6")
def test_a_search_is_found_under_an_id_that_says_nothing_of_it() -> None:
    kept = Kept[Search]()
    search = search_of("  the secret  lease ", "last\nweek", "home, lease home")
    search_id = kept.keep(search)
    assert kept.found(search_id) == Search(words="the secret lease", when="last week", tags=("home", "lease"))
    assert kept.keep(search) == search_id, "the same search is kept once"
    assert "lease" not in search_id
    assert "lease" not in repr(kept)


def test_of_many_searches_the_oldest_go() -> None:
    kept = Kept[Search](most=2)
    ids = [kept.keep(search_of(word, "", "")) for word in ("clay", "kiln")]
    kept.keep(search_of("clay", "", ""))
    kept.keep(search_of("glaze", "", ""))
    assert [kept.found(each) is not None for each in ids] == [True, False]


def test_a_search_for_nothing_is_none() -> None:
    assert search_of(" ", "", " , ").is_empty
    assert not search_of("", "today", "").is_empty


@pytest.mark.requirement("web:doctor")
def test_findings_stand_the_gravest_first_and_are_counted() -> None:
    found = [
        Finding(name="disk", state="ok", detail="9 GB free"),
        Finding(name="key", state="fault", detail="others can read it", advice="chmod 600"),
        Finding(name="gate", state="remark", detail="off"),
        Finding(name="clock", state="ok", detail="now"),
    ]
    assert [each.name for each in by_gravity(found)] == ["key", "gate", "disk", "clock"]
    assert [*counts_of(found)] == [("fault", 1), ("remark", 1), ("OK", 2)]
    assert [*counts_of([*found, *found])] == [("faults", 2), ("remarks", 2), ("OK", 4)]
