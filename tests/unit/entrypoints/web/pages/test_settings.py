"""Searches that pages lead back to, and settings and findings as pages show them."""

import pytest

from voice.core.health import Finding
from voice.core.settings.describe import SettingRow
from voice.entrypoints.web.pages.addresses import Search, Searches, search_of
from voice.entrypoints.web.pages.settings import doctor_view, groups_of


@pytest.mark.requirement("web:sources:search", "promise:6")
def test_a_search_is_found_under_an_id_that_says_nothing_of_it() -> None:
    kept = Searches()
    search = search_of("  the secret  lease ", "last\nweek", "home, lease home")
    search_id = kept.keep(search)
    assert kept.found(search_id) == Search(words="the secret lease", when="last week", tags=("home", "lease"))
    assert kept.keep(search) == search_id, "the same search is kept once"
    assert "lease" not in search_id
    assert "lease" not in repr(kept)


def test_of_many_searches_the_oldest_go() -> None:
    kept = Searches(most=2)
    ids = [kept.keep(search_of(word, "", "")) for word in ("clay", "kiln")]
    kept.keep(search_of("clay", "", ""))
    kept.keep(search_of("glaze", "", ""))
    assert [kept.found(each) is not None for each in ids] == [True, False]


def test_a_search_for_nothing_is_none() -> None:
    assert search_of(" ", "", " , ").is_empty
    assert not search_of("", "today", "").is_empty


@pytest.mark.requirement("web:settings")
def test_settings_stand_under_their_table_with_what_was_set_counted() -> None:
    rows = [
        SettingRow(name="llm.model", env="SURR_LLM_MODEL", value="m", origin="env", unit=None, about="Which."),
        SettingRow(name="llm.deadline_s", env="T", value="not set", origin="default", unit="seconds", about="Long."),
        SettingRow(name="time.timezone", env="Z", value="UTC", origin="file", unit=None, about="Where."),
    ]
    model, time = groups_of(rows)
    assert (model.title, model.changed, time.changed) == ("Model", 1, 1)
    assert [(row.origin, row.unit, row.is_default) for row in model.rows] == [
        ("the environment", "", False),
        ("the default", "", True),
    ]


@pytest.mark.requirement("web:doctor")
def test_findings_stand_the_gravest_first_and_are_counted() -> None:
    found = [
        Finding(name="disk", state="ok", detail="9 GB free"),
        Finding(name="key", state="fault", detail="others can read it", advice="chmod 600"),
        Finding(name="gate", state="remark", detail="off"),
        Finding(name="clock", state="ok", detail="now"),
    ]
    view = doctor_view(found)
    assert [each.name for each in view.findings] == ["key", "gate", "disk", "clock"]
    assert (view.is_healthy, view.counts) == (False, (("fault", 1), ("remark", 1), ("OK", 2)))
    assert doctor_view([*found, *found]).counts == (("faults", 2), ("remarks", 2), ("OK", 4))
