"""`voice kg candidates`, `approve`, `reject`, `alias`, `edit` and `review`, line by line."""

from typing import Any

import pytest

from cli_runner import Documented, Ran, Voice, run_command
from staged_memory import EVERYTHING, Found, FoundEdge, spot
from tables import tables
from voice.bootstrap import Services
from voice.core.records import Thought

TABLES = tables(__file__)

NOTE = "Ada works at Kiln Co, and The bins were full."
FOUND = ("Ada", "Kiln Co", "The bins")


def listed(voice: Voice, *options: str) -> list[dict[str, Any]]:
    return voice.ok("kg", "candidates", "--json", *options).json["candidates"]


def name_of(candidate: dict[str, Any]) -> str:
    """Return the name of an entity, the type of a relation."""
    return candidate["proposal"].get("name") or candidate["proposal"]["type"]


def named(voice: Voice) -> dict[str, str]:
    """Return the ids of everything that was found, by name."""
    return {name_of(each): each["id"] for each in listed(voice, "--status", "all", "--private")}


@pytest.fixture
def told(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> Voice:
    """A memory in which two entities, a fragment and a relation wait, and nothing is read that comes in."""
    monkeypatch.setenv("SURR_AUTO_CANDIDATES", "0")
    return staged_in(voice, "works_at")


def staged_in(voice: Voice, rel_type: str) -> Voice:
    note_id = voice.remember(NOTE)

    async def stage(services: Services) -> None:
        note = (await services.store.fetch([note_id]))[note_id]
        assert isinstance(note, Thought)
        entities = [Found(name=name, mentions=spot(note, name)) for name in FOUND]
        edge = FoundEdge(source="Ada", rel_type=rel_type, target="Kiln Co", mentions=spot(note, "works at"))
        await services.review.staging.stage(entities, [edge], limits=EVERYTHING)

    voice.within(stage)
    return voice


@pytest.mark.requirement("ruling:F.5", "s1:moderation:promote")
def test_what_waits_is_listed_beside_its_words(told: Voice, is_as_documented: Documented) -> None:
    is_as_documented("cli/kg-candidates", told.ok("kg", "candidates", "--json"))
    shown = told.ok("kg", "candidates", "--kind", "relation").out
    assert "Ada --works_at--> Kiln Co" in shown
    assert "Ada «works at» Kiln Co, and The bins" in shown
    (bins,) = listed(told, "--text", "bin")
    assert bins["proposal"] == {"name": "The bins", "type": "person", "aliases": [], "description": ""}
    assert listed(told, "--status", "approved") == []
    assert "no candidate like this waits for review" in told.ok("kg", "candidates", "--type", "place").only_line


def test_a_page_says_where_the_next_one_begins(told: Voice) -> None:
    first = told.ok("kg", "candidates", "--limit", "3", "--json")
    assert (first.json["total"], len(first.json["candidates"])) == (4, 3)
    assert len(listed(told, "--after", first.json["next"])) == 1
    assert "4 in all; for the next page, add --after " in told.ok("kg", "candidates", "--limit", "3").only_line
    assert "not a place in the list" in told.refused("kg", "candidates", "--after", "yesterday")


@pytest.mark.requirement("ruling:F.4")
def test_approving_puts_it_into_the_graph_once(told: Voice, is_as_documented: Documented) -> None:
    ids = named(told)
    batch = (ids["works_at"], ids["Ada"], ids["Kiln Co"])
    would = told.ok("kg", "approve", *batch, "--dry-run")
    assert would.out.count("would be in the graph as") == 3
    assert told.ok("kg", "list").out == ""
    done = told.ok("kg", "approve", *batch, "--json")
    is_as_documented("cli/kg-moderate", done)
    assert "Ada --works_at--> Kiln Co" in told.ok("kg", "show", "Ada").out
    again = told.ok("kg", "approve", *batch).out
    assert again.count("stays as it is") == 3
    assert len(told.ok("kg", "list").out.splitlines()) == 2


def test_a_batch_with_one_that_cannot_be_changes_nothing(told: Voice) -> None:
    ids = named(told)
    half = told.refused("kg", "approve", ids["Ada"], ids["works_at"])
    assert ("the target of" in half, "--with-ends" in half) == (True, True)
    assert "there is no candidate c:none" in told.refused("kg", "reject", ids["Ada"], "c:none")
    assert len(listed(told)) == 4
    assert told.ok("kg", "approve", ids["works_at"], "--with-ends").out.count("is now in the graph") == 3


@pytest.mark.requirement("ruling:F.3")
def test_rejecting_is_remembered_with_its_reason(told: Voice) -> None:
    bins = named(told)["The bins"]
    told.ok("kg", "reject", bins, "--reason", "a fragment")
    (kept,) = listed(told, "--status", "rejected")
    assert (kept["id"], kept["reason"], kept["decided_by"]) == (bins, "a fragment", "human")
    assert "reason: a fragment" in told.ok("kg", "candidates", "--status", "rejected").out


def test_an_edit_keeps_what_was_found_beside_it(told: Voice) -> None:
    ids = named(told)
    told.ok("kg", "edit", ids["Kiln Co"], "--type", "organisation", "--alias", "KC", "--name", "Kiln Company")
    told.ok("kg", "edit", ids["works_at"], "--type", "owns")
    shown = told.ok("kg", "candidates").out
    assert "Kiln Company (organisation, also KC)" in shown
    assert "originally Kiln Co (person)" in shown
    assert "Ada --owns--> Kiln Co" in shown
    assert "you changed nothing" in told.refused("kg", "edit", ids["Ada"])


def test_an_alias_is_another_name_of_what_is_there(told: Voice) -> None:
    ada = told.ok("kg", "add", "entity", "Ada Lund", "--type", "person").out.strip()
    assert told.ok("kg", "alias", named(told)["Ada"], "--of", "ada lund").out.rstrip().endswith(ada)
    assert "also: Ada" in told.ok("kg", "show", ada).out
    assert told("kg", "alias", named(told)["The bins"], "--of", "nobody").code == 2


def review(voice: Voice, *keys: str, options: tuple[str, ...] = ()) -> Ran:
    return voice.ok("kg", "review", *options, stdin="".join(f"{key}\n" for key in keys).encode())


def statuses(voice: Voice) -> dict[str, object]:
    return {name_of(each): each["status"] for each in listed(voice, "--status", "all")}


@pytest.mark.requirement("s1:moderation:promote")
def test_a_review_goes_through_what_waits_line_by_line(told: Voice) -> None:
    ran = review(told, "r a fragment", options=("--text", "bins"))
    assert ("«The bins»" in ran.err, ran.out) == (True, "saved: 1 rejected\n")
    assert review(told, "a", options=("--kind", "relation")).out == "saved: 3 created\n"
    assert statuses(told) == {
        "Ada": "approved", "Kiln Co": "approved", "The bins": "rejected", "works_at": "approved"
    }  # fmt: skip
    left = review(told)
    assert (left.out, left.only_line) == ("you decided nothing\n", "voice: nothing waits for review")


@pytest.mark.requirement("promise:6", "cli:review:echo")
def test_of_keys_that_are_piped_in_each_stands_behind_what_it_was_taken_for(told: Voice) -> None:
    said = review(told, "s", "r not a\x1b[2J person").err.splitlines()
    keys = [line.partition("] ")[2] for line in said if "[a app" in line]
    assert keys == ["s", "r not a[2J person", "q (the input has ended)"]


@pytest.mark.requirement("cli:review:echo")
def test_answers_that_are_piped_in_are_shown_behind_what_was_asked(told: Voice) -> None:
    err = review(told, "e", "The bin", "thing", "", "", "a", "q").err
    asked = err.partition("] e\n")[2].splitlines()
    assert [line.partition("]: ")[2] for line in asked[:2]] == ["The bin", "thing"]


def test_private_candidates_are_left_out_and_counted_unless_words_are_named(told: Voice) -> None:
    told.ok("remember", "Marta Silva lives in Porto.", "--private")
    told.ok("kg", "stage")
    assert told.ok("kg", "candidates").err.startswith("voice: 3 private candidates left out; --private shows them\n")
    listed = told.ok("kg", "candidates", "--text", "Marta")
    assert (listed.out, "private" in listed.err + review(told, options=("--text", "Marta")).err) == ("", False)
    shown = told.ok("kg", "candidates", "--text", "Marta", "--private")
    assert (shown.out.count("Marta Silva "), "left out" in shown.err) == (3, False), shown


def test_a_review_speaks_json_and_nothing_else_on_stdout(told: Voice, is_as_documented: Documented) -> None:
    ran = review(told, "s", "s", "a", "q", options=("--kind", "entity", "--json"))
    is_as_documented("cli/kg-moderate", ran)
    assert [step["action"] for step in ran.json["steps"]] == ["created"]


def test_undo_goes_back_to_the_candidate_before(told: Voice) -> None:
    ran = review(told, "u", "r", "r", "u", "u", "s", "q")
    assert "nothing to undo" in ran.err
    assert ran.out == "you decided nothing\n"
    assert set(statuses(told).values()) == {"pending"}


@pytest.mark.parametrize("keys", [(), ("q",), ("s", "s", "s", "s"), ("s", "x", "")])
def test_leaving_or_skipping_decides_nothing(told: Voice, keys: tuple[str, ...]) -> None:
    ran = review(told, *keys)
    assert ran.out == "you decided nothing\n"
    assert ("the keys are" in ran.err) == ("x" in keys)


def test_an_edit_is_asked_for_member_by_member_and_then_approved(told: Voice) -> None:
    review(told, "e Ada Lund", "", "a", options=("--text", "ada", "--kind", "entity"))
    assert "Ada Lund" in told.ok("kg", "list").out
    ran = review(told, "e", "", "owns", "", "a", options=("--kind", "relation"))
    assert "type [works_at]" in ran.err
    assert "Ada Lund --owns--> Kiln Co" in told.ok("kg", "show", "Ada Lund").out


def test_what_cannot_be_is_said_and_the_candidate_stays(told: Voice) -> None:
    told.ok("kg", "reject", named(told)["Kiln Co"])
    ran = review(told, "e", "", "", "", "a", "l Ada", "r", options=("--kind", "relation"))
    assert "you changed nothing" in ran.err
    assert "is not in the graph yet" in ran.err
    assert "there is no entity called" in ran.err
    assert ran.out == "saved: 1 rejected\n"


def test_input_that_is_no_text_is_no_key_and_costs_nothing(told: Voice) -> None:
    first = listed(told)[0]["id"]
    typed = b"r \xff oops\n\xff\xfe\nq\n"
    env = {"PYTHONIOENCODING": "utf-8:strict", "SURR_EMBED_PROVIDER": "hash"}
    ran = run_command("kg", "review", home=told.home, stdin=typed, env=env)
    assert (ran.code, ran.out, "the keys are" in ran.err) == (0, "saved: 1 rejected\n", True)
    assert [each["id"] for each in listed(told, "--status", "rejected")] == [first]


@pytest.mark.parametrize("keys", [("e Zed", "", "s", "u", "a"), ("s", "e Zed", "", "u", "s", "a")])
def test_taking_back_takes_an_edit_back_with_it(told: Voice, keys: tuple[str, ...]) -> None:
    ran = review(told, *keys, "q", options=("--kind", "entity"))
    assert (ran.err.count("Zed (person)"), ran.out) == (1, "saved: 1 created\n")
    assert "Zed" not in told.ok("kg", "list").out


def test_what_came_along_is_shown_when_that_is_taken_back(voice: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURR_AUTO_CANDIDATES", "0")
    order = [each["id"] for each in listed(staged_in(voice, "leads"))]
    assert order[0] == named(voice)["leads"], "its ends come behind it"
    ran = review(voice, "a", "u", "s", "s", "s", "s")
    assert all(f"\n{each}  " in ran.err for each in order)


def test_an_alias_is_given_by_name(told: Voice) -> None:
    told.ok("kg", "add", "entity", "Ada Lund", "--type", "person")
    assert review(told, "l", "Ada Lund", options=("--text", "ada", "--kind", "entity")).out == "saved: 1 aliased\n"


def test_what_was_decided_is_saved_after_every_few(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.entrypoints.cli.kg.review._SAVED_AFTER", 2)
    monkeypatch.setattr("voice.entrypoints.cli.kg.review._PAGE", 1)
    ran = review(told, "r", "r", "u", "r", "r")
    assert "nothing to undo" in ran.err
    assert ran.out == "saved: 4 rejected\n"


@pytest.mark.requirement("ruling:F.6")
def test_what_contradicts_a_candidate_stands_beside_it(told: Voice, is_as_documented: Documented) -> None:
    for name in ("Ada", "Clay Co"):
        told.ok("kg", "add", "entity", name)
    known = told.ok("kg", "add", "relation", "Ada", "works_at", "Clay Co").out.strip()
    edges = ("kg", "candidates", "--kind", "relation")
    ran = told.ok(*edges, "--json")
    is_as_documented("cli/kg-candidates", ran)
    (edge,) = ran.json["candidates"]
    assert [each["id"] for each in edge["contradicts"]] == [known]
    assert f"contradicts {known} Ada --works_at--> Clay Co" in told.ok(*edges).out.replace("  ", " ")


@pytest.mark.requirement("ruling:I5:batch")
def test_all_that_meets_conditions_is_shown_and_decided_once_that_is_confirmed(
    told: Voice, is_as_documented: Documented
) -> None:
    wanted = ("--where", "type=person name=ada")
    refused = told("kg", "approve", *wanted)
    assert (refused.code, "Ada (person)" in refused.err, "confirm with --yes" in refused.err) == (2, True, True)
    assert told.ok("kg", "approve", *wanted, "--dry-run").out.count("would be in the graph") == 1
    is_as_documented("cli/kg-moderate", told.ok("kg", "approve", *wanted, "--yes", "--json"))
    told.ok("kg", "reject", "--where", "name='the bins'", "--yes", "--reason", "no thing")
    assert {name_of(each) for each in listed(told)} == {"Kiln Co", "works_at"}


@pytest.mark.requirement("ruling:I5:batch")
@pytest.mark.parametrize(("words", "said"), TABLES["a_batch_that_cannot_be_meant_decides_nothing"])
def test_a_batch_that_cannot_be_meant_decides_nothing(told: Voice, words: tuple[str, ...], said: str) -> None:
    assert said in told.refused("kg", "approve", *words, "--yes")
    assert "leave --status out" in told("kg", "candidates", "--status", "all", "--all").only_line


@pytest.mark.requirement("ruling:I5:queue")
def test_what_the_graph_holds_is_not_asked_again_and_what_is_folded_is_counted(told: Voice) -> None:
    told.ok("kg", "add", "entity", "Ada", "--type", "project")
    assert sorted(name_of(each) for each in listed(told, "--kind", "entity")) == ["Kiln Co", "The bins"]
    told.ok("kg", "edit", named(told)["The bins"], "--type", "thing")
    ran = told.ok("kg", "candidates", "--kind", "entity")
    assert ("The bins (thing)" in ran.out, "1 rarely mentioned candidate hidden" in ran.err) == (False, True), ran
    assert "The bins (thing)" in told.ok("kg", "candidates", "--all").out


@pytest.mark.requirement("ruling:I5:batch")
def test_of_a_batch_what_cannot_be_decided_is_told_and_keeps_nothing_else_out(told: Voice) -> None:
    ran = told.ok("kg", "approve", "--where", "name!=nobody type!=person", "--yes")
    assert ("still waits for review: " in ran.err, ran.out) == (True, "")
    assert told.ok("kg", "approve", "--where", "confidence>0", "--yes").out.count("is now in the graph") == 4
