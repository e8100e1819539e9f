"""What `CandidateStore` promises, held against every store."""

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import pytest

from candidate_values import MINUTE, candidate, edge, full_candidates, person
from store_values import NOON, Stores, entity, thought
from voice.core.errors import InvalidParams, SessionConflict
from voice.core.graph.review.candidates import Candidate, CandidateKind, CandidateStatus, Cursor, EntityProposal
from voice.core.records import Origin, Provenance
from voice.ports.review_stores import ALL_CANDIDATES, CandidateFilter
from voice.ports.stores import MAX_WRITE, WriteBatch

NUMBERED_BY_THE_STORE = {"id", "seq", "revision"}
ADA, BEN, EDGE = person("Ada"), person("Ben", staged_at=NOON + MINUTE), edge(staged_at=NOON + 2 * MINUTE)


def rejected(held: Candidate) -> Candidate:
    return replace(held, status=CandidateStatus.REJECTED, revision=held.revision + 1, seq=0)


async def ids(stores: Stores, where: CandidateFilter = ALL_CANDIDATES) -> list[str]:
    found = [each.id for each in await stores.candidates.candidates(where, limit=99)]
    assert await stores.candidates.count(where) == len(found)
    return found


def test_the_full_values_leave_no_field_at_its_default() -> None:
    for value in full_candidates():
        for each in fields(Candidate):
            if each.name not in NUMBERED_BY_THE_STORE:
                assert getattr(value, each.name) != each.default, each.name


@pytest.mark.requirement("ruling:B8", "ruling:B10", "ruling:F.5")
async def test_every_field_of_a_candidate_comes_back(stores: Stores) -> None:
    expected = [replace(each, seq=at) for at, each in enumerate(full_candidates(), start=1)]
    assert await stores.candidates.save(full_candidates()) == expected
    assert await stores.candidates.fetch([each.id for each in expected]) == {each.id: each for each in expected}
    assert sorted(await stores.candidates.candidates(limit=9), key=lambda each: each.seq) == expected


@pytest.mark.requirement("ruling:B9")
async def test_what_is_not_said_comes_back_as_none(stores: Stores) -> None:
    bare = person(provenance=())
    assert await stores.candidates.save([bare]) == [replace(bare, seq=1)]


@pytest.mark.requirement("ruling:B3")
async def test_unknown_ids_are_absent(stores: Stores) -> None:
    assert await stores.candidates.fetch([ADA.id, "", "c:none"]) == {}
    assert await stores.candidates.save([]) == []
    assert await ids(stores) == []
    await stores.candidates.save([ADA])
    assert (await stores.candidates.fetch([ADA.id, "", "c:none"])).keys() == {ADA.id}


@pytest.mark.requirement("ruling:F.3")
async def test_a_rejected_candidate_is_remembered(stores: Stores) -> None:
    (held,) = await stores.candidates.save([ADA])
    (kept,) = await stores.candidates.save([rejected(held)])
    assert (kept.status, kept.revision, kept.seq) == (CandidateStatus.REJECTED, 2, 2)
    assert await stores.candidates.fetch([ADA.id]) == {ADA.id: kept}


@pytest.mark.parametrize("revision", [1, 3])
async def test_a_candidate_that_was_changed_meanwhile_is_not_written_over(stores: Stores, revision: int) -> None:
    (held,) = await stores.candidates.save([ADA])
    with pytest.raises(SessionConflict, match=ADA.id):
        await stores.candidates.save([BEN, replace(rejected(held), revision=revision)])
    assert await stores.candidates.candidates(limit=9) == [held]


async def test_one_that_is_not_there_begins_at_its_first_revision(stores: Stores) -> None:
    with pytest.raises(SessionConflict):
        await stores.candidates.save([replace(ADA, revision=2)])


async def test_a_batch_names_a_candidate_once_and_is_bounded(stores: Stores) -> None:
    with pytest.raises(InvalidParams, match="twice"):
        await stores.candidates.save([ADA, ADA])
    with pytest.raises(InvalidParams, match="at most"):
        await stores.candidates.save([ADA] * (MAX_WRITE + 1))


@pytest.mark.requirement("ruling:I8")
async def test_what_is_saved_what_goes_and_their_rows_are_one_write(stores: Stores) -> None:
    ada, bea = await stores.candidates.save([ADA, person("bea")])
    grown = replace(ada, revision=2, seq=0)
    with pytest.raises(SessionConflict):
        await stores.candidates.save([replace(grown, revision=9)], rows=WriteBatch(rows=(entity(),)), removed=[bea.id])
    assert await stores.candidates.fetch([ADA.id, bea.id]) == {ada.id: ada, bea.id: bea}
    assert await stores.memory.fetch(["e:1"]) == {}
    await stores.candidates.save([grown], rows=WriteBatch(rows=(entity(),)), removed=[bea.id, "c:unknown"])
    assert {each.revision for each in await stores.candidates.candidates(limit=9)} == {2}
    assert set(await stores.memory.fetch(["e:1"])) == {"e:1"}
    before = (await stores.memory.head()).last_seq
    await stores.candidates.save([], removed=[ada.id])
    assert await stores.candidates.candidates(limit=9) == []
    assert (await stores.memory.head()).last_seq >= before


@pytest.mark.requirement("ruling:F.4")
async def test_a_row_and_its_candidate_are_written_together_or_not_at_all(stores: Stores) -> None:
    (held,) = await stores.candidates.save([ADA])
    approved = replace(held, status=CandidateStatus.APPROVED, row_id="e:1", revision=2, seq=0)
    await stores.candidates.save([approved], rows=WriteBatch(rows=(entity(),)))
    with pytest.raises(InvalidParams, match="revision"):
        await stores.candidates.save([replace(approved, revision=3)], rows=WriteBatch(rows=(entity(),)))
    (stored,) = (await stores.candidates.fetch([ADA.id])).values()
    assert (stored.revision, stored.row_id) == (2, "e:1")
    with pytest.raises(SessionConflict):
        await stores.candidates.save([approved], rows=WriteBatch(rows=(entity("2"),)))
    assert set(await stores.memory.fetch(["e:1", "e:2"])) == {"e:1"}
    assert await stores.maintenance.verify() == []


@pytest.mark.requirement("ruling:F.4")
async def test_numbers_of_rows_and_candidates_do_not_meet(stores: Stores) -> None:
    kept = await stores.candidates.save([ADA, EDGE], rows=WriteBatch(rows=(thought(), entity())))
    rows = await stores.memory.fetch(["t:1", "e:1"])
    assert ([row.seq for row in rows.values()], [each.seq for each in kept]) == ([1, 2], [3, 4])
    assert (await stores.memory.head()).last_seq == 4


SECRET = person("Cleo", is_private=True, confidence=0.9, staged_at=NOON + 3 * MINUTE)
TOOL = candidate(EntityProposal(name="Kiln", entity_type="power tool"), confidence=0.7, staged_at=NOON + 4 * MINUTE)
EVERYTHING = (ADA, BEN, EDGE, SECRET, TOOL)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (CandidateFilter(), EVERYTHING),
        (CandidateFilter(kind=CandidateKind.ENTITY), (ADA, BEN, SECRET, TOOL)),
        (CandidateFilter(kind=CandidateKind.RELATION), (EDGE,)),
        (CandidateFilter(status=CandidateStatus.REJECTED), (BEN,)),
        (CandidateFilter(status=CandidateStatus.PENDING, kind=CandidateKind.ENTITY), (ADA, SECRET, TOOL)),
        (CandidateFilter(type="Power_Tool"), (TOOL,)),
        (CandidateFilter(type="works at"), (EDGE,)),
        (CandidateFilter(text="ADA"), (ADA, EDGE)),
        (CandidateFilter(text="kil"), (EDGE, TOOL)),
        (CandidateFilter(text="a kiln"), ()),
        (CandidateFilter(named=("ada",)), (ADA, EDGE)),
        (CandidateFilter(named=("ad", "kiln")), (TOOL,)),
        (CandidateFilter(named=()), ()),
        (CandidateFilter(thought_id="t:1"), EVERYTHING),
        (CandidateFilter(thought_id="t:2"), ()),
        (CandidateFilter(min_confidence=0.7), (SECRET, TOOL)),
        (CandidateFilter(max_confidence=0.7), (ADA, BEN, EDGE)),
        (CandidateFilter(since=NOON + 3 * MINUTE), (SECRET, TOOL)),
        (CandidateFilter(include_private=False), (ADA, BEN, EDGE, TOOL)),
        (CandidateFilter(include_private=False, min_confidence=0.7, text="kiln"), (TOOL,)),
    ],
)
async def test_candidates_are_found_as_wanted(
    stores: Stores, where: CandidateFilter, expected: Sequence[Candidate]
) -> None:
    kept = await stores.candidates.save(EVERYTHING)
    await stores.candidates.save([rejected(kept[1])])
    assert await ids(stores, where) == [each.id for each in expected]


async def test_an_edited_candidate_is_found_under_both_its_names(stores: Stores) -> None:
    edited = EntityProposal(name="Ada Lund", entity_type="human")
    await stores.candidates.save([replace(ADA, edited=edited)])
    for where in (CandidateFilter(named=("ada",)), CandidateFilter(text="lund"), CandidateFilter(type="human")):
        assert await ids(stores, where) == [ADA.id]
    assert await ids(stores, CandidateFilter(type="person")) == []


async def test_pages_go_on_where_the_last_one_ended(stores: Stores) -> None:
    await stores.candidates.save(EVERYTHING)
    found: list[str] = []
    after = None
    for size in (2, 1, 2):
        page = await stores.candidates.candidates(limit=size, after=after)
        assert len(page) == size
        found += [each.id for each in page]
        after = Cursor.behind(page[-1])
    assert found == [each.id for each in EVERYTHING]
    assert await stores.candidates.candidates(limit=9, after=after) == []
    assert await stores.candidates.candidates(limit=0) == []


async def test_what_changes_between_two_pages_moves_nothing_else(stores: Stores) -> None:
    kept = await stores.candidates.save([ADA, BEN, EDGE])
    pending = CandidateFilter(status=CandidateStatus.PENDING)
    (first,) = await stores.candidates.candidates(pending, limit=1)
    await stores.candidates.save([rejected(kept[0]), SECRET])
    await stores.candidates.save([], removed=[BEN.id])
    rest = await stores.candidates.candidates(pending, limit=9, after=Cursor.behind(first))
    assert [each.id for each in rest] == [EDGE.id, SECRET.id]


async def test_of_one_moment_the_order_is_by_id_across_kinds(stores: Stores) -> None:
    many = [person(str(n)) for n in range(5)] + [edge(str(n)) for n in range(5)]
    await stores.candidates.save(many)
    expected = sorted(each.id for each in many)
    assert await ids(stores) == expected
    (third,) = (await stores.candidates.fetch([expected[2]])).values()
    later = await stores.candidates.candidates(limit=3, after=Cursor.behind(third))
    assert [each.id for each in later] == expected[3:6]


@pytest.mark.requirement("ruling:F.7a")
async def test_of_each_thought_it_is_known_how_many_candidates_no_human_has_decided(stores: Stores) -> None:
    on_both = (Provenance(thought_id="t:1", start=0, end=5), Provenance(thought_id="t:2", start=0, end=5))
    twice = (Provenance(thought_id="t:2", start=0, end=5), Provenance(thought_id="t:2", start=7, end=9))
    decided: dict[str, object] = {"status": CandidateStatus.REJECTED, "decided_at": NOON}
    await stores.candidates.save(
        [
            person("Ada", provenance=on_both),
            edge(provenance=twice),
            person("Ben", **decided, decided_by=Origin.HUMAN),
            person("Cleo", **decided, decided_by=Origin.TOOL, is_private=True),
            person(
                "Dora", provenance=(Provenance(thought_id="t:4", start=0, end=5),), **decided, decided_by=Origin.HUMAN
            ),
        ]
    )
    asked = ["t:1", "t:2", "t:1", "t:3", "t:4", "", *(f"t:none-{n}" for n in range(1100))]
    assert await stores.candidates.undecided(asked) == {"t:1": 2, "t:2": 2}
    assert await stores.candidates.undecided(["t:2"]) == {"t:2": 2}
    assert await stores.candidates.undecided([]) == {}


async def test_removing_is_final_and_twice_is_no_error(stores: Stores) -> None:
    await stores.candidates.save([ADA, EDGE])
    await stores.candidates.save([], removed=[ADA.id, EDGE.id, "c:none"])
    await stores.candidates.save([], removed=[ADA.id])
    assert await ids(stores) == []
    assert await stores.maintenance.verify() == []
    (again,) = await stores.candidates.save([ADA])
    assert again.revision == 1


async def test_a_backup_holds_candidates_with_what_was_decided(stores: Stores, second: Stores, tmp_path: Path) -> None:
    kept = await stores.candidates.save([*EVERYTHING, *full_candidates()])
    await stores.candidates.save([rejected(kept[0])])
    expected = await stores.candidates.candidates(limit=99)
    report = await stores.maintenance.backup(str(tmp_path / "backup"))
    assert report.rows == len(expected)
    await second.maintenance.restore(str(tmp_path / "backup"))
    assert await second.candidates.candidates(limit=99) == expected
    assert await second.maintenance.verify() == []
    with pytest.raises(InvalidParams, match="not empty"):
        await second.maintenance.restore(str(tmp_path / "backup"))


@pytest.mark.requirement("promise:6", "ruling:C10")
async def test_what_rests_on_private_thoughts_alone_by_now_is_not_counted_where_private_ones_are_not_wanted(
    stores: Stores,
) -> None:
    shown, hidden = thought("shown"), thought("hidden", is_private=True)
    await stores.memory.write(WriteBatch(rows=(shown, hidden)))
    on = {name: tuple(Provenance(thought_id=each, start=0, end=1) for each in ids) for name, ids in RESTING.items()}
    await stores.candidates.save([person(name, provenance=spans) for name, spans in on.items()])
    await stores.candidates.save([edge(provenance=on["Became private"]), person("Private", is_private=True)])
    assert await stores.candidates.count(CandidateFilter(include_private=False)) == 4
    assert await stores.candidates.count(CandidateFilter(include_private=False, kind=CandidateKind.RELATION)) == 0
    assert await stores.candidates.count() == len(RESTING) + 2


RESTING = {
    "Shown": ("t:shown",),
    "Both": ("t:shown", "t:hidden"),
    "Became private": ("t:hidden", "t:gone"),
    "Gone": ("t:gone",),
    "Nothing": (),
}
