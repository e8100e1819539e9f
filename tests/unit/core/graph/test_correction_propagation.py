"""What becomes of the graph when a thought behind it is corrected.

Whoever corrected a statement is told what still says the old thing.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidate_values import person
from store_values import entity, observation, relation, thought
from voice.core.errors import InvalidParams
from voice.core.graph.consequences import (
    candidate_after,
    effects_of_correction,
    is_edit_of,
    spoken,
    still_saying,
    stretches_saying,
    successors,
)
from voice.core.graph.corrections import (
    Correction,
    as_it_stood,
    corrected_entity,
    corrected_observation,
    corrected_relation,
    corrected_thought,
    past_value,
    require_correctable,
    require_untrusted,
    says_the_same,
    superseded,
)
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.removal.lifecycle import was_held
from voice.core.graph.review.candidates import CandidateStatus
from voice.core.graph.thoughts.distillation import distil
from voice.core.records import (
    EntityName,
    GraphRow,
    Observation,
    Origin,
    Provenance,
    Relation,
    Row,
    RowStatus,
    Thought,
    TrustTier,
)
from voice.core.vouch import Vouch

pytestmark = pytest.mark.requirement("ruling:F.6")
SAID = datetime(2024, 3, 5, 9, 30, tzinfo=UTC)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
MAY, JUNE = datetime(2025, 5, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)
THEN = {"created_at": SAID, "recorded_at": SAID}
OLD = thought("old", "Ana runs the bakery. The shop opens at four. Rui bakes the bread.", **THEN)
NEW = replace(OLD, id="t:new", content="Ana runs the café now. The shop opens at four. Rui bakes the bread.")
FIX = Correction(text=NEW.content, at=NOW, reason="she moved")
ANA = entity("ana", "Ana", **THEN)


def span(words: str, note: Thought = OLD) -> tuple[Provenance, ...]:
    start = note.content.index(words)
    return (Provenance(thought_id=note.id, start=start, end=start + len(words)),)


def edge(*spans: Provenance, **more: object) -> Relation:
    return relation("1", "e:ana", "e:b", **{"rel_type": "runs", "provenance": spans, **THEN, **more})


def test_a_statement_is_followed_by_the_one_in_its_place() -> None:
    before, after = distil(OLD), distil(NEW)
    assert successors(before, after) == {old.id: new.id for old, new in zip(before, after, strict=True)}
    longer = distil(replace(NEW, content="A new year begins today. " + OLD.content))
    assert successors(before, longer) == {old.id: new.id for old, new in zip(before, longer[1:], strict=True)}
    assert successors(before, after[1:]) == {before[1].id: after[1].id, before[2].id: after[2].id}
    assert successors(before, ()) == {}


def test_a_statement_said_twice_is_superseded_once_with_all_its_places() -> None:
    old = replace(OLD, content="The shop opens at four. Ana bakes. The shop opens at four.")
    new = replace(old, id="t:new", content="The shop opens at five. Ana bakes. The shop opens at four.")
    done = effects_of_correction(distil(old), old, new, distil(new), FIX)
    assert {row.id for row in done.superseded} == {row.id for row in distil(old)}
    assert done.moved == ()


def test_what_rests_on_words_that_still_stand_moves_with_them() -> None:
    other = Provenance(thought_id="t:other", start=0, end=3)
    kept, lost, half = edge(*span("Rui bakes")), edge(*span("the bakery")), edge(*span("the bakery"), other)
    whole = edge(Provenance(thought_id="t:old", start=0, end=len(OLD.content)))
    rows = [replace(row, id=f"r:{place}") for place, row in enumerate((kept, lost, half, whole))]
    done = effects_of_correction(rows, OLD, NEW, distil(NEW), FIX)
    assert {row.id: row.provenance for row in done.moved} == {
        "r:0": span("Rui bakes", NEW),
        "r:2": (other,),
        "r:3": (Provenance(thought_id="t:new", start=0, end=len(NEW.content)),),
    }
    assert {row.revision for row in done.moved} == {2}
    (gone,) = done.superseded
    assert (gone.id, gone.status) == ("r:1", RowStatus.SUPERSEDED)
    assert (gone.superseded_by, gone.superseded_reason) == (None, "she moved")


@pytest.mark.requirement("ruling:C10")
def test_a_candidate_follows_the_words_it_rests_on_and_is_hidden_with_them() -> None:
    stands, gone = span("Rui bakes the bread")[0], span("Ana runs the bakery")[0]
    else_where = Provenance(thought_id="t:else", start=0, end=3)
    hidden = replace(NEW, is_private=True)
    moved = candidate_after(person(provenance=(stands, gone)), OLD, NEW)
    assert moved is not None
    assert [each.thought_id for each in moved.provenance] == [NEW.id]
    assert (moved.is_private, moved.revision) == (False, 2)
    assert candidate_after(person(provenance=(gone,)), OLD, NEW) is None
    decided = person(provenance=(gone,), status=CandidateStatus.REJECTED)
    assert candidate_after(decided, OLD, NEW) is decided
    for each, is_private, ids in (
        (person(provenance=(stands,)), True, [NEW.id]),
        (person(provenance=(stands, else_where)), False, ["t:else"]),
        (decided, True, [OLD.id]),
        (person(provenance=(stands, else_where), is_private=True), True, ["t:else", NEW.id]),
    ):
        left = candidate_after(each, OLD, hidden)
        assert left is not None
        assert (left.is_private, sorted(span.thought_id for span in left.provenance)) == (is_private, sorted(ids))


def test_a_node_stays_where_it_was_named_and_what_is_not_live_stays_as_it_is() -> None:
    named, still = replace(ANA, provenance=span("the bakery")), replace(ANA, id="e:2", provenance=span("Rui"))
    dead = edge(*span("Rui"), status=RowStatus.REMOVAL)
    done = effects_of_correction([named, still, dead], OLD, NEW, (), FIX)
    assert [(row.id, row.provenance) for row in done.moved] == [("e:2", span("Rui", NEW))]
    assert done.superseded == ()


def test_what_was_distilled_is_superseded_with_the_time_it_held() -> None:
    fix = replace(FIX, since=MAY)
    done = effects_of_correction(distil(OLD), OLD, NEW, distil(NEW), fix)
    assert [row.superseded_by for row in done.superseded] == [row.id for row in distil(NEW)]
    assert {row.valid_until for row in done.superseded} == {MAY}
    assert done.moved == ()


@given(st.lists(st.sampled_from("abcd"), max_size=6), st.lists(st.sampled_from("abcd"), max_size=6))
def test_no_two_statements_are_followed_by_the_same(old: list[str], new: list[str]) -> None:
    def rows(texts: list[str], key: str) -> list[Observation]:
        spans = [Provenance(thought_id=f"t:{key}", start=place, end=place + 1) for place in range(len(texts))]
        return [observation(f"{key}{at}", text, provenance=(spans[at],)) for at, text in enumerate(texts)]

    pairs = successors(rows(old, "x"), rows(new, "y"))
    assert len(set(pairs.values())) == len(pairs)
    if old == new:
        assert pairs == {f"o:x{place}": f"o:y{place}" for place in range(len(old))}


def test_an_edited_note_keeps_half_of_the_shorter_ones_words() -> None:
    assert is_edit_of("Buy milk and bread", "buy MILK and eggs")
    assert is_edit_of("Buy milk", "Buy milk. And then a whole story about a journey to the far north.")
    assert not is_edit_of("Buy milk and bread", "The kiln stands in the shed")
    assert not is_edit_of("", "Anything")


ALL: tuple[Row, ...] = (OLD, ANA, distil(OLD)[0], edge())


@pytest.mark.parametrize("row", ALL, ids=lambda row: type(row).__name__)
def test_what_is_superseded_says_what_it_said_and_stood_as_it_stood(row: Row) -> None:
    gone = superseded(row, by="x:1", correction=FIX)
    assert as_it_stood(gone) == replace(row, revision=2)
    assert (was_held(row, SAID), was_held(row, SAID - timedelta(seconds=1))) == (True, False)
    assert (was_held(gone, SAID), was_held(gone, NOW)) == (True, False)
    assert not was_held(replace(gone, superseded_at=None), SAID)
    left = replace(gone, status=RowStatus.REMOVAL)
    assert (was_held(left, SAID), was_held(left, NOW)) == (True, False)
    assert not was_held(replace(left, superseded_at=None), SAID)
    assert not was_held(replace(row, status=RowStatus.REDACTED), NOW)
    was_back = replace(row, away=(SAID + timedelta(days=1), SAID + timedelta(days=2)))
    assert [was_held(was_back, SAID + timedelta(days=day)) for day in range(4)] == [True, False, True, True]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (replace(OLD, is_summary=True), "voice itself wrote"),
        (superseded(OLD, by="t:2", correction=FIX), "t:2 has already replaced"),
        (superseded(OLD, by=None, correction=FIX), "is no longer in use"),
        (replace(OLD, status=RowStatus.REMOVAL), "marked for removal"),
        (replace(OLD, status=RowStatus.REDACTED), "redacted"),
    ],
)
def test_what_cannot_be_corrected_says_why(row: Row, words: str) -> None:
    require_correctable(OLD)
    with pytest.raises(InvalidParams, match=words):
        require_correctable(row)


@pytest.mark.requirement("mcp:rows", "ruling:H.3b", "ruling:J2")
def test_what_a_person_wrote_or_approved_is_theirs_to_correct() -> None:
    noted = replace(OLD, origin=Origin.TOOL, vouched=Vouch.WAITING)
    for theirs in (OLD, replace(noted, vouched=Vouch.APPROVED), replace(distil(OLD)[0], trust=TrustTier.GREEN)):
        with pytest.raises(InvalidParams, match="only they can correct"):
            require_untrusted(theirs)
    for others in (noted, replace(OLD, origin=Origin.LOGGED), replace(distil(OLD)[0], trust=TrustTier.AMBER)):
        require_untrusted(others)


@pytest.mark.requirement("ruling:J2")
def test_what_a_program_corrects_waits_again_under_its_name() -> None:
    noted = replace(OLD, origin=Origin.TOOL, vouched=Vouch.WAITING, noted_by="codex")
    fix = replace(FIX, author=Origin.TOOL, noted_by="gemini")
    made = corrected_thought(noted, fix, new_id="t:9")
    assert (made.noted_by, made.vouched, made.vouched_at) == ("gemini", Vouch.WAITING, None)
    assert corrected_thought(noted, FIX, new_id="t:9").vouched is None, "a person's correction counts"


def test_a_validity_is_an_interval() -> None:
    told = replace(distil(OLD)[0], valid_from=SAID, valid_until=MAY)

    def timed(row: Observation = told, **more: object) -> tuple[datetime | None, datetime | None]:
        fix = replace(Correction(at=NOW), **more)  # pyright: ignore[reportArgumentType]
        made = corrected_observation(row, fix, new_id="o:2", names=KnownNames(), private=False)
        return made.valid_from, made.valid_until

    assert timed(since=JUNE) == (JUNE, None)  # what ended in May says nothing of what began in June
    assert timed(since=JUNE - timedelta(days=60)) == (JUNE - timedelta(days=60), MAY)
    assert timed(until=JUNE) == (SAID, JUNE)
    assert timed(replace(told, valid_from=None), text="Other.") == (None, MAY)
    with pytest.raises(InvalidParams, match="before it begins"):
        timed(replace(told, valid_from=JUNE), until=MAY)
    with pytest.raises(InvalidParams, match="choose an --until later"):
        Correction(at=NOW, since=JUNE, until=JUNE)
    with pytest.raises(InvalidParams, match="no time zone"):
        Correction(at=NOW, since=datetime(2025, 1, 1))  # noqa: DTZ001 - what is refused
    ended = superseded(told, by="o:2", correction=replace(FIX, since=JUNE))
    assert ended.valid_until == MAY


def test_a_correction_says_something_new_and_not_too_much_about_why() -> None:
    with pytest.raises(InvalidParams, match="at most 500"):
        Correction(at=NOW, reason="x" * 501)
    same = replace(FIX, text=OLD.content)
    with pytest.raises(InvalidParams, match="already says that"):
        corrected_thought(OLD, same, new_id="t:2")
    with pytest.raises(InvalidParams, match="already says that"):
        corrected_relation(edge(), Correction(at=NOW), new_id="r:2", private=False)
    with pytest.raises(InvalidParams, match="already says that"):
        corrected_entity(ANA, replace(FIX, text=""))


def test_only_a_person_makes_a_row_green_and_words_that_stand_keep_their_ground() -> None:
    amber = edge(*span("Rui"), trust=TrustTier.AMBER)
    logged = replace(FIX, text=None, since=MAY, author=Origin.LOGGED)
    made = corrected_relation(amber, logged, new_id="r:2", private=True)
    assert (made.trust, made.provenance, made.is_private, made.description) == (TrustTier.AMBER, span("Rui"), True, "")
    moved = corrected_relation(amber, replace(FIX, text=None, target_id="e:c"), new_id="r:2", private=False)
    assert (moved.trust, moved.provenance, moved.target_id) == (TrustTier.GREEN, (), "e:c")


def test_a_repeated_correction_is_known_by_its_words_and_time() -> None:
    node = corrected_entity(ANA, replace(FIX, text="A baker.", since=MAY))
    assert (node.id, node.revision, node.recorded_at) == ("e:ana", 2, NOW)
    past = past_value(ANA, FIX, new_id="e:2")
    assert (past.id, past.superseded_by, past.revision, past.recorded_at) == ("e:2", "e:ana", 1, SAID)
    assert says_the_same(node, replace(FIX, text="A baker.", since=MAY))
    assert not says_the_same(node, replace(FIX, text="A baker.", since=JUNE))
    assert not says_the_same(node, replace(FIX, text="A cook."))
    assert says_the_same(corrected_thought(OLD, FIX, new_id="t:2"), FIX)
    assert says_the_same(distil(OLD)[0], replace(FIX, text=distil(OLD)[0].text))
    assert not says_the_same(corrected_thought(OLD, FIX, new_id="t:2"), replace(FIX, since=MAY))


PEOPLE = (entity("anna", "Anna Lund", aliases=("Anna",)), entity("bergen", "Bergen"), entity("lisbon", "Lisbon"))
NODES = tuple(map(EntityName.of, PEOPLE))
CALLED = {node.id: node.name for node in NODES}
HERE = Provenance(thought_id="t:1", start=10, end=32)
ELSEWHERE = Provenance(thought_id="t:1", start=40, end=60)
BEFORE, AFTER = "Anna lives in Bergen.", "Anna lives in Lisbon."
LIVES = relation("1", "e:anna", "e:bergen", rel_type="lives_in", provenance=(ELSEWHERE,))


def told(*rows: GraphRow, before: str = BEFORE, after: str = AFTER) -> list[str]:
    return [row.id for row in still_saying(rows, before, after, nodes=NODES, places=(HERE,))]


def test_an_edge_of_the_kind_that_the_old_words_spell_out_or_that_rests_on_them_still_says_so() -> None:
    within = Provenance(thought_id="t:1", start=10, end=20)
    based = relation("2", "e:anna", "e:bergen", rel_type="based_in", provenance=(within,))
    assert told(based, LIVES) == ["r:1", "r:2"]
    assert spoken(LIVES, CALLED) == "Anna Lund --lives_in--> Bergen"


@pytest.mark.parametrize(
    "row",
    [
        relation("1", "e:anna", "e:bergen", rel_type="likes", provenance=(ELSEWHERE,)),
        relation("1", "e:anna", "e:bergen", rel_type="likes", provenance=(HERE, ELSEWHERE)),
        relation("1", "e:anna", "e:bergen", rel_type="likes"),
        relation("1", "e:anna", "e:lisbon", rel_type="lives_in"),
        relation("1", "e:anna", "e:gone", rel_type="lives_in"),
        relation("1", "e:anna", "e:bergen", rel_type="lives_in", status=RowStatus.SUPERSEDED),
        entity("anna", "Anna Lund", description="A potter."),
        entity("anna", "Anna Lund"),
        observation("1", BEFORE),
    ],
)
def test_what_says_something_else_is_not_told(row: GraphRow) -> None:
    assert told(row) == []
    assert told(row, LIVES) == ["r:1"]


def test_what_the_new_words_say_too_is_not_told() -> None:
    assert told(LIVES, after="Anna lives in Bergen since May.") == []
    assert told(LIVES, after=AFTER) == ["r:1"]
    assert told(entity("anna", "Anna", description="Lives in Bergen."), after="Anna lived in Bergen till May.") == []


def test_a_description_with_a_word_that_was_taken_back_still_says_so() -> None:
    potter = entity("anna", "Anna Lund", description="A potter from Bergen.")
    assert told(potter, LIVES) == ["e:anna", "r:1"]
    assert spoken(potter, CALLED) == "A potter from Bergen."


def test_a_live_note_whose_stretch_says_something_else_still_says_it() -> None:
    note = thought("1", f"Heard it: {BEFORE} She likes it.")
    here = Provenance(thought_id="t:1", start=10, end=10 + len(BEFORE))
    unknown = Provenance(thought_id="t:9", start=0, end=4)
    assert stretches_saying({"t:1": note}, AFTER, (here, here, unknown)) == {"t:1": BEFORE}
    assert stretches_saying({"t:1": note}, BEFORE.upper(), (here,)) == {}
    gone = thought("1", note.content, status=RowStatus.SUPERSEDED)
    assert stretches_saying({"t:1": gone}, AFTER, (here,)) == {}
