"""`voice kg candidates`, `approve`, `reject`, `alias`, `edit` and `review`, line by line."""

from typing import Any

import pytest

from cli_runner import Documented, Ran, Voice, run_command
from staged_memory import EVERYTHING, Found, FoundEdge, spot
from voice.bootstrap import Services
from voice.core.records import Thought

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
    note_id = voice.remember(NOTE)

    async def stage(services: Services) -> None:
        note = (await services.store.fetch([note_id]))[note_id]
        assert isinstance(note, Thought)
        entities = [Found(name=name, mentions=spot(note, name)) for name in FOUND]
        edge = FoundEdge(source="Ada", rel_type="works_at", target="Kiln Co", mentions=spot(note, "works at"))
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


def test_private_candidates_are_left_out_and_counted_unless_words_are_named(told: Voice) -> None:
    told.ok("remember", "Marta Silva lives in Porto.", "--private")
    told.ok("kg", "stage")
    assert told.ok("kg", "candidates").err.startswith("voice: 3 private candidates left out; --private shows them\n")
    listed = told.ok("kg", "candidates", "--text", "Marta")
    assert (listed.out, "private" in listed.err + review(told, options=("--text", "Marta")).err) == ("", False)
    shown = told.ok("kg", "candidates", "--text", "Marta", "--private")
    assert (shown.out.count("Marta Silva "), "left out" in shown.err) == (3, False), shown


def test_leaving_skipping_or_taking_back_decides_nothing(told: Voice) -> None:
    for keys in ((), ("q",), ("s", "x", ""), ("u", "r", "r", "u", "u", "s", "q")):
        ran = review(told, *keys)
        assert ran.out == "you decided nothing\n"
        assert ("the keys are" in ran.err, "nothing to undo" in ran.err) == ("x" in keys, "r" in keys)
    assert set(statuses(told).values()) == {"pending"}


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


def test_taking_back_takes_an_edit_back_with_it(told: Voice, is_as_documented: Documented) -> None:
    keys = ("s", "e Zed", "", "u", "s", "a", "q")
    ran = review(told, *keys, options=("--kind", "entity", "--json"))
    is_as_documented("cli/kg-moderate", ran)
    assert (ran.err.count("Zed (person)"), [step["action"] for step in ran.json["steps"]]) == (1, ["created"])
    assert "Zed" not in told.ok("kg", "list").out


def test_what_was_decided_is_saved_after_every_few(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.entrypoints.cli.kg.review._SAVED_AFTER", 2)
    monkeypatch.setattr("voice.entrypoints.cli.kg.review._PAGE", 1)
    ran = review(told, "r", "r", "u", "r", "r")
    assert "nothing to undo" in ran.err
    assert ran.out == "saved: 4 rejected\n"


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
def test_a_batch_that_cannot_be_meant_decides_nothing(told: Voice) -> None:
    unnamed = "name candidates by their ids, or select them with --where"
    for words, said in (
        ((), unnamed),
        (("c:1", "--where", "kind=entity"), unnamed),
        (("--where", "type=event"), "no waiting candidate meets these conditions"),
        (("--where", "age>3"), "is not a condition"),
    ):
        assert said in told.refused("kg", "approve", *words, "--yes")
    assert "leave --status out" in told("kg", "candidates", "--status", "all", "--all").only_line
    ran = told.ok("kg", "approve", "--where", "name!=nobody type!=person", "--yes")
    assert ("still waits for review: " in ran.err, ran.out) == (True, "")
    assert told.ok("kg", "approve", "--where", "confidence>0", "--yes").out.count("is now in the graph") == 4
