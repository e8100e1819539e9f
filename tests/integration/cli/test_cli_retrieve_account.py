"""The account of a choice on paper of any width, and what is said when there was no time or a setting was put right."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cli_runner import Documented, Voice, on_paper
from retrieval_rows import candidate, observation, observations, thought, thoughts
from synced_folders import write
from tables import tables
from voice.core.records import Table
from voice.core.retrieval.selection import NO_VECTORS_WARNING, OUT_OF_TIME, SearchFacts, select
from voice.core.retrieval.values import RetrieveParams, Selection
from voice.entrypoints.cli.show.retrieval import show_selection
from voice.entrypoints.cli.show.turn import show_candidates
from voice.entrypoints.cli.terminal.printing import day_of

TABLES = tables(__file__)

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


@pytest.mark.parametrize("width", [60, 100, 2_000])
def test_on_wide_paper_the_account_is_a_table(width: int) -> None:
    said = shown(chosen(top_k=2, explain=True), width)
    assert any({"id", "rank", "cosine", "words"} <= set(line.split()) for line in said.splitlines())
    assert not [line for line in said.splitlines() if len(line) > width]


@pytest.mark.requirement("ruling:I1")
def test_the_account_shows_the_place_of_each_snippet_above_its_words() -> None:
    placed = replace(observation("fenn", "Still waiting on Fenn."), context_path=("2024-05-04", "Greenhouse"))
    said = replace(thought("m", "Come at six."), speaker="Paul", thread="whatsapp/Family")
    found = [candidate(placed, 0.9), candidate(said, 0.8)]
    lines = [line.strip() for line in shown(select(RetrieveParams(query="q"), found, FACTS), 100).splitlines()]
    assert lines[lines.index("Still waiting on Fenn.") - 1] == "2024-05-04 › Greenhouse"
    assert lines[lines.index("Come at six.") - 1] == "whatsapp/Family › Paul"


@pytest.mark.requirement("grounding:another-encoder")
def test_a_memory_of_another_encoder_is_found_by_words_and_said_on_stderr(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURR_EMBED_DIM", "96")
    found = told.ok("retrieve", "kiln shed", "--json")
    recalled = told.ok("recall", "kiln shed")
    assert min(each["score"] for each in found.json["snippets"]) > 0.0
    assert (NO_VECTORS_WARNING in found.err, NO_VECTORS_WARNING in recalled.err) == (True, True)
    assert "Moved the kiln to the shed." in recalled.out


@pytest.mark.parametrize("width", [45, 60, 119, 2_000])
def test_what_a_question_found_keeps_its_id_date_and_text_on_paper_of_any_width(width: int) -> None:
    found = chosen(top_k=2).snippets
    said = on_paper(lambda paper: show_candidates(found, paper), width=width)
    lines = [line.rstrip() for line in said.splitlines()]
    assert lines[0] == f"t:{LONG_ID}  {day_of(found[0].created_at)}  green"
    assert "cosine 0.990" in " ".join(lines[1:4])
    assert f"    {found[0].text}" in lines


@pytest.mark.requirement("ruling:C6")
def test_a_single_place_is_said_to_go_to_the_best_of_all() -> None:
    def places(**wanted: object) -> list[str]:
        return next(line for line in shown(chosen(**wanted), 100).splitlines() if "places " in line).split()

    assert " ".join(places(top_k=1, mix=0.6)) == "places best of all best of all"
    assert places(top_k=1, mix=1.0) == ["places", "1", "0"]
    assert places(top_k=5, mix=0.6) == ["places", "3", "2"]


@pytest.mark.requirement("ruling:C3", "ruling:C16")
def test_a_floor_that_was_asked_for_and_lowered_is_said_on_stderr(told: Voice) -> None:
    said = told.ok("retrieve", "the kiln", "--floor", "0.99").err
    assert "no result from the thoughts reaches the floor 0.99, so voice lowered it to " in said
    assert told.ok("retrieve", "the kiln").err == ""


def is_always_late(_: object, until_ms: float | None) -> bool:
    return until_ms is not None


@pytest.mark.requirement("ruling:E.10")
@pytest.mark.parametrize("form", [[], ["--explain"], ["--json"], ["--json", "--explain"]])
def test_that_time_was_up_is_said_in_every_form(
    told: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented, form: list[str]
) -> None:
    told.ok("remember", " ".join(f"The kiln was fired {number} times last year." for number in range(20)))
    for number in range(4):  # They rank first and turn out to be bare names, so other rows have to be looked at.
        told.ok("kg", "add", "entity", f"kiln {number}", "--type", "tool")
    monkeypatch.setattr("voice.services.retrieval.search.Retrieve._is_late", is_always_late)
    asked = ("retrieve", "kiln", "--floor", "0", "-k", "5", *form)
    ran = told.ok(*asked)
    assert f"voice: {OUT_OF_TIME}" in ran.err.splitlines()
    assert (OUT_OF_TIME in ran.out) == ("--explain" in form)
    if "--json" in form:
        is_as_documented("retrieve-explain" if "--explain" in form else "retrieve", ran)
    if form == ["--json", "--explain"]:
        assert ran.json["diagnostics"]["partial"] is True
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
@pytest.mark.parametrize("command", ["retrieve", "recall"])
def test_a_provider_that_never_answers_is_told_as_that_and_not_as_a_memory_without_the_row(
    told: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    metadata = "Metadata-Version: 2.1\nName: stuck-rows\nVersion: 1.0\n"
    entries = "[voice.retrieval_providers]\nstuck = stuck_rows:Stuck\n"
    write(tmp_path, {"stuck_rows.py": STUCK})
    write(tmp_path / "stuck_rows-1.0.dist-info", {"METADATA": metadata, "entry_points.txt": entries})
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("SURR_NLQ_TIMEOUT_MS", "200")
    ran = told.ok(command, "kiln", "--provider", "stuck")
    assert f"voice: {OUT_OF_TIME}" in ran.err.splitlines()
    assert "it may have missed something" in ran.out
    assert not any(said in ran.out for said in ("nothing in this memory", "nothing was found"))
    assert "Moved the kiln to the shed." in told.ok(command, "kiln").out


@pytest.mark.requirement("ruling:C16", "s0:validation:mix", "s0:validation:topk", "s0:validation:min_floor")
@pytest.mark.parametrize(("name", "value"), TABLES["a_setting_that_was_put_right_is_in_the_diagnostics_and_on_stderr"])
def test_a_setting_that_was_put_right_is_in_the_diagnostics_and_on_stderr(
    told: Voice, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    ran = told.ok("retrieve", "kiln", "--explain", "--json")
    (said,) = [line for line in ran.err.splitlines() if f"{name} is " in line]
    assert said.startswith(f"voice: {name} is ")
    assert [each for each in ran.json["diagnostics"]["warnings"] if each.startswith(f"{name} is ")]
    assert f"{name} is " in told.ok("retrieve", "kiln", "--explain").out


@pytest.mark.requirement("ruling:C16", "s0:validation:mix", "s0:validation:topk")
@pytest.mark.parametrize("form", [[], ["--explain"], ["--json"], ["--json", "--explain"]])
def test_what_was_asked_and_put_right_is_said_on_stderr_in_every_form(told: Voice, form: list[str]) -> None:
    ran = told.ok("retrieve", "kiln", "--lexical-only", "-k", "99", "--mix", "3", *form)
    assert ran.err.splitlines() == [
        "voice: top_k 99 is out of range; using 50",
        "voice: mix 3.0 is out of range; using 1.0",
    ]


def nothing_found(**facts: object) -> str:
    said = SearchFacts(provider="local", model="tiny", dim=8, **facts)  # pyright: ignore[reportArgumentType]
    return shown(select(RetrieveParams(query="q"), [], said), 2_000).splitlines()[0]


@pytest.mark.requirement("s0:empty:no_candidates")
def test_that_no_row_has_a_vector_of_the_encoder_is_said_with_what_to_do() -> None:
    seen = {Table.THOUGHTS: 3, Table.ENTITIES: 1}
    assert "voice maintain rebuild vectors" in nothing_found(admitted=seen, excluded_other_model=4)
    for said in (nothing_found(admitted=seen, excluded_other_model=3), nothing_found()):
        assert "no note matches these tags, time and privacy settings" in said


@pytest.mark.requirement("s0:empty:no_candidates")
@pytest.mark.parametrize("by_words", [["--lexical-only"], ["--provider", "local-fts"]])
def test_that_no_word_of_the_query_was_found_is_said(told: Voice, by_words: list[str]) -> None:
    assert "no note that you can see contains a word of the query" in told.ok("retrieve", "zebra", *by_words).out
    hidden = told.ok("retrieve", "kiln", "--tag", "unknown", *by_words).out
    assert "no note matches these tags, time and privacy settings" in hidden


@pytest.mark.requirement("s0:empty:no_candidates")
@pytest.mark.parametrize("by_words", [[], ["--lexical-only"]])
def test_that_nothing_is_from_the_time_that_was_said_is_said(told: Voice, by_words: list[str]) -> None:
    assert "is from that time" in told.ok("retrieve", "kiln", "--when", "in 1999", *by_words).out
    assert "is from that time" not in told.ok("retrieve", "kiln", "--tag", "unknown", *by_words).out


def test_a_memory_of_another_encoder_is_said_to_need_new_vectors(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_EMBED_DIM", "64")
    assert "voice maintain rebuild vectors" in told.ok("retrieve", "zanzibar").out
    told.ok("maintain", "rebuild", "vectors")
    assert told.ok("retrieve", "kiln").err == ""
