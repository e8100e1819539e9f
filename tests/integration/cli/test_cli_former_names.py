"""Names of an earlier release do what they did, and say the new form in one line."""

import re

from cli_runner import Voice
from tables import tables

TABLES = tables(__file__)


def test_a_former_name_works_as_before_and_names_the_new_form(told: Voice) -> None:
    told.ok("ask", "Where is the kiln?", "--new", "kiln")
    found = told.ok("retrieve", "kiln", "--mix", "0", "--json").json
    thought = next(each["id"] for each in found["snippets"] if each["id"][0] == "t")
    for old, new, said in TABLES["a_former_name_works_as_before_and_names_the_new_form"]:
        ran = told.ok(*old.replace("ID", thought).split())
        assert said in ran.out
        assert f"voice: this command is now `voice {new}`; the next release drops the old name" in ran.err.splitlines()


def test_former_names_are_not_listed_and_new_forms_refuse_what_does_not_go_together(told: Voice) -> None:
    assert set(re.findall("rebuild|reindex", told.ok("maintain", "--help").out)) == {"rebuild"}
    assert "need `vectors`" in told("maintain", "rebuild", "--pause", "1").only_line
    assert "--list takes no entities" in told("kg", "merge", "Anna", "--list").only_line
    assert "name two entities" in told("kg", "merge", "Anna").only_line
