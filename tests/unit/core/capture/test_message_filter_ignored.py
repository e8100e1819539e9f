"""What the person's ignore rules keep out."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.capture.message_filter import IgnoreRules

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("capture:ignored")


@pytest.mark.parametrize(("glob", "path", "is_held"), TABLES["a_rule_holds_what_it_names_and_all_below_it"])
def test_a_rule_holds_what_it_names_and_all_below_it(glob: str, path: str, *, is_held: bool) -> None:
    assert IgnoreRules(globs=(glob,)).holds(path) is is_held


def test_an_empty_file_means_all_and_a_missing_one_nothing() -> None:
    assert IgnoreRules.of_file(None) == IgnoreRules()
    assert IgnoreRules.of_file("").is_all
    assert IgnoreRules.of_file("# nothing from here\n\n").is_all
    assert IgnoreRules.of_file("# keys\n *.pem \nsecret/\n") == IgnoreRules(globs=("*.pem", "secret/"))


def test_a_message_is_kept_out_for_a_file_it_names_and_never_for_a_commit() -> None:
    rules = IgnoreRules(globs=("*.pem", "1a2b3c4"))
    assert rules.keeps_out("I moved keys/a.pem away.")
    assert not rules.keeps_out("I moved keys/a.py in 1a2b3c4.")
    assert not IgnoreRules().keeps_out("keys/a.pem")


@given(st.text("ab?*", max_size=8), st.text("abc", min_size=1, max_size=8))
def test_a_glob_describes_a_name_as_shells_say(glob: str, name: str) -> None:
    assert IgnoreRules(globs=(glob,)).holds(name) is fnmatchcase(name, glob)
