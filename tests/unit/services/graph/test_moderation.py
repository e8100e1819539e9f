"""Moderation: candidates beside their words, batches whole or not at all, and what a person decides stays decided."""

from dataclasses import replace

import numpy as np
import pytest

from played_turns import MoodyEmbedder
from staged_memory import ADA, EVERYTHING, PEOPLE, SECRET, WORKS, Found, FoundEdge, World, spot, world
from store_values import entity, observation, thought
from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.review.candidates import Candidate, CandidateKind, CandidateStatus, Cursor
from voice.core.graph.review.decisions import Alias, Approve, Changes, Edit, Reject
from voice.core.records import EmbeddingStatus, Observation, Origin, Provenance, Relation, VectorRow
from voice.ports.review_stores import ALL_CANDIDATES, CandidateFilter
from voice.ports.stores import WriteBatch
from voice.services.graph.moderation import MAX_VERDICTS

MORE = thought("more", "Kiln Co moved.")
ADA_WHOLE = (Provenance(thought_id=ADA.id, start=0, end=len(ADA.content)),)
SAID = ("Ada Lund was there.", "They saw Ada Lund.", "Ada Lund left.", "Ada Lund came back.")
PENDING = CandidateFilter(status=CandidateStatus.PENDING)


async def staged(embedder: MoodyEmbedder | None = None) -> tuple[World, dict[str, str]]:
    """Return a memory in which Ada, her company and her work wait; and the candidates' ids by first name."""
    it = await world(ADA, SECRET, embedder=embedder)
    await it.staging.stage(PEOPLE, [WORKS], limits=EVERYTHING)
    found = await it.stores.candidates.candidates(limit=9)
    return it, {("works" if each.kind is CandidateKind.RELATION else each.names[0]): each.id for each in found}


def approve(*ids: str) -> list[Approve]:
    return [Approve(candidate_id=each) for each in ids]


@pytest.mark.requirement("ruling:F.4", "s1:moderation:promote")
async def test_a_batch_is_one_transaction_of_rows_and_candidates() -> None:
    it, ids = await staged()
    before = (await it.stores.memory.head()).last_seq
    done = await it.moderation.decide(approve(*ids.values()), by=Origin.HUMAN)
    assert {step.action for step in done.steps} == {"created"}
    assert (await it.stores.memory.head()).last_seq == before + 6
    assert [node.name for node in await it.stores.graph.names()] != []
    rows = await it.stores.memory.fetch([step.row_id for step in done.steps if step.row_id])
    assert {row.embedding_status for row in rows.values()} == {EmbeddingStatus.READY}
    (works,) = (row for row in rows.values() if isinstance(row, Relation))
    assert {works.source_id, works.target_id} < set(rows)
    assert await it.stores.candidates.count(PENDING) == 0


@pytest.mark.requirement("ruling:F.4")
async def test_a_batch_of_which_one_cannot_be_is_not_carried_out() -> None:
    it, ids = await staged()
    with pytest.raises(InvalidParams, match="not in the graph yet"):
        await it.moderation.decide(approve(ids["ada lund"], ids["works"]), by=Origin.HUMAN)
    with pytest.raises(UnknownId, match="c:none"):
        await it.moderation.decide(approve(ids["ada lund"], "c:none"), by=Origin.HUMAN)
    assert (await it.stores.candidates.count(PENDING), await it.stores.graph.names()) == (3, [])


async def test_a_dry_run_decides_the_same_and_writes_nothing() -> None:
    it, ids = await staged()
    told = await it.moderation.decide(approve(*ids.values()), by=Origin.HUMAN, dry_run=True)
    assert (await it.stores.candidates.count(PENDING), await it.stores.graph.names()) == (3, [])
    done = await it.moderation.decide(approve(*ids.values()), by=Origin.HUMAN)
    assert (told.steps, told.dry_run, done.dry_run) == (done.steps, True, False)


@pytest.mark.requirement("ruling:A21", "ruling:F.4")
@pytest.mark.parametrize("room", [2000, 3, 1])
async def test_what_is_approved_is_linked_to_what_was_distilled_before_and_again_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    it, ids = await staged()
    told = [observation(f"{number}", text, provenance=ADA_WHOLE) for number, text in enumerate((*SAID, "It rained."))]
    await it.stores.memory.write(WriteBatch(rows=tuple(told)))
    monkeypatch.setattr("voice.services.graph.moderation.MAX_BATCH", room)
    monkeypatch.setattr("voice.services.graph.staging.MAX_BATCH", room)
    done = await it.moderation.decide(approve(ids["ada lund"]), by=Origin.HUMAN)
    (ada,) = [step.row_id for step in done.steps]
    rows = await it.stores.memory.fetch([row.id for row in told])
    about = [row.entity_ids for row in rows.values() if isinstance(row, Observation)]
    assert sorted(about) == [(), *[(ada,)] * len(SAID)]
    assert {rows[row.id].embedding_status for row in told[:-1]} == {EmbeddingStatus.READY}
    seq = (await it.stores.memory.head()).last_seq
    again = await it.moderation.decide(approve(ids["ada lund"]), by=Origin.HUMAN)
    assert [step.action for step in again.steps] == ["unchanged"]
    assert (await it.stores.memory.head()).last_seq == seq


@pytest.mark.requirement("ruling:A21", "promise:5")
@pytest.mark.parametrize("room", [2000, 1])
async def test_what_says_the_name_that_it_is_linked_by_keeps_its_vector_and_the_rest_is_encoded_anew(
    monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    embedder = MoodyEmbedder()
    it, ids = await staged(embedder)
    said, meant, waiting = (
        observation(each, text, provenance=ADA_WHOLE)
        for each, text in (("said", "Ada Lund left."), ("meant", "Ada left."), ("waiting", "Ada Lund came."))
    )
    old = VectorRow(row_id=said.id, model="hash", dim=2, data=np.array([1, 0], "<f4").tobytes())
    vectors = (old, replace(old, row_id=meant.id))
    await it.stores.memory.write(WriteBatch(rows=(said, meant, waiting), vectors=vectors))
    monkeypatch.setattr("voice.services.graph.moderation.MAX_BATCH", room)
    monkeypatch.setattr("voice.services.graph.staging.MAX_BATCH", room)
    done = await it.moderation.decide(approve(ids["ada lund"]), by=Origin.HUMAN)
    (ada,) = [step.row_id for step in done.steps]
    held = {change.row_id: change for change in await it.stores.memory.changes(0, 99)}
    rows = [held[each.id].row for each in (said, meant, waiting)]
    assert {row.entity_ids for row in rows if isinstance(row, Observation)} == {(ada,)}
    assert held[said.id].vector == old
    assert [text.split("] ")[-1] for text in embedder.texts[1:]] == ["Ada left. (Ada Lund)", "Ada Lund came."]


async def test_of_what_was_decided_only_names_are_looked_up_that_no_entity_bears(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    it, ids = await staged()
    asked: list[CandidateFilter] = []
    listed = it.stores.candidates.candidates

    async def listing(where: CandidateFilter, *, limit: int, after: Cursor | None = None) -> list[Candidate]:
        asked.append(where)
        return await listed(where, limit=limit, after=after)

    monkeypatch.setattr(it.stores.candidates, "candidates", listing)
    await it.moderation.decide(approve(ids["ada lund"], ids["kiln co"]), by=Origin.HUMAN)
    await it.moderation.decide(approve(ids["works"]), by=Origin.HUMAN)
    assert [where.named for where in asked] == [("ada",)]


@pytest.mark.requirement("ruling:F.4")
async def test_a_relation_can_bring_the_entities_along_that_wait_for_its_ends() -> None:
    it = await world(ADA)
    edge = FoundEdge(source="Ada Lund", target="Kiln Co", mentions=spot(ADA, "Ada Lund"))
    await it.staging.stage(PEOPLE, [edge], limits=EVERYTHING)
    (found,) = await it.stores.candidates.candidates(CandidateFilter(kind=CandidateKind.RELATION), limit=9)
    done = await it.moderation.decide(approve(found.id), by=Origin.HUMAN, with_ends=True)
    assert [step.action for step in done.steps] == ["created"] * 3
    assert done.steps[-1].candidate_id == found.id
    again = await it.moderation.decide(approve(found.id), by=Origin.HUMAN, with_ends=True)
    assert [step.action for step in again.steps] == ["unchanged"]


@pytest.mark.requirement("promise:6", "ruling:C10")
async def test_what_rests_on_a_thought_that_became_private_shows_no_more() -> None:
    it, _ = await staged()
    hidden = replace(ADA, is_private=True, revision=ADA.revision + 1)
    await it.stores.memory.write(WriteBatch(rows=(hidden,)))
    page = await it.moderation.page(replace(PENDING, include_private=False), limit=2)
    assert (page.views, page.next is None, page.total) == ((), False, 0)
    every = await it.moderation.page(PENDING)
    assert (len(every.views), every.total) == (3, 3)


def test_a_filter_by_no_number_is_refused() -> None:
    with pytest.raises(InvalidParams, match="between 0 and 1"):
        CandidateFilter(min_confidence=float("nan"))


@pytest.mark.requirement("ruling:F.4")
@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_only_the_ends_that_an_edit_leaves_are_brought_along(*, in_one_batch: bool) -> None:
    it = await world(ADA)
    edge = FoundEdge(source="Sundays", target="Kiln Co", mentions=spot(ADA, "Ada Lund"))
    junk = Found(name="Sundays", mentions=spot(ADA, "Sundays"))
    await it.staging.stage([*PEOPLE, junk], [edge], limits=EVERYTHING)
    (found,) = await it.stores.candidates.candidates(CandidateFilter(kind=CandidateKind.RELATION), limit=9)
    edits = [Edit(candidate_id=found.id, changes=Changes(source="Ada Lund"))]
    if not in_one_batch:
        await it.moderation.decide(edits, by=Origin.HUMAN)
    verdicts = [*(edits if in_one_batch else []), *approve(found.id)]
    await it.moderation.decide(verdicts, by=Origin.HUMAN, with_ends=True)
    assert sorted(node.name for node in await it.stores.graph.names()) == ["Ada Lund", "Kiln Co"]


async def test_of_several_that_wait_under_one_name_none_is_brought_along() -> None:
    it = await world(ADA)
    twins = [Found(name="Ada", entity_type=kind, mentions=spot(ADA, "Ada")) for kind in ("person", "tool")]
    await it.staging.stage([*twins, PEOPLE[1]], [WORKS], limits=EVERYTHING)
    (found,) = await it.stores.candidates.candidates(CandidateFilter(kind=CandidateKind.RELATION), limit=9)
    with pytest.raises(InvalidParams, match="is not in the graph yet"):
        await it.moderation.decide(approve(found.id), by=Origin.HUMAN, with_ends=True)


async def test_a_name_that_was_put_right_still_stands_for_the_ends_of_relations() -> None:
    it = await world(ADA)
    await it.staging.stage([Found(name="Ada", mentions=spot(ADA, "Ada")), PEOPLE[1]], [WORKS], limits=EVERYTHING)
    ada, co = await it.stores.candidates.candidates(CandidateFilter(kind=CandidateKind.ENTITY), limit=9)
    ada, co = (ada, co) if ada.names == ("ada",) else (co, ada)
    await it.moderation.decide(
        [Edit(candidate_id=ada.id, changes=Changes(name="Ada L.")), *approve(ada.id, co.id)], by=Origin.HUMAN
    )
    (works,) = await it.stores.candidates.candidates(CandidateFilter(kind=CandidateKind.RELATION), limit=9)
    (step,) = (await it.moderation.decide(approve(works.id), by=Origin.HUMAN)).steps
    (row,) = (await it.stores.memory.fetch([step.row_id or ""])).values()
    assert isinstance(row, Relation)
    assert row.source_id == ada.new_row_id


async def test_an_alias_and_an_end_by_id_reach_rows_that_are_there() -> None:
    it, ids = await staged()
    rows = (entity("7", "Ada L.", entity_type="person"), entity("9", "The Company"))
    await it.stores.memory.write(WriteBatch(rows=rows))
    said = [
        Alias(candidate_id=ids["ada lund"], entity_id="e:7"),
        Edit(candidate_id=ids["works"], changes=Changes(target="e:9")),
        *approve(ids["works"]),
    ]
    done = await it.moderation.decide(said, by=Origin.HUMAN)
    assert [step.action for step in done.steps] == ["aliased", "edited", "created"]
    (_, row) = (await it.stores.memory.fetch(["e:7", done.steps[-1].row_id or ""])).values()
    assert isinstance(row, Relation)
    assert (row.source_id, row.target_id) == ("e:7", "e:9")
    again = await it.moderation.decide(approve(ids["works"]), by=Origin.HUMAN)
    assert again.steps[0].action == "unchanged"


@pytest.mark.requirement("ruling:C17")
async def test_an_encoder_that_is_down_keeps_nobody_from_deciding() -> None:
    embedder = MoodyEmbedder()
    it, ids = await staged(embedder)
    embedder.down = True
    done = await it.moderation.decide(approve(ids["ada lund"]), by=Origin.HUMAN)
    assert (done.unembedded, done.fault) == (1, "the encoder does not answer")
    (row,) = (await it.stores.memory.fetch([done.steps[0].row_id or ""])).values()
    assert row.embedding_status is EmbeddingStatus.PENDING


async def test_too_many_at_once_are_refused() -> None:
    it, ids = await staged()
    with pytest.raises(InvalidParams, match="at most 500"):
        await it.moderation.decide(approve(*[ids["works"]] * (MAX_VERDICTS + 1)), by=Origin.HUMAN)


@pytest.mark.requirement("ruling:F.5")
async def test_each_candidate_is_shown_beside_the_words_it_rests_on() -> None:
    it, ids = await staged()
    page = await it.moderation.page(PENDING)
    view = next(each for each in page.views if each.candidate.id == ids["kiln co"])
    (quote,) = view.quotes
    assert (quote.before, quote.text, quote.after) == (
        "Ada Lund works at ",
        "Kiln Co",
        ". Ada fires the kiln on Sundays.",
    )
    assert (quote.thought_id, view.mentions, page.total, page.next) == (ADA.id, 1, 3, None)


async def test_no_more_than_some_mentions_are_shown_and_all_are_counted() -> None:
    long = thought("long", "Ada. " * 9 + "x" * 28)  # it ends 60 characters behind the third
    it = await world(long)
    spans = tuple(Provenance(thought_id=long.id, start=5 * n, end=5 * n + 3) for n in range(9))
    await it.staging.stage([Found(name="Ada", mentions=spans)], limits=EVERYTHING)
    (view,) = (await it.moderation.page(ALL_CANDIDATES)).views
    shown = [(quote.start, quote.is_more_after) for quote in view.quotes]
    assert (shown, view.mentions) == ([(0, True), (5, True), (10, False)], 9)


@pytest.mark.requirement("ruling:F.5")
async def test_mentions_that_name_it_are_shown_before_those_that_stand_for_it() -> None:
    it = await world(said := thought("said", "We fired it. Then Ada Lund went."))
    we, ada = (Provenance(thought_id=said.id, start=start, end=end) for start, end in ((0, 2), (18, 26)))
    await it.staging.stage([Found(name="Ada Lund", mentions=(we, ada))], limits=EVERYTHING)
    shown = (await it.moderation.page(ALL_CANDIDATES)).views[0].quotes
    assert [quote.text for quote in shown] == ["Ada Lund", "We"]


@pytest.mark.requirement("promise:6")
async def test_private_candidates_and_words_show_only_when_they_are_asked_for() -> None:
    it = await world(ADA, SECRET, MORE)
    await it.staging.stage([Found(name="Cleo", mentions=spot(SECRET, "Cleo")), PEOPLE[0]], limits=EVERYTHING)
    public = CandidateFilter(include_private=False)
    (seen,) = (await it.moderation.page(public)).views
    assert seen.candidate.names == ("ada lund",)
    assert (await it.moderation.page(ALL_CANDIDATES)).total == 2
    hidden = thought("ada", ADA.content, is_private=True, revision=2)
    await it.stores.memory.write(WriteBatch(rows=(hidden,)))
    assert (await it.moderation.page(public)).views == ()
    both = Found(name="Kiln Co", mentions=(*spot(ADA, "Kiln Co"), *spot(MORE, "Kiln Co")))
    await it.stores.memory.write(WriteBatch(rows=(thought("ada", ADA.content, revision=3),)))
    await it.staging.stage([both], limits=EVERYTHING)
    await it.stores.memory.write(WriteBatch(rows=(replace(hidden, revision=4),)))
    (seen,) = (await it.moderation.page(public)).views
    assert ([quote.thought_id for quote in seen.quotes], seen.mentions) == ([MORE.id], 1)


async def test_pages_go_on_where_the_last_one_ended_whatever_is_decided_in_between() -> None:
    it, _ = await staged()
    first = await it.moderation.page(PENDING, limit=2)
    assert (len(first.views), first.total) == (2, 3)
    await it.moderation.decide([Reject(candidate_id=each.candidate.id) for each in first.views], by=Origin.HUMAN)
    assert isinstance(first.next, Cursor)
    rest = await it.moderation.page(PENDING, limit=2, after=first.next)
    assert (len(rest.views), rest.total, rest.next) == (1, 1, None)


@pytest.mark.parametrize("limit", [0, 201])
async def test_a_page_of_no_or_too_many_candidates_is_refused(limit: int) -> None:
    it, _ = await staged()
    with pytest.raises(InvalidParams, match="from 1 to 200"):
        await it.moderation.page(PENDING, limit=limit)


@pytest.mark.requirement("ruling:I5:queue")
async def test_a_program_pages_through_all_that_waits_by_weight_and_through_the_rest_as_it_was_found() -> None:
    it = await world(ADA)
    found = [Found(name=name, mentions=spot(ADA, "Ada")) for name in ("Ada", "Beth", "Carla")]
    await it.staging.stage(found, limits=EVERYTHING)
    first = await it.moderation.listed(PENDING, limit=2)
    rest = await it.moderation.listed(PENDING, limit=2, after=str(first.next))
    assert (len(first.views), len(rest.views), rest.next, first.total) == (2, 1, None, 3)
    every = await it.moderation.listed(ALL_CANDIDATES, limit=2)
    assert len((await it.moderation.listed(ALL_CANDIDATES, limit=2, after=str(every.next))).views) == 1
    with pytest.raises(InvalidParams, match="not a place in the list"):
        await it.moderation.listed(PENDING, limit=2, after=str(every.next))
