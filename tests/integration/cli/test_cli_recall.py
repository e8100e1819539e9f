"""`voice recall` on the command line."""

from pathlib import Path

import pytest

from cli_runner import SETTINGS, Documented, Ran, Voice
from tables import tables

TABLES = tables(__file__)

LOGIN = "Fixed the authentication bug in login.py."
KILN = "Moved the kiln to the shed."


@pytest.fixture
def told(voice: Voice) -> Voice:
    voice.ok("remember", LOGIN)
    voice.ok("remember", KILN)
    return voice


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    inside = tmp_path / "repo" / "src"
    inside.mkdir()
    monkeypatch.chdir(inside)
    return tmp_path / "repo"


def contents(ran: Ran) -> list[str]:
    return [one["entity"]["content"] for one in ran.json["candidates"]]


@pytest.mark.requirement("s4:tier:order")
def test_the_three_tiers_are_printed_and_documented(told: Voice, is_as_documented: Documented) -> None:
    first = told.ok("recall", "kiln", "--provider", "local-fts", "--json").json["candidates"][0]["entity"]["id"]
    told.ok("pins", "add", first, "--reason", "where it stands")
    told.ok("capsules", "open", "mend the login")
    ran = told.ok("recall", "authentication bug?", "--budget", "500", "--json")
    is_as_documented("recall", ran)
    assert [one["pin"]["reason"] for one in ran.json["pins"]] == ["where it stands"]
    assert contents(ran) == [LOGIN]
    plain = told.ok("recall", "authentication bug?").out
    assert plain.index("Pins") < plain.index("Current summary") < plain.index("Candidates")
    assert f"pinned: where it stands\n    {KILN}" in plain
    assert " 2. " in plain
    assert LOGIN in plain
    assert "1 of 1 candidate," in plain


def test_what_cannot_be_meant_is_a_usage_error(told: Voice) -> None:
    for arguments in TABLES["what_cannot_be_meant_is_a_usage_error"]:
        assert told.refused("recall", "kiln", *arguments)


@pytest.mark.requirement("s4:scope:default", "ruling:A18", "ruling:A18b")
def test_a_scoped_memory_is_read_where_the_command_stands(
    told: Voice, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(contents(told.ok("recall", "shed", "--json"))) == 2
    told.ok("remember", "The shed of the repository.", "--scope", f"repo={repo}")
    told.ok("remember", "The shed of another one.", "--scope", "repo=/another")
    here = told.ok("recall", "shed", "--json")
    assert sorted(contents(here)) == [LOGIN, KILN, "The shed of the repository."]
    assert here.json["provenance"]["scopeIds"] == {"repoId": str(repo), "orUnscoped": True}
    assert contents(told.ok("recall", "shed", "--scope", "here", "--json")) == contents(here)
    only = told.ok("recall", "shed", "--repo", ".", "--json")
    assert contents(only) == ["The shed of the repository."]
    assert only.json["provenance"]["scopeIds"] == {"repoId": str(repo)}
    assert contents(told.ok("recall", "shed", "--scope", "repo=/another", "--json")) == ["The shed of another one."]
    assert len(contents(told.ok("recall", "shed", "--all-scopes", "--json"))) == 4
    monkeypatch.chdir(tmp_path)
    refused = told.refused("recall", "shed")
    assert [each for each in ("scope_required", "`--repo DIR`", "`--scope all`") if each not in refused] == []
    assert sorted(contents(told.ok("recall", "shed", "--scope", "here", "--json"))) == [LOGIN, KILN]
    assert contents(told.ok("recall", "shed", "--repo", str(repo / "src"), "--json")) == ["The shed of the repository."]
    assert contents(told.ok("recall", "shed", "--repo", ".", "--json")) == []


@pytest.mark.requirement("ruling:A18", "ruling:A18a")
def test_every_command_that_reads_goes_by_one_rule(
    told: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside of any repository a scope is named, unless `voice init` wrote that everything is read."""
    monkeypatch.chdir(tmp_path)
    said = "A canoe stands in the boat house beside the shed."
    told.ok("remember", said, "--scope", "repo=/boat")
    for reading in (command := TABLES["every_command_that_reads_goes_by_one_rule"]):
        refused = told(*reading)
        assert (refused.code, "scope_required" in refused.only_line) == (2, True)
        assert said in told.ok(*reading, "--scope", "repo=/boat").out
        assert said in told.ok(*reading, "--all-scopes").out
    told.settings(f'{SETTINGS}[scope]\ndefault = "all"\n')
    assert [reading for reading in command if said not in told.ok(*reading).out] == []
