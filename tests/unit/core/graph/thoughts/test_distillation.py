"""From a thought to observations, word for word."""

import pytest

from store_values import FIRST_DAY, NOON, entity, thought
from tables import tables
from voice.core.graph.entity_names import NameIndex
from voice.core.graph.thoughts.distillation import distil, may_promote, observation_id
from voice.core.records import Origin, Provenance, RowStatus, Scope, TrustTier

TABLES = tables(__file__)


def texts(content: str, **more: object) -> list[str]:
    return [observation.text for observation in distil(thought("1", content, **more))]


NOTES = TABLES["a_note_states_what_stands_alone_in_it"]


@pytest.mark.requirement("ruling:A21")
@pytest.mark.parametrize("case", NOTES)
def test_a_note_states_what_stands_alone_in_it(case: str) -> None:
    note, *stated = NOTES[case]
    assert texts(note) == stated


@pytest.mark.parametrize(("said", "kept"), TABLES["a_short_answer_in_a_dialogue_is_kept"])
def test_a_short_answer_in_a_dialogue_is_kept(said: str, kept: str) -> None:
    assert texts(said, speaker="Melanie") == [kept]


def test_a_pointing_sentence_does_not_reach_past_the_limit() -> None:
    long = "word " * 138 + "end."
    assert texts(f"Ana said: {long} She starts work at four daily.")[-1] == "She starts work at four daily."


def test_a_quotation_is_one_statement_over_its_paragraphs_and_one_that_is_opened_anew_is_another() -> None:
    note = "I moved to Lisbon in May. The flat on Rua Augusta costs 900 euros."
    assert len(texts(f"Ana said: “{note}\n\nI sold the car.” Then she left.")) == 1
    assert len(texts(f"Ana said: “{note}\n\n“I sold the car. I left.” Then she left.")) == 2


@pytest.mark.parametrize(
    ("before", "after", "joined"), TABLES["a_sentence_that_points_back_is_kept_with_what_it_points_at"]
)
def test_a_sentence_that_points_back_is_kept_with_what_it_points_at(before: str, after: str, *, joined: bool) -> None:
    assert texts(f"{before} {after}") == ([f"{before} {after}"] if joined else [before, after])


@pytest.mark.parametrize("talk", TABLES["greetings_and_questions_state_nothing"])
def test_greetings_and_questions_state_nothing(talk: str) -> None:
    assert texts(talk) == []
    assert texts("I moved to Lisbon in May.") == ["I moved to Lisbon in May."]


@pytest.mark.parametrize(
    ("said", "is_kept"), TABLES["a_note_that_states_something_before_it_asks_is_kept_and_a_speakers_question_is_not"]
)
def test_a_note_that_states_something_before_it_asks_is_kept_and_a_speakers_question_is_not(
    said: str, *, is_kept: bool
) -> None:
    assert texts(said) == [said] * is_kept
    assert texts(said, speaker="Ana") == []


@pytest.mark.requirement("ruling:A21")
@pytest.mark.parametrize(("line", "is_kept"), TABLES["a_short_line_by_itself_is_kept_where_it_says_something"])
def test_a_short_line_by_itself_is_kept_where_it_says_something(line: str, *, is_kept: bool) -> None:
    note = "I moved to Lisbon in May.\n\n{}\n\nThe flat on Rua Augusta costs 900 euros."
    assert (line in texts(note.format(line))) is is_kept


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
        "1",
        "Hello! Sam lives in Lisbon.",
        tags=("home",),
        is_private=True,
        scope=scope,
        speaker="Ana",
        thread="chat",
        origin=Origin.TOOL,
        created_at=FIRST_DAY,
    )
    (got,) = distil(source, entities=[entity("sam", "Sam Atagana", aliases=("Sam",)), entity("porto", "Porto")])
    assert (got.created_at, got.recorded_at, got.origin) == (FIRST_DAY, NOON, Origin.TOOL)
    assert (got.tags, got.is_private, got.scope, got.trust) == (("home",), True, scope, TrustTier.AMBER)
    assert (got.speaker, got.thread, got.entity_ids) == ("Ana", "chat", ("e:sam",))
    assert got.provenance == (Provenance(thought_id="t:1", start=7, end=27),)
    assert source.content[7:27] == got.text


@pytest.mark.requirement("ruling:A21")
def test_a_sentence_that_a_note_says_again_is_one_observation_with_every_place() -> None:
    source = thought("1", "I moved to Lisbon in May. Rui bakes bread. I moved to Lisbon in May.")
    moved, bakes = distil(source)
    assert [(place.start, place.end) for place in moved.provenance] == [(0, 25), (43, 68)]
    assert {source.content[place.start : place.end] for place in moved.provenance} == {moved.text}
    assert moved.id == observation_id("t:1", 0, 25)
    assert (bakes.text, len(bakes.provenance)) == ("Rui bakes bread.", 1)


def test_an_index_of_names_may_be_made_once() -> None:
    names = NameIndex.of([entity("sam", "Sam")])
    assert distil(thought("1", "I saw Sam's boat."), entities=names)[0].entity_ids == ("e:sam",)


def test_the_id_depends_on_thought_and_span_alone() -> None:
    assert observation_id("t:1", 0, 5) == observation_id("t:1", 0, 5)
    ids = {observation_id(*each) for each in (("t:1", 0, 5), ("t:2", 0, 5), ("t:1", 1, 5), ("t:1", 0, 6))}
    assert len(ids) == 4
    assert all(len(i) == 28 and i.startswith("o:") and i[2:].isalnum() and i == i.lower() for i in ids)


@pytest.mark.requirement("ruling:A13", "ruling:F.7b")
@pytest.mark.parametrize(
    "more",
    [{"is_summary": True}, {"pipeline": "inner_voice"}, {"status": RowStatus.REMOVAL}, {"status": RowStatus.REDACTED}],
)
def test_syntheses_and_rows_no_longer_active_yield_nothing(more: dict[str, object]) -> None:
    assert distil(thought("1", "I moved to Lisbon in May.", **more)) == ()
    assert len(distil(thought("1", "I moved to Lisbon in May."))) == 1


@pytest.mark.requirement("ruling:A21")
@pytest.mark.parametrize(
    ("origin", "at_once"), [(Origin.HUMAN, True), (Origin.LOGGED, True), (Origin.TOOL, False), (Origin.MODEL, False)]
)
def test_only_what_a_person_said_is_promoted_at_once(origin: Origin, *, at_once: bool) -> None:
    assert may_promote(thought("1", "x", origin=origin), "human") is at_once
    assert not may_promote(thought("1", "x", origin=origin), "off")


@pytest.mark.requirement("ruling:I1")
def test_a_row_of_several_lines_stands_where_the_least_deep_of_them_does() -> None:
    outline = "- I moved the shop.\n    - Store\n    - Flake\n- Reasons\n- Costs\n    - Rent is 900 euros."
    found = {each.text: each.context_path for each in distil(thought("1", outline, source_ref="Log.md"))}
    assert found["- Store\n    - Flake\n- Reasons\n- Costs\n    - Rent is 900 euros."] == ("Log",)
    nested = "- I moved the shop.\n    - Store\n        - Flake"
    (_, row) = distil(thought("1", nested, source_ref="Log.md"))
    assert row.context_path == ("Log", "I moved the shop.")
    empty = "- I moved the shop.\n    - Store\n    - Flake\n-"
    assert distil(thought("1", empty, source_ref="Log.md"))[-1].context_path == ("Log", "I moved the shop.")
