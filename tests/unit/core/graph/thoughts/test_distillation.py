"""From a thought to observations, word for word."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tables import tables
from voice.core.graph.entity_names import NameIndex
from voice.core.graph.thoughts.distillation import distil, may_promote, observation_id
from voice.core.records import Entity, Origin, Provenance, RowStatus, Scope, Thought, TrustTier

TABLES = tables(__file__)

SAID = datetime(2024, 3, 5, 9, 30, tzinfo=UTC)
RECORDED = datetime(2026, 1, 1, tzinfo=UTC)


NOTE = Thought(id="t:1", content="", created_at=SAID, recorded_at=RECORDED, origin=Origin.HUMAN)


def thought(content: str, **more: object) -> Thought:
    return replace(NOTE, content=content, **more)  # pyright: ignore[reportArgumentType]


def texts(content: str, **more: object) -> list[str]:
    return [observation.text for observation in distil(thought(content, **more))]


def entity(key: str, name: str, *aliases: str) -> Entity:
    return Entity(id=f"e:{key}", name=name, aliases=aliases, created_at=SAID, recorded_at=RECORDED, origin=Origin.HUMAN)


@pytest.mark.requirement("ruling:A21")
def test_each_sentence_that_stands_alone_is_one_observation() -> None:
    note = "I moved to Lisbon in May. The flat on Rua Augusta costs 900 euros."
    assert texts(note) == ["I moved to Lisbon in May.", "The flat on Rua Augusta costs 900 euros."]
    assert len(texts(f"Ana said: “{note}\n\nI sold the car.” Then she left.")) == 1
    assert len(texts(f"Ana said: “{note}\n\n“I sold the car. I left.” Then she left.")) == 2


@pytest.mark.parametrize(
    ("before", "after", "joined"), TABLES["a_sentence_that_points_back_is_kept_with_what_it_points_at"]
)
def test_a_sentence_that_points_back_is_kept_with_what_it_points_at(before: str, after: str, *, joined: bool) -> None:
    assert texts(f"{before} {after}") == ([f"{before} {after}"] if joined else [before, after])


def test_a_pointing_sentence_with_nothing_before_it_is_kept_when_it_says_enough() -> None:
    assert texts("And I finally signed the lease.") == ["And I finally signed the lease."]
    assert texts("It rained in Porto.\n\nThat helped.") == ["It rained in Porto."]


def test_a_pointing_sentence_does_not_reach_over_a_paragraph_or_past_the_limit() -> None:
    assert texts("Ana runs the bakery downstairs.\n\nShe starts work at four daily.") == [
        "Ana runs the bakery downstairs.",
        "She starts work at four daily.",
    ]
    long = "word " * 138 + "end."
    assert texts(f"Ana said: {long} She starts work at four daily.")[-1] == "She starts work at four daily."


@pytest.mark.parametrize("talk", TABLES["greetings_and_questions_state_nothing"])
def test_greetings_and_questions_state_nothing(talk: str) -> None:
    assert texts(talk) == []
    assert texts("I moved to Lisbon in May.") == ["I moved to Lisbon in May."]


def test_a_question_is_kept_only_as_what_an_answer_points_at() -> None:
    assert texts("Why Rust? It saves us memory bugs.") == ["Why Rust? It saves us memory bugs."]
    assert texts("Why Rust? Memory bugs cost us a week.") == ["Memory bugs cost us a week."]


@pytest.mark.parametrize(
    ("said", "is_kept"), TABLES["a_note_that_states_something_before_it_asks_is_kept_and_a_speakers_question_is_not"]
)
def test_a_note_that_states_something_before_it_asks_is_kept_and_a_speakers_question_is_not(
    said: str, *, is_kept: bool
) -> None:
    assert texts(said) == [said] * is_kept
    assert texts(said, speaker="Ana") == []


def test_a_short_answer_in_a_dialogue_is_kept() -> None:
    assert texts("Yes, two kids.", speaker="Melanie") == ["Yes, two kids."]
    assert texts("Hey! It was quite a journey.", speaker="Melanie") == ["It was quite a journey."]
    assert texts("Thanks! Lost my job as a banker yesterday.", speaker="Jon") == ["Lost my job as a banker yesterday."]


def test_a_scrap_joins_its_neighbour_and_is_not_lost() -> None:
    assert texts("Rough day. The deploy failed twice.") == ["Rough day. The deploy failed twice."]
    assert texts("The deploy failed twice. Rough day.") == ["The deploy failed twice. Rough day."]
    assert texts("The deploy failed twice. Rough day. We fixed the pipeline.") == [
        "The deploy failed twice. Rough day.",
        "We fixed the pipeline.",
    ]
    assert texts("Wang Xiuying. Bring rice and salt home.") == ["Wang Xiuying. Bring rice and salt home."]
    assert texts("The deploy failed twice.\n\nUgh.") == ["The deploy failed twice."]


@pytest.mark.requirement("ruling:A21")
@pytest.mark.parametrize(("line", "is_kept"), TABLES["a_short_line_by_itself_is_kept_where_it_says_something"])
def test_a_short_line_by_itself_is_kept_where_it_says_something(line: str, *, is_kept: bool) -> None:
    note = "I moved to Lisbon in May.\n\n{}\n\nThe flat on Rua Augusta costs 900 euros."
    assert (line in texts(note.format(line))) is is_kept


def test_a_whole_thought_that_is_short_is_kept() -> None:
    assert texts("milk, eggs") == ["milk, eggs"]
    assert texts("- milk") == ["milk"]
    assert texts("Groceries:") == ["Groceries:"]


def test_a_list_is_one_observation_with_its_heading() -> None:
    note = "# Log\n\nPacked for the hike:\n- rope\n- two water bottles\n\nWe left Porto at dawn."
    assert texts(note) == ["# Log\n\nPacked for the hike:\n- rope\n- two water bottles", "We left Porto at dawn."]
    assert texts("Goals:\n1. ship it;\n\nII.\nRisks:\n1. no rest;") == ["Goals:\n1. ship it;", "Risks:\n1. no rest;"]
    table = "| tool | price |\n|---|---|\n| drill | 80 euros |"
    assert texts(f"- [ ] buy soap\n- [x] sweep\n\n{table}") == ["- [ ] buy soap\n- [x] sweep", table]


def test_a_point_that_is_a_sentence_of_its_own_stands_without_its_mark() -> None:
    assert texts("Today:\n- I met Ana at the bakery.\n- I signed the lease.") == [
        "Today:\n- I met Ana at the bakery.",
        "I signed the lease.",
    ]


def test_a_title_does_not_stick_to_sentences() -> None:
    assert texts("# Monday\nThe deploy failed twice in Porto.") == ["The deploy failed twice in Porto."]


def test_a_block_of_code_goes_with_what_stands_before_it() -> None:
    code = "```python\nfor x in range(3):\n    fetch(x)\n```"
    note = f"I fixed the worker. The retry loop was wrong.\n\n{code}\n\nThe fix took an hour."
    assert texts(note) == ["I fixed the worker.", f"The retry loop was wrong.\n\n{code}", "The fix took an hour."]
    shell = "To go back one step, run this:\n\n    $ git reset HEAD~\n    done"
    assert texts(f"{shell}\n\nI slept well.") == [shell, "I slept well."]
    assert texts("~~~\nunclosed fence") == ["~~~\nunclosed fence"]
    assert texts("```sh\n```\nI slept well.") == ["I slept well."]
    assert texts("let x = {a: 1, b: 2}; f(x);") == []


def test_of_a_long_block_of_code_the_first_lines_are_taken() -> None:
    line = f"{'x = 1  # ' * 10}\n"
    (text,) = texts(f"```\n{line * 40}```")
    assert text == f"```\n{line * 16}".rstrip()
    assert texts(f"```{'x' * 2_000}\n```\nI slept well.") == ["I slept well."]
    assert texts("I compared C++ and C# for the parser.") == ["I compared C++ and C# for the parser."]


@pytest.mark.requirement("ruling:A21", "ruling:C10", "ruling:C13", "ruling:F.5")
def test_what_an_observation_carries_comes_from_its_thought() -> None:
    scope = Scope(repo_id="voice")
    source = thought(
        "Hello! Sam lives in Lisbon.",
        tags=("home",),
        is_private=True,
        scope=scope,
        speaker="Ana",
        thread="chat",
        origin=Origin.TOOL,
    )
    (got,) = distil(source, entities=[entity("sam", "Sam Atagana", "Sam"), entity("porto", "Porto")])
    assert (got.created_at, got.recorded_at, got.origin) == (SAID, RECORDED, Origin.TOOL)
    assert (got.tags, got.is_private, got.scope, got.trust) == (("home",), True, scope, TrustTier.AMBER)
    assert (got.speaker, got.thread, got.entity_ids) == ("Ana", "chat", ("e:sam",))
    assert got.provenance == (Provenance(thought_id="t:1", start=7, end=27),)
    assert source.content[7:27] == got.text


@pytest.mark.requirement("ruling:A21")
def test_a_sentence_that_a_note_says_again_is_one_observation_with_every_place() -> None:
    source = thought("I moved to Lisbon in May. Rui bakes bread. I moved to Lisbon in May.")
    moved, bakes = distil(source)
    assert [(place.start, place.end) for place in moved.provenance] == [(0, 25), (43, 68)]
    assert {source.content[place.start : place.end] for place in moved.provenance} == {moved.text}
    assert moved.id == observation_id("t:1", 0, 25)
    assert (bakes.text, len(bakes.provenance)) == ("Rui bakes bread.", 1)


@pytest.mark.requirement("ruling:A21")
def test_sentences_that_differ_in_a_letter_are_two_observations() -> None:
    assert texts("I moved to Lisbon in May. I moved to Lisbon in may.") == [
        "I moved to Lisbon in May.",
        "I moved to Lisbon in may.",
    ]


def test_an_index_of_names_may_be_made_once() -> None:
    names = NameIndex.of([entity("sam", "Sam")])
    assert distil(thought("I saw Sam's boat."), entities=names)[0].entity_ids == ("e:sam",)


def test_the_id_depends_on_thought_and_span_alone() -> None:
    assert observation_id("t:1", 0, 5) == observation_id("t:1", 0, 5)
    ids = {
        observation_id("t:1", 0, 5),
        observation_id("t:2", 0, 5),
        observation_id("t:1", 1, 5),
        observation_id("t:1", 0, 6),
    }
    assert len(ids) == 4
    assert all(len(i) == 28 and i.startswith("o:") and i[2:].isalnum() and i == i.lower() for i in ids)


@pytest.mark.requirement("ruling:A13", "ruling:F.7b")
@pytest.mark.parametrize(
    "more",
    [{"is_summary": True}, {"pipeline": "inner_voice"}, {"status": RowStatus.REMOVAL}, {"status": RowStatus.REDACTED}],
)
def test_syntheses_and_rows_no_longer_active_yield_nothing(more: dict[str, object]) -> None:
    assert distil(thought("I moved to Lisbon in May.", **more)) == ()
    assert len(distil(thought("I moved to Lisbon in May."))) == 1


@pytest.mark.requirement("ruling:A21")
@pytest.mark.parametrize(
    ("origin", "at_once"), [(Origin.HUMAN, True), (Origin.LOGGED, True), (Origin.TOOL, False), (Origin.MODEL, False)]
)
def test_only_what_a_person_said_is_promoted_at_once(origin: Origin, *, at_once: bool) -> None:
    assert may_promote(thought("x", origin=origin), "human") is at_once
    assert not may_promote(thought("x", origin=origin), "off")


@pytest.mark.requirement("ruling:I1")
def test_a_row_of_several_lines_stands_where_the_least_deep_of_them_does() -> None:
    outline = "- I moved the shop.\n    - Store\n    - Flake\n- Reasons\n- Costs\n    - Rent is 900 euros."
    found = {each.text: each.context_path for each in distil(thought(outline, source_ref="Log.md"))}
    assert found["- Store\n    - Flake\n- Reasons\n- Costs\n    - Rent is 900 euros."] == ("Log",)
    nested = "- I moved the shop.\n    - Store\n        - Flake"
    (_, row) = distil(thought(nested, source_ref="Log.md"))
    assert row.context_path == ("Log", "I moved the shop.")
    empty = "- I moved the shop.\n    - Store\n    - Flake\n-"
    assert distil(thought(empty, source_ref="Log.md"))[-1].context_path == ("Log", "I moved the shop.")
