"""The account of a choice on paper of any width, and what is said when there was no time or a setting was put right."""

import sys
from pathlib import Path

import pytest

from cli_runner import Documented, Voice, on_paper
from retrieval_rows import candidate, observations, thought, thoughts
from synced_folders import write
from voice.core.records import Table
from voice.core.retrieval.selection import NO_VECTORS_WARNING, OUT_OF_TIME, SearchFacts, select
from voice.core.retrieval.values import RetrieveParams, Selection
from voice.entrypoints.cli.show.retrieval import show_selection

LONG_ID = "01K9ZZZZZZZZZZZZZZZZZZZZZZ"
FACTS = SearchFacts(provider="local", model="tiny", dim=8, admitted={Table.THOUGHTS: 4}, matched={Table.THOUGHTS: 3})


def chosen(**wanted: object) -> Selection:
    found = [candidate(thought(LONG_ID), 0.99), *thoughts(3), *observations(2)]
    return select(RetrieveParams(query="q", **wanted), found, FACTS)  # pyright: ignore[reportArgumentType]


def shown(selection: Selection, width: int) -> str:
    return on_paper(lambda paper: show_selection(selection, paper, explain=True), width=width)


@pytest.mark.parametrize("width", [12, 24, 40, 59])
def test_on_narrow_paper_every_record_has_its_lines_and_every_id_is_whole(width: int) -> None:
    said = shown(chosen(top_k=2, explain=True), width)
    account = said[said.index("arms\n") :]
    assert f"  id t:{LONG_ID}\n" in account
    assert "  cosine 0.990\n" in account
    assert "searched\n  graph 0 of 0\n  thoughts 3 of 4\n" in account
    assert "left out\nid " in account
    assert account.count("\n  why no place left\n") == 4


def is_always_late(_: object, until_ms: float | None) -> bool:
    return until_ms is not None


@pytest.mark.requirement("ruling:E.10")
def test_that_time_was_up_is_said_in_every_form(
    told: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    told.ok("remember", " ".join(f"The kiln was fired {number} times last year." for number in range(20)))
    for number in range(4):  # They rank first and turn out to be bare names, so other rows have to be looked at.
        told.ok("kg", "add", "entity", f"kiln {number}", "--type", "tool")
    monkeypatch.setattr("voice.services.retrieval.search.Retrieve._is_late", is_always_late)
    asked = ("retrieve", "kiln", "--floor", "0", "-k", "5")
    plain, shown = told.ok(*asked), told.ok(*asked, "--explain")
    found, explained = told.ok(*asked, "--json"), told.ok(*asked, "--json", "--explain")
    for ran in (plain, shown, found, explained):
        assert f"voice: {OUT_OF_TIME}" in ran.err.splitlines()
        assert (OUT_OF_TIME in ran.out) == (ran in (shown, explained))
    is_as_documented("retrieve", found)
    is_as_documented("retrieve-explain", explained)
    assert explained.json["diagnostics"]["partial"] is True
    monkeypatch.undo()
    assert OUT_OF_TIME not in told.ok(*asked).err


STUCK = """
import anyio

class Stuck:
    name = "stuck"
    is_deterministic = True

    def __init__(self, context): ...

    async def search(self, query):
        await anyio.sleep_forever()
"""


@pytest.mark.requirement("ruling:E.10", "s3:performance:timeout")
def test_a_provider_that_never_answers_is_told_as_that_and_not_as_a_memory_without_the_row(
    told: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = "Metadata-Version: 2.1\nName: stuck-rows\nVersion: 1.0\n"
    entries = "[voice.retrieval_providers]\nstuck = stuck_rows:Stuck\n"
    write(tmp_path, {"stuck_rows.py": STUCK})
    write(tmp_path / "stuck_rows-1.0.dist-info", {"METADATA": metadata, "entry_points.txt": entries})
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("SURR_NLQ_TIMEOUT_MS", "200")
    for command in ("retrieve", "recall"):
        ran = told.ok(command, "kiln", "--provider", "stuck")
        assert f"voice: {OUT_OF_TIME}" in ran.err.splitlines()
        assert "it may have missed something" in ran.out
        assert not any(said in ran.out for said in ("nothing in this memory", "nothing was found"))
        assert "Moved the kiln to the shed." in told.ok(command, "kiln").out


@pytest.mark.requirement("ruling:C16", "s0:validation:mix", "s0:validation:topk", "s0:validation:min_floor")
def test_a_setting_or_a_request_that_was_put_right_is_in_the_diagnostics_and_on_stderr(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = told.ok("retrieve", "kiln", "--lexical-only", "-k", "99", "--mix", "3", "--json")
    said = ["voice: top_k 99 is out of range; using 50", "voice: mix 3.0 is out of range; using 1.0"]
    assert asked.err.splitlines() == said
    lowered = told.ok("retrieve", "the kiln", "--floor", "0.99").err
    assert "no result from the thoughts reaches the floor 0.99, so voice lowered it to " in lowered
    assert told.ok("retrieve", "the kiln").err == ""
    put_right = {"MIX": "3", "TOPK_DEFAULT": "0", "FLOOR": "-1", "MIN_FLOOR": "2", "MAX_CANDIDATES_PER_SOURCE": "1"}
    for name, value in ((f"SURR_INNER_VOICE_{each}", value) for each, value in put_right.items()):
        with monkeypatch.context() as chosen:
            chosen.setenv(name, value)
            ran, shown = told.ok("retrieve", "kiln", "--explain", "--json"), told.ok("retrieve", "kiln", "--explain")
        assert [line for line in ran.err.splitlines() if line.startswith(f"voice: {name} is ")]
        assert [each for each in ran.json["diagnostics"]["warnings"] if each.startswith(f"{name} is ")]
        assert f"{name} is " in shown.out


@pytest.mark.requirement("s0:empty:no_candidates")
def test_why_nothing_was_found_is_said(told: Voice) -> None:
    unseen, past = "no note that you can see contains a word of the query", "is from that time"
    assert unseen in told.ok("retrieve", "zebra", "--lexical-only").out
    assert unseen in told.ok("retrieve", "zebra", "--provider", "local-fts").out
    hidden = told.ok("retrieve", "kiln", "--tag", "unknown", "--lexical-only").out
    assert ("no note matches these tags, time and privacy settings" in hidden, past in hidden) == (True, False)
    for by_words in ([], ["--lexical-only"]):
        assert past in told.ok("retrieve", "kiln", "--when", "in 1999", *by_words).out


@pytest.mark.requirement("grounding:another-encoder")
def test_a_memory_of_another_encoder_is_found_by_words_and_needs_new_vectors(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURR_EMBED_DIM", "64")
    found, recalled = told.ok("retrieve", "kiln shed", "--json"), told.ok("recall", "kiln shed")
    assert min(each["score"] for each in found.json["snippets"]) > 0.0
    assert (NO_VECTORS_WARNING in found.err, NO_VECTORS_WARNING in recalled.err) == (True, True)
    assert "voice maintain rebuild vectors" in told.ok("retrieve", "zanzibar").out
    told.ok("maintain", "rebuild", "vectors")
    assert told.ok("retrieve", "kiln").err == ""
