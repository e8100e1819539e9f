"""Which rows forgetting reaches, and how what stays looks then."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from store_values import NOON, entity, observation, of_kind, relation, span_of, thought
from voice.core.errors import InvalidParams
from voice.core.graph.removal.forget_cascade import Act, ForgetPlan, ForgetRequest, plan_forget, redacted, thoughts_of
from voice.core.graph.row_display import readable_text_of
from voice.core.records import EmbeddingStatus, Entity, Observation, Relation, Row, RowStatus, Thought

pytestmark = pytest.mark.requirement("ruling:G.2e")
KILN = "The kiln is in the shed. Beth has the key."


def ids(rows: Iterable[Row]) -> list[str]:
    return [row.id for row in rows]


def memory(*more: Row) -> Mapping[str, Row]:
    """A thought with what was made of it, and one that has nothing to do with it."""
    rows = (
        thought("1", KILN, tags=("home",), speaker="Ada", created_at=NOON),
        thought("2", "The glaze needs cobalt.", created_at=NOON + timedelta(days=1)),
        observation("1", "The kiln is in the shed.", provenance=span_of("t:1"), entity_ids=("e:1",)),
        observation("2", "Beth has the key.", provenance=span_of("t:1"), entity_ids=("e:2",)),
        entity("1", "kiln", provenance=span_of("t:1")),
        entity("2", "Beth", aliases=("Bethany",)),
        *more,
    )
    return {row.id: row for row in rows}


def forgotten(rows: Mapping[str, Row], act: Act = "forget", /, **wanted: object) -> ForgetPlan:
    return plan_forget(rows, ForgetRequest(**wanted), act)  # pyright: ignore[reportArgumentType]


def test_what_rests_on_a_row_alone_goes_with_it() -> None:
    found = forgotten(memory(), ids=frozenset({"t:1"}))
    assert (ids(found.meant), ids(found.derived)) == (["t:1"], ["e:1", "o:1", "o:2"])
    assert (found.changed, found.still_said) == ((), ())
    assert found.going == (*found.meant, *found.derived)


def test_the_same_words_under_another_id_go_too_and_what_sums_it_up() -> None:
    again = thought("3", KILN.upper())
    summed = thought("4", "All about kilns.", is_summary=True, summary_of=("t:1", "t:2"))
    said = observation("9", "the glaze needs COBALT.")
    found = forgotten(memory(again, summed, said), ids=frozenset({"t:1"}))
    assert {"t:3", "t:4"} <= set(ids(found.derived))
    assert "o:9" in ids(forgotten(memory(said), ids=frozenset({"t:2"})).derived)


@pytest.mark.requirement("ruling:I4:gone")
def test_of_a_note_that_is_gone_what_others_say_in_the_same_words_stays() -> None:
    again = thought("3", KILN)
    both = observation("7", "Beth has the key.", provenance=(*span_of("t:1"), *span_of("t:3")), entity_ids=("e:1",))
    own = observation("8", "The kiln is in the shed.", provenance=span_of("t:3"))
    rows = memory(again, both, own)
    found = forgotten(rows, ids=frozenset({"t:1"}), others_stay=True)
    assert ids(found.going) == ["t:1", "o:1", "o:2"]
    assert [(row.id, thoughts_of(row)) for row in found.changed] == [("e:1", ()), ("o:7", ("t:3",))]
    assert found.others_stay
    assert {"t:3", "o:7", "o:8"} <= set(ids(forgotten(rows, ids=frozenset({"t:1"})).going))


def test_of_a_sentence_that_is_meant_alone_only_its_own_words_go_elsewhere() -> None:
    rows = memory(
        thought("3", "Beth has the key."), thought("4", "The kiln is in the shed."), thought("5", KILN + " X.")
    )
    found = forgotten(rows, ids=frozenset({"t:1"}), sentence="Beth has the key.")
    assert ids(found.going) == ["t:1", "e:1", "o:1", "o:2", "t:3"]
    assert [each.row.id for each in found.still_said] == ["t:5"]


def test_an_entity_stays_where_something_that_stays_names_it_and_loses_what_described_it() -> None:
    told = entity("3", "shed", provenance=span_of("t:1"), description="Where the kiln is.")
    names_it = observation("8", "The shed leaks.", provenance=span_of("t:2"), entity_ids=("e:3", "e:1"))
    points = relation("7", "e:3", "e:2", provenance=span_of("t:2"), description="Beth built it.")
    found = forgotten(memory(told, names_it, points), ids=frozenset({"t:1"}))
    cut = {row.id: row for row in found.changed}
    shed = of_kind(cut["e:3"], Entity)
    assert (shed.description, shed.provenance, shed.revision) == ("", (), told.revision + 1)
    assert shed.embedding_status is EmbeddingStatus.PENDING
    assert "e:1" in cut
    assert forgotten(memory(told, names_it, points), "redact", ids=frozenset({"t:1"})).changed == ()


def test_a_relation_goes_with_its_end_or_with_what_it_rests_on() -> None:
    rests = relation("1", "e:2", "e:5", provenance=span_of("t:1"))
    hangs = relation("2", "e:2", "e:5")
    mixed = relation("3", "e:2", "e:5", provenance=(*span_of("t:1"), *span_of("t:2")))
    rows = memory(rests, hangs, mixed, entity("5", "Cleo"))
    by_thought = forgotten(rows, ids=frozenset({"t:1"}))
    assert "r:1" in ids(by_thought.derived)
    (cut,) = [row for row in by_thought.changed if isinstance(row, Relation)]
    assert (cut.id, cut.provenance) == ("r:3", span_of("t:2"))
    by_end = forgotten(rows, ids=frozenset({"e:5"}))
    assert ids(by_end.derived) == ["r:1", "r:2", "r:3"]
    named = observation("6", "Cleo sings.", entity_ids=("e:5", "e:2"))
    (left,) = forgotten(memory(entity("5", "Cleo"), named), ids=frozenset({"e:5"})).changed
    assert of_kind(left, Observation).entity_ids == ("e:2",)


def test_a_thought_that_was_enriched_by_it_loses_that_alone() -> None:
    rich = thought("5", "Fire it.", injected_memories=("t:1",), enriched_content=f"Fire it. {KILN}")
    plain = thought("6", "Cool it.", injected_memories=("t:2",), enriched_content="Cool it. Slowly.")
    for act in ("forget", "redact"):
        (cut,) = forgotten(memory(rich, plain), act, ids=frozenset({"t:1"})).changed
        cut = of_kind(cut, Thought)
        assert (cut.id, cut.content, cut.enriched_content) == ("t:5", "Fire it.", None)


def test_what_still_says_it_is_named() -> None:
    quoting = thought("7", "Note to self: Beth has the key.")
    found = forgotten(memory(quoting), ids=frozenset({"o:2"}))
    assert [(each.row.id, readable_text_of(each.row)[each.start : each.end]) for each in found.still_said] == [
        ("t:1", "Beth has the key."),
        ("t:7", "Beth has the key."),
    ]
    assert found.giveaway.phrases == frozenset()


@pytest.mark.requirement("forget:named")
def test_of_a_note_that_no_longer_holds_the_words_none_are_named() -> None:
    edited = observation("9", "Cleo has a spare one.", provenance=span_of("t:1"))
    shouting = thought("7", "CLEO HAS  A SPARE ONE.")
    found = forgotten(memory(edited), ids=frozenset({"o:9"}))
    assert [(each.row.id, each.start, each.end) for each in found.still_said] == [("t:1", 0, 0)]
    assert "t:7" in ids(forgotten(memory(edited, shouting), ids=frozenset({"o:9"})).derived)
    name = entity("8", "Cobalt")
    (says,) = forgotten(memory(name), ids=frozenset({"e:8"})).still_said
    described = entity("8", "Co", aliases=("Cobalt",), description="A metal.")
    assert forgotten(memory(described), ids=frozenset({"e:8"})).still_said == (says,)
    assert (says.row.id, readable_text_of(says.row)[says.start : says.end]) == ("t:2", "cobalt")


@pytest.mark.requirement("forget:named")
def test_a_name_that_merely_goes_along_is_not_what_another_row_still_says() -> None:
    note = thought("8", "Blood pressure 150. Dora drove home.")
    sentences = (
        observation("8", "Blood pressure 150.", provenance=span_of("t:8")),
        observation("9", "Dora drove home.", provenance=span_of("t:8"), entity_ids=("e:8",)),
    )
    dora = entity("8", "Dora", provenance=span_of("t:8"))
    drove = relation("8", "e:8", "e:9", provenance=span_of("t:8"), description="home")
    other = thought("9", "Another Dora paints at home.")
    quoting = thought("5", "She wrote: Dora drove home.")
    rows = memory(note, *sentences, dora, drove, other, quoting)
    found = forgotten(rows, "redact", matching="blood pressure")
    assert {"e:8", "o:9", "r:8"} <= set(ids(found.derived))
    assert [each.row.id for each in found.still_said] == ["t:5"]
    assert [each.row.id for each in forgotten(rows, ids=frozenset({"e:8"})).still_said] == ["o:9", "t:5", "t:8", "t:9"]


@pytest.mark.requirement("forget:named")
def test_words_that_were_matched_are_still_said_where_another_description_left_them_out() -> None:
    rows = memory(thought("8", "Someone fixed the kiln."))
    (says,) = forgotten(rows, matching="kiln", tags=frozenset({"home"})).still_said
    assert (says.row.id, readable_text_of(says.row)[says.start : says.end]) == ("t:8", "kiln")


@pytest.mark.requirement("forget:named")
def test_a_row_that_was_redacted_says_nothing_any_more() -> None:
    rows = {each: redacted(row) if each == "t:1" else row for each, row in memory().items()}
    assert forgotten(rows, ids=frozenset({"o:2"})).still_said == ()
    assert "t:1" in [each.row.id for each in forgotten(memory(), ids=frozenset({"o:2"})).still_said]


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ({"matching": "KEY"}, ["o:2", "t:1"]),
        ({"matching": "bethany"}, ["e:2"]),
        ({"matching": "ke"}, []),
        ({"tags": frozenset({"home"})}, ["t:1"]),
        ({"about": "bethany"}, ["e:2", "o:2"]),
        ({"about": "Ada"}, ["t:1"]),
        ({"about": "Beth", "tags": frozenset({"home"})}, ["t:1"]),
        ({"since": NOON + timedelta(hours=1)}, ["t:2"]),
        ({"until": NOON + timedelta(hours=1), "matching": "cobalt"}, []),
        ({"until": NOON + timedelta(hours=1), "matching": "shed", "tags": frozenset({"home"})}, ["t:1"]),
    ],
)
def test_rows_are_described_by_words_tags_names_and_time(wanted: dict[str, object], meant: list[str]) -> None:
    rows = {row_id: replace(row, created_at=NOON) if row_id[0] in "eo" else row for row_id, row in memory().items()}
    assert ids(forgotten(rows, **wanted).meant) == meant


def test_a_relation_is_about_both_of_its_ends_and_a_dangling_one_about_nobody() -> None:
    rows = memory(relation("1", "e:2", "e:1"), relation("2", "e:8", "e:9"), thought("8", "x", enriched_content="Beth"))
    assert ids(forgotten(rows, about="Beth").meant) == ["e:2", "o:2", "r:1", "t:1", "t:8"]


@pytest.mark.parametrize(
    "wanted", [{}, {"matching": " "}, {"about": "\u200b"}, {"ids": frozenset({"t:1"}), "about": "Beth"}]
)
def test_what_says_nothing_or_two_things_is_refused(wanted: dict[str, object]) -> None:
    with pytest.raises(InvalidParams, match="--"):
        forgotten({}, **wanted)


def test_a_redacted_row_has_no_words_and_keeps_what_it_points_at() -> None:
    rows = (
        thought("1", KILN, speaker="Ada", source_ref="a.md", enriched_content="x", framework_analysis="y", submode="z"),
        observation("1", KILN, speaker="Ada", entity_ids=("e:1",), provenance=span_of("t:1")),
        entity("1", "kiln", description="hot", aliases=("oven",)),
        relation("1", "e:1", "e:2", description="warm"),
    )
    for row in rows:
        bare = redacted(row)
        assert (bare.id, bare.status, bare.revision) == (row.id, RowStatus.REDACTED, row.revision + 1)
        assert (readable_text_of(bare).strip(), getattr(bare, "speaker", None)) == ("", None)
    bare = of_kind(redacted(rows[1]), Observation)
    assert (bare.entity_ids, bare.provenance) == (("e:1",), span_of("t:1"))


def test_doing_it_again_reaches_nothing_and_what_was_redacted_can_be_forgotten() -> None:
    rows = dict(memory())
    first = forgotten(rows, "redact", ids=frozenset({"t:1"}))
    rows |= {row.id: redacted(row) for row in first.going}
    assert forgotten(rows, "redact", ids=frozenset({"t:1"})).going == ()
    assert ids(forgotten(rows, ids=frozenset({"t:1"})).going) == ["t:1", "e:1", "o:1", "o:2"]


def test_what_rests_on_something_that_went_before_goes_and_what_names_it_stays_without_it() -> None:
    rows = {row_id: row for row_id, row in memory().items() if row_id != "t:1"}
    found = plan_forget(rows, ForgetRequest(ids=frozenset({"t:1"})), "forget", before={"t:1"})
    assert (ids(found.meant), ids(found.derived)) == ([], ["e:1", "o:1", "o:2"])
    both = observation("3", "Cobalt is kept in the shed.", provenance=span_of("t:1") + span_of("t:2"))
    kept = entity("3", "shed", provenance=span_of("t:1") + span_of("t:2"))
    found = plan_forget(
        {**rows, "o:3": both, "e:3": kept}, ForgetRequest(ids=frozenset({"t:1"})), "forget", before={"t:1"}
    )
    assert [(row.id, thoughts_of(row)) for row in found.changed] == [("e:3", ("t:2",))]
    assert "o:3" in ids(found.derived)


@pytest.mark.requirement("forget:reach")
def test_what_a_row_said_before_it_was_corrected_goes_with_it_and_not_the_other_way_round() -> None:
    first = observation("10", "Cleo has the key.", superseded_by="o:11", status=RowStatus.SUPERSEDED)
    second = observation("11", "Dora has the key.", superseded_by="o:12", entity_ids=("e:9",))
    third = observation("12", "Emil has the key.")
    named = entity("9", "Dora", provenance=span_of("t:1"))
    rows = memory(first, second, third, named)
    assert ids(forgotten(rows, ids=frozenset({"o:12"})).derived) == ["o:10", "o:11"]
    found = forgotten(rows, ids=frozenset({"o:12", "t:1"}))
    assert "e:9" in ids(found.derived)
    assert ids(forgotten(rows, ids=frozenset({"o:10"})).going) == ["o:10"]


@pytest.mark.requirement("forget:reach")
@pytest.mark.parametrize("act", ["forget", "redact"])
def test_why_a_row_was_corrected_goes_where_it_quotes_what_goes(act: Act) -> None:
    told = observation("10", "Cleo has the key.", superseded_reason="I was told: the glaze needs cobalt.")
    found = forgotten(memory(told), act, ids=frozenset({"t:2"}))
    assert found.changed == (replace(told, superseded_reason=None, revision=2),)
    assert redacted(told).superseded_reason is None
    assert forgotten(memory(told), act, ids=frozenset({"t:1"})).changed == ()


def test_an_earlier_note_goes_with_the_one_that_took_its_place() -> None:
    earlier = thought("9", "Beth had it once.", superseded_by="t:2", status=RowStatus.SUPERSEDED)
    assert ids(forgotten(memory(earlier), ids=frozenset({"t:2"})).going) == ["t:2", "t:9"]
