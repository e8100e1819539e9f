"""`voice recall` on the command line."""

from pathlib import Path

import pytest

from cli_runner import SETTINGS, Documented, Ran, Voice
from tables import tables
from voice.entrypoints.cli.terminal.request_options import repository_of

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


def test_nothing_is_said_plainly_and_a_budget_too_small_as_well(told: Voice) -> None:
    ran = told.ok("recall", "", "--budget", "0")
    assert "no pins here" in ran.out
    assert "found nothing; try other words" in ran.out
    assert "the query is empty" in ran.err
    assert "none of 2 fits into the budget" in told.ok("recall", "kiln", "--limit", "1", "--budget", "1").out
    work = told.ok("capsules", "open", "the shed", "--json").json["id"]
    told.ok("remember", "The shed is warm now.", "--capsule", work)
    shown = told.ok("recall", "kiln", "--budget", "1").out
    assert "The shed is warm now." in shown
    assert "exceed the budget by" in shown


def test_a_query_comes_from_a_pipe_and_now_and_when_are_read(told: Voice) -> None:
    assert contents(told.ok("recall", "--json", "--provider", "local-fts", stdin=b"kiln\n")) == [KILN]
    ran = told.ok("recall", "kiln", "--now", "2030-01-02T03:04:05Z", "--when", "in 2020", "--json")
    assert contents(ran) == []
    assert ran.json["provenance"]["now"] == "2030-01-02T03:04:05Z"


@pytest.mark.parametrize("arguments", TABLES["what_cannot_be_meant_is_a_usage_error"])
def test_what_cannot_be_meant_is_a_usage_error(told: Voice, arguments: tuple[str, ...]) -> None:
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


@pytest.mark.requirement("s4:scope:default")
@pytest.mark.parametrize(
    "where", [("--repo", "."), ("--scope", "repo=."), ("--scope", "repo=../src"), ("--repo", "..")]
)
def test_a_repository_is_written_by_any_path_into_it_and_found_by_its_root(
    told: Voice, repo: Path, where: tuple[str, str]
) -> None:
    told.ok("remember", "The shed of the repository.", *where)
    found = told.ok("recall", "shed", "--scope", f"repo={repo}", "--json")
    assert contents(found) == ["The shed of the repository."]
    assert contents(told.ok("recall", "shed", *where, "--json")) == ["The shed of the repository."]


def test_an_id_of_a_repository_that_is_no_path_stays_as_it_is(told: Voice, repo: Path) -> None:
    told.ok("remember", "The shed of a repository elsewhere.", "--scope", "repo=kiln")
    assert contents(told.ok("recall", "shed", "--repo", str(repo), "--json")) == []
    found = told.ok("recall", "shed", "--scope", "repo=kiln", "--json")
    assert found.json["provenance"]["scopeIds"] == {"repoId": "kiln"}


def test_pins_and_capsules_take_the_repository_too(told: Voice, repo: Path) -> None:
    row = told.remember("The shed of the repository.", "--repo", ".")
    told.ok("pins", "add", row, "--reason", "it matters", "--repo", ".")
    told.ok("capsules", "open", "mend the shed", "--repo", ".")
    recalled = told.ok("recall", "nothing like it", "--scope", f"repo={repo}", "--json").json
    assert [pin["target"]["content"] for pin in recalled["pins"]] == ["The shed of the repository."]
    assert "mend the shed" in told.ok("capsules", "list", "--scope", f"repo={repo}").out


@pytest.mark.requirement("ruling:A22", "s3:api:limit", "s3:api:order")
def test_a_retrieval_takes_limit_order_and_scope(told: Voice, repo: Path) -> None:
    told.ok("remember", "The shed of the repository was painted.", "--repo", ".", "--at", "2026-02-01")
    told.ok("remember", "The shed of the repository was built.", "--repo", ".", "--at", "2025-02-01")
    asked = ("retrieve", "shed", "--repo", ".", "--floor", "0", "--mix", "0", "--json")

    def found(*more: str) -> list[str]:
        return [snippet["created_at"][:4] for snippet in told.ok(*asked, *more).json["snippets"]]

    assert found("--order", "created_at_asc") == ["2025", "2026"]
    assert len(found("--limit", "1")) == 1
    assert told("retrieve", "shed", "-k", "1", "-n", "1").code == 2


def test_a_directory_outside_of_any_repository_is_none(tmp_path: Path) -> None:
    assert repository_of(tmp_path) is None
    (tmp_path / ".git").mkdir()
    assert repository_of(tmp_path) is not None


def test_private_rows_wait_until_they_are_let_in(told: Voice) -> None:
    told.ok("remember", "My own kiln.", "--private")
    assert "My own kiln." not in contents(told.ok("recall", "kiln", "--json"))
    shown = told.ok("recall", "kiln", "--include-private").out
    assert ("My own kiln." in shown, "  private" in shown) == (True, True)


@pytest.mark.requirement("ruling:A18", "ruling:A18a")
@pytest.mark.parametrize("reading", TABLES["every_command_that_reads_goes_by_one_rule"], ids=lambda reading: reading[0])
def test_every_command_that_reads_goes_by_one_rule(
    told: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading: tuple[str, ...]
) -> None:
    """Outside of any repository a scope is named, unless `voice init` wrote that everything is read."""
    monkeypatch.chdir(tmp_path)
    said = "A canoe stands in the boat house beside the shed."
    told.ok("remember", said, "--scope", "repo=/boat")
    refused = told(*reading)
    assert (refused.code, "scope_required" in refused.only_line) == (2, True)
    assert said in told.ok(*reading, "--scope", "repo=/boat").out
    assert said in told.ok(*reading, "--all-scopes").out
    told.settings(f'{SETTINGS}[scope]\ndefault = "all"\n')
    assert said in told.ok(*reading).out
