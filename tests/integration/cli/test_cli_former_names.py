"""Names of an earlier release do what they did, and say the new form in one line."""

import re
from typing import cast

import pytest

from cli_runner import Voice


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("maintain reindex", "maintain rebuild", "vectors in the index\n"),
        ("maintain embed-pending -n 2", "maintain rebuild vectors", "0 rows encoded, 0 still waiting\n"),
        ("maintain reembed --pause 1", "maintain rebuild vectors", "0 rows encoded again, 0 still with another"),
        ("maintain mark ID --dry-run", "removals mark", "would mark 1 thought"),
        ("maintain unmark ID", "removals unmark", "unmarked 0 thoughts"),
        ("maintain removals --json", "removals list", '"candidates": []'),
        ("maintain export-removals --dry-run", "removals export", "would archive 0 thoughts"),
        ("maintain finalise-removals", "removals finalise", "would delete 0 thoughts"),
        ("kg merges --json", "kg merge --list", "[]\n"),
        (
            "sessions topic kiln --status resolved",
            "sessions edit SESSION --topic-status STATUS",
            "topic resolved  kiln",
        ),
        ("sessions close kiln", "sessions edit SESSION --status closed", "  closed  kiln"),
        ("sessions reopen kiln --json", "sessions edit SESSION --status open", '"status": "open"'),
        ("sessions rename kiln oven", "sessions edit SESSION --topic TEXT", "  oven\n"),
    ],
)
def test_a_former_name_works_as_before_and_names_the_new_form(told: Voice, old: str, new: str, said: str) -> None:
    told.ok("ask", "Where is the kiln?", "--new", "kiln")
    found = cast("dict[str, list[dict[str, str]]]", told.ok("retrieve", "kiln", "--mix", "0", "--json").json)
    ran = told.ok(*old.replace("ID", next(each["id"] for each in found["snippets"] if each["id"][0] == "t")).split())
    assert said in ran.out
    assert f"voice: this command is now `voice {new}`; the next release drops the old name" in ran.err.splitlines()


def test_former_names_are_not_listed_and_new_forms_refuse_what_does_not_go_together(told: Voice) -> None:
    assert set(re.findall("rebuild|reindex", told.ok("maintain", "--help").out)) == {"rebuild"}
    assert "need `vectors`" in told("maintain", "rebuild", "--pause", "1").only_line
    assert "--list takes no entities" in told("kg", "merge", "Anna", "--list").only_line
    assert "name two entities" in told("kg", "merge", "Anna").only_line
