"""What is read out of notes, by the promises that people rely on."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tables import tables
from voice.core.extraction.extract import extract
from voice.core.graph.review.extraction_results import Extracted, sure_enough
from voice.core.records import EntityName, Origin, RowStatus, Thought
from voice.core.text.instants import UNDATED

TABLES = tables(__file__)

_WRITTEN = datetime(2025, 6, 5, 12, tzinfo=UTC)


def _thought(text: str, key: str = "one", *, speaker: str | None = None) -> Thought:
    return Thought(
        id=f"t:{key}", content=text, created_at=_WRITTEN, recorded_at=_WRITTEN, origin=Origin.HUMAN, speaker=speaker
    )


def _read(*texts: str, speaker: str | None = None, known: tuple[EntityName, ...] = ()) -> Extracted:
    thoughts = [_thought(text, str(number), speaker=speaker) for number, text in enumerate(texts)]
    return sure_enough(extract(thoughts, known))


def _things(found: Extracted) -> set[tuple[str, str]]:
    return {(entity.name, entity.entity_type) for entity in found.entities}


def _relations(found: Extracted) -> set[tuple[str, str, str]]:
    return {(one.source, one.rel_type, one.target) for one in found.relations}


def _day(said: str | None) -> datetime | None:
    return datetime.fromisoformat(said).replace(tzinfo=UTC) if said else None


@pytest.mark.requirement("ruling:F.1")
@pytest.mark.parametrize("text", TABLES["stop_words_list_marks_and_fragments_never_become_entities"])
def test_stop_words_list_marks_and_fragments_never_become_entities(text: str) -> None:
    """Ruling F: the original's reviewers rejected 23 of 39."""
    assert _read(text).entities == ()
    assert "Siemens" in {entity.name for entity in _read(f"Sarah Kahn works at Siemens. {text}").entities}


@pytest.mark.requirement("ruling:F.1", "ruling:F.5")
def test_every_span_holds_the_name_in_the_full_text() -> None:
    text = "Met Sarah Chen today.\n- Sarah's boss, Dr. Patel, uses Docker.\n- PyCon in Pittsburgh was great with Nina."
    found = extract([_thought(text)])
    assert found.entities
    for entity in found.entities:
        names = {entity.name, *entity.aliases}
        for at in entity.mentions:
            assert at.thought_id == "t:one"
            assert any(name in text[at.start : at.end] for name in names)
            assert not text[at.start : at.end].endswith("'s")


@pytest.mark.parametrize(("text", "thing"), TABLES["a_name_is_read_as_what_it_names"])
def test_a_name_is_read_as_what_it_names(text: str, thing: tuple[str, str]) -> None:
    assert thing in _things(_read(text))


def test_what_is_listed_beside_a_tool_is_read_as_one_but_not_staged() -> None:
    found = extract([_thought("The box has Grafana and Zorp.")])
    assert ("Zorp", "tool") in _things(found)
    assert ("Zorp", "tool") not in _things(sure_enough(found))


def test_a_name_without_any_sign_of_its_kind_is_not_staged() -> None:
    found = extract([_thought("We liked Zorp a lot.")])
    assert _things(found) == {("Zorp", "concept")}
    assert sure_enough(found).entities == ()


@pytest.mark.parametrize(("text", "name", "alias", "mentions"), TABLES["another_name_in_the_same_note_is_an_alias"])
def test_another_name_in_the_same_note_is_an_alias(text: str, name: str, alias: str, mentions: int) -> None:
    found = [entity for entity in _read(text).entities if entity.name == name]
    assert [(entity.aliases, len(entity.mentions)) for entity in found] == [((alias,), mentions)]


def test_two_who_share_a_name_stay_two_and_the_bare_name_is_neither() -> None:
    text = "Beth the customer called. Beth the agent will help. Beth was happy."
    found = _read(text)
    assert _things(found) == {("Beth the customer", "person"), ("Beth the agent", "person")}
    assert [len(entity.mentions) for entity in found.entities] == [1, 1]


def test_one_with_a_role_is_meant_by_the_bare_name() -> None:
    (beth,) = _read("Beth the customer called. Beth was happy.").entities
    assert (beth.name, beth.aliases) == ("Beth the customer", ("Beth",))


def test_equal_names_of_two_notes_are_put_together_with_both_spans() -> None:
    (anna,) = _read("Anna called.", "I saw Anna again.").entities
    assert [at.thought_id for at in anna.mentions] == ["t:0", "t:1"]


def test_known_names_are_found_whatever_stands_around_them_and_keep_name_and_type() -> None:
    known = (
        EntityName(id="e:1", name="Zorp", entity_type="project", aliases=("the zed thing",)),
        EntityName(id="e:2", name="Glim", entity_type="beast"),
        EntityName(id="e:3", name="Max", entity_type="person"),
        EntityName(id="e:4", name="Max", entity_type="person"),
    )
    found = _read("- the zed thing\n- zorp again, and Glim. Max laughed.", known=known)
    assert _things(found) == {("Zorp", "project"), ("Glim", "concept")}
    assert found.entities[0].aliases == ("the zed thing",)


@pytest.mark.parametrize(("text", "relation"), TABLES["a_relation_is_read_with_its_direction"])
def test_a_relation_is_read_with_its_direction(text: str, relation: tuple[str, str, str]) -> None:
    found = extract([_thought(text)])
    assert relation in _relations(found)
    for one in found.relations:
        assert text[one.mentions[0].start : one.mentions[0].end] in text


@pytest.mark.requirement("ruling:F.1")
@pytest.mark.parametrize(
    "text",
    [
        *TABLES["what_is_asked_denied_wished_or_unclear_is_no_relation"],
        "Sarah works at Siemens, " + "and so on, " * 80 + "as ever.",
    ],
)
def test_what_is_asked_denied_wished_or_unclear_is_no_relation(text: str) -> None:
    assert extract([_thought(text)]).relations == ()
    assert extract([_thought(text), _thought("Sarah works at Siemens.", "two")]).relations != ()


def test_i_and_my_are_the_speaker_where_one_is_named() -> None:
    found = _read("I work at Siemens. My husband Jack works at Boeing.", speaker="Melanie")
    assert _relations(found) == {
        ("Melanie", "works_at", "Siemens"),
        ("Melanie", "married_to", "Jack"),
        ("Jack", "works_at", "Boeing"),
    }
    melanie = next(entity for entity in found.entities if entity.name == "Melanie")
    assert [(at.start, at.end) for at in melanie.mentions] == [(0, 1), (19, 21)]


@pytest.mark.parametrize("speaker", ["irma@example.org", "+351 912 345 678"])
def test_an_address_or_a_number_is_nobody_s_name(speaker: str) -> None:
    found = _read("I work at Siemens.", speaker=speaker)
    assert (_things(found), found.relations) == ({("Siemens", "organisation")}, ())


def test_what_a_model_says_of_itself_is_nobody() -> None:
    said = replace(_thought("I work at Siemens.", speaker="assistant"), origin=Origin.MODEL)
    assert [each.name for each in extract([said]).entities] == ["Siemens"]


@pytest.mark.requirement("ruling:F.6")
@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("Paul Adler works at Kiln Co. Paul Adler leads Project Bisque since March 2024.", {"leads"}),
        ("Since March 2024 Paul Adler works at Kiln Co. Paul Adler leads Project Bisque.", {"works_at"}),
        ("Paul Adler works at Kiln Co. since March 2024.", {"works_at"}),
    ],
)
def test_a_time_bounds_nothing_beyond_a_name_whose_stop_may_have_ended_the_sentence(text: str, since: set[str]) -> None:
    found = {each.rel_type: each.valid_from for each in _read(text).relations}
    assert {kind for kind, begun in found.items() if begun is not None} == since
    assert "works_at" in found


def test_a_speaker_who_speaks_of_others_only_is_not_extracted() -> None:
    assert _things(_read("Jack works at Boeing.", speaker="Melanie")) == {
        ("Jack", "person"),
        ("Boeing", "organisation"),
    }


def test_a_speaker_who_names_themself_is_one_thing() -> None:
    assert _things(_read("It's Melanie here, I like it.", speaker="Melanie")) == {("Melanie", "person")}


@pytest.mark.parametrize(("text", "start", "end"), TABLES["a_relation_holds_only_as_long_as_its_sentence_says"])
def test_a_relation_holds_only_as_long_as_its_sentence_says(text: str, start: str | None, end: str | None) -> None:
    (one,) = extract([_thought(text)]).relations
    assert (one.valid_from, one.valid_until) == (_day(start), _day(end))


@pytest.mark.requirement("ruling:I2")
@pytest.mark.parametrize(
    ("text", "start", "end"), TABLES["of_an_undated_note_only_a_time_that_needs_no_day_of_writing_bounds_anything"]
)
def test_of_an_undated_note_only_a_time_that_needs_no_day_of_writing_bounds_anything(
    text: str, start: str | None, end: str | None
) -> None:
    (one,) = extract([replace(_thought(text), created_at=UNDATED)]).relations
    assert (one.valid_from, one.valid_until) == (_day(start), _day(end))


def test_the_same_said_twice_is_one_relation_with_both_spans() -> None:
    found = _read("Tim and Laura got married. Laura's husband Tim was late.", "Tim married Laura.")
    (one,) = [relation for relation in found.relations if relation.rel_type == "married_to"]
    assert len(one.mentions) == 3


def test_what_the_inner_voice_wrote_or_what_is_gone_yields_nothing() -> None:
    said = _thought("Anna called.")
    own, gone = replace(said, origin=Origin.MODEL, is_summary=True), replace(said, id="t:g", status=RowStatus.REMOVAL)
    assert extract([own, gone]) == Extracted()


@pytest.mark.requirement("ruling:F.1")
def test_tags_and_words_run_together_are_no_names() -> None:
    assert _things(_read("A low week. #MentalHealth #GodHelpMySoul and #GitDoc")) == set()
    assert _things(_read("We read a text by Ada Lund ReedCommentShareCommentShare today.")) == {("Ada Lund", "person")}
    assert _things(_read("We wrote it in SubEthaEdit.")) == {("SubEthaEdit", "tool")}
