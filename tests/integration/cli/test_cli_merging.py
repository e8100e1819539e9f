"""`voice kg merge`, `unmerge` and `merges`."""

import pytest

from cli_runner import Documented, Voice

pytestmark = pytest.mark.requirement("ruling:F.6")


def test_two_are_merged_listed_and_taken_apart(voice: Voice, is_as_documented: Documented) -> None:
    one = voice.ok("kg", "add", "entity", "Anna Lund", "--type", "person").out.strip()
    two = voice.ok("kg", "add", "entity", "Anna", "--type", "person").out.strip()
    voice.ok("kg", "add", "observation", "Anna fires at cone 6.", "--about", two)
    suggested = voice.ok("kg", "duplicates")
    assert ("Anna Lund (person)" in suggested.out, "voice kg merge" in suggested.err) == (True, True)
    assert "no merges yet" in voice.ok("kg", "merge", "--list").err
    dry = voice.ok("kg", "merge", "Anna Lund", "Anna", "--dry-run")
    assert dry.out == f"Anna ({two}) would become part of Anna Lund ({one}), 1 row moved along\n"
    is_as_documented("cli/kg-merge", voice.ok("kg", "merge", one, two, "--dry-run", "--json"))
    done = voice.ok("kg", "merge", "Anna Lund", "Anna", "--reason", "the same person")
    merge_id = done.out.split()[0]
    assert done.out == f"{merge_id}  Anna ({two}) is part of Anna Lund ({one}), 1 row moved along\n"
    shown = voice.ok("kg", "show", "Anna").out
    assert shown.startswith(f"Anna Lund (person) {one}")
    assert "also: Anna" in shown
    listed = voice.ok("kg", "merge", "--list", "--json")
    is_as_documented("cli/kg-merges", listed)
    assert listed.json[0]["id"] == merge_id
    voice.ok("kg", "add", "observation", "She moved to Faro.", "--about", one)
    is_as_documented("cli/kg-merge", voice.ok("kg", "unmerge", merge_id, "--dry-run", "--json"))
    back = voice.ok("kg", "unmerge", merge_id)
    assert back.out == f"{merge_id}  Anna ({two}) is no longer part of Anna Lund ({one}), 1 row moved back\n"
    assert f"added since and still about {one}" in back.err
    assert "undone" in voice.ok("kg", "merge", "--list").out
    lines = voice.ok("kg", "list").out.splitlines()
    assert {"Anna", "Anna Lund"} <= {line.split("  ")[-1].split(" ", 1)[-1].strip() for line in lines}


def test_what_cannot_be_merged_is_told_in_one_line(voice: Voice) -> None:
    voice.ok("kg", "add", "entity", "Anna", "--type", "person")
    for words, said in (
        (["merge", "Anna", "Anna"], "nothing to merge"),
        (["merge", "Anna", "Nobody"], "Nobody"),
        (["unmerge", "m:nowhere"], "there is no merge 'm:nowhere'; `voice kg merge --list` lists all merges"),
    ):
        assert said in voice.refused("kg", *words)
