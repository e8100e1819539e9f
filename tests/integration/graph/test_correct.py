"""A correction supersedes: the old value stays, and whatever rests on it follows."""

import pytest

from graph_by_hand import entity, relation
from played_turns import NOW, later, row_of, tell
from voice.bootstrap import Services
from voice.core.recall.pins import PinRequest
from voice.core.recall.values import Pin
from voice.core.records import Entity, Observation, Origin, Relation, RowStatus, Scope, Thought, TrustTier
from voice.ports.review_stores import CandidateFilter
from voice.services.graph.correct import PINNED_BEFORE, CorrectRequest

pytestmark = pytest.mark.requirement("ruling:F.6")
NOTE = "Marta lives in Porto. The kiln stands in the shed."
MOVED_OUT = "Marta lives in Lisbon. The kiln stands in the shed."


async def said_of(services: Services, thought_id: str) -> dict[str, Observation]:
    rows = await services.graph.derived_from([thought_id])
    return {each.text: each for each in rows if isinstance(each, Observation)}


async def test_a_corrected_thought_stays_superseded_and_what_was_distilled_from_it_follows(services: Services) -> None:
    (old,) = await tell(services, NOTE, tags=("home",), source_ref="diary.md")
    request = CorrectRequest(row_id=old, text=MOVED_OUT, reason=" she \n moved ", since=later(days=3))
    done = await services.correcting(request)
    was, now = await row_of(services, old, Thought), await row_of(services, done.row_id, Thought)
    before, after = await said_of(services, old), await said_of(services, now.id)
    assert (was.content, was.status, was.superseded_by) == (NOTE, RowStatus.SUPERSEDED, now.id)
    assert (was.superseded_at, was.superseded_reason, was.superseded_author) == (NOW, "she moved", Origin.HUMAN)
    assert (now.content, now.tags, now.source_ref, now.status) == (MOVED_OUT, ("home",), "diary.md", RowStatus.ACTIVE)
    assert (now.created_at, now.recorded_at, now.superseded_at) == (later(days=3), NOW, None)
    assert {text: each.status for text, each in before.items()} == dict.fromkeys(before, RowStatus.SUPERSEDED)
    assert set(done.superseded) == {each.id for each in before.values()}
    porto, lisbon = before["Marta lives in Porto."], after["Marta lives in Lisbon."]
    assert (porto.superseded_by, porto.valid_until) == (lisbon.id, later(days=3))
    assert lisbon.valid_from == later(days=3)
    kiln = "The kiln stands in the shed."
    assert before[kiln].superseded_by == after[kiln].id
    assert all(each.status is RowStatus.ACTIVE for each in after.values())


async def test_a_corrected_statement_is_the_persons_own_and_leaves_its_note_alone(services: Services) -> None:
    people = [(await entity(services, name)).id for name in ("Marta", "Rui", "Ana")]
    (note,) = await tell(services, "Marta lives in Porto with Rui.")
    (told,) = (await said_of(services, note)).values()
    assert told.entity_ids == tuple(people[:2])
    request = CorrectRequest(row_id=told.id, text=" Marta lives in Lisbon with Ana. ", until=later(days=9))
    done = await services.correcting(request)
    now, thought = await row_of(services, done.row_id, Observation), await row_of(services, note, Thought)
    found = await services.graph.observations_of([people[2]])
    assert (now.text, now.entity_ids) == ("Marta lives in Lisbon with Ana.", (people[0], people[2]))
    assert (now.provenance, now.trust, now.created_at) == ((), TrustTier.GREEN, told.created_at)
    assert (now.valid_from, now.valid_until) == (None, later(days=9))
    assert thought.status is RowStatus.ACTIVE
    assert [each.id for each in found] == [now.id]


async def test_what_a_private_thought_said_stays_private_in_other_words(services: Services) -> None:
    (note,) = await tell(services, "Marta lives in Porto now.", is_private=True)
    (told,) = (await said_of(services, note)).values()
    done = await services.correcting(CorrectRequest(row_id=told.id, text="Marta lives in Lisbon now."))
    again = await services.correcting(CorrectRequest(row_id=note, text="Marta lived in Porto then."))
    assert (await row_of(services, done.row_id, Observation)).is_private
    assert (await row_of(services, again.row_id, Thought)).is_private


async def test_an_edge_points_elsewhere_and_a_node_is_described_anew_under_its_own_id(services: Services) -> None:
    anna, kiln, clay = [await entity(services, name, "thing", "Old.") for name in ("Anna", "Kiln Co", "Clay Co")]
    works = await relation(services, anna.id, "works at", kiln.id, valid_from=NOW)
    moved = CorrectRequest(row_id=works.id, target="clay co", since=later(days=30), reason="new job")
    edge = await row_of(services, (await services.correcting(moved)).row_id, Relation)
    described = await services.correcting(CorrectRequest(row_id=clay.id, text="A pottery."))
    was, node = await row_of(services, works.id, Relation), await row_of(services, clay.id, Entity)
    past = await row_of(services, described.replaced, Entity)
    live = await services.graph.relations_of([anna.id])
    assert (edge.target_id, edge.valid_from, was.target_id) == (clay.id, later(days=30), kiln.id)
    assert (was.valid_from, was.valid_until, was.superseded_by) == (NOW, later(days=30), edge.id)
    assert [each.id for each in live] == [edge.id]
    assert (described.row_id, node.description, node.status) == (clay.id, "A pottery.", RowStatus.ACTIVE)
    assert (past.description, past.status, past.superseded_by) == ("Old.", RowStatus.SUPERSEDED, clay.id)


async def test_a_correction_that_is_repeated_writes_no_row_and_finishes_what_was_interrupted(
    services: Services,
) -> None:
    request = CorrectRequest(row_id="t:old", text=MOVED_OUT)
    await tell(services, NOTE, id="t:old")
    first = await services.correcting(request)
    rows = (await services.store.status()).rows
    # a process that died before the pins were moved leaves one behind
    await services.pins.held.save_pin(Pin(id="p:1", target_id="t:old", reason="Porto!", created_at=NOW))
    again = await services.correcting(request)
    assert (await services.store.status()).rows == rows
    (view,) = (await services.pins.listed(scope=Scope.ALL)).pins
    assert (again.row_id, again.replaced, again.is_repeated, again.pins) == (first.row_id, "t:old", True, 1)
    assert (view.pin.target_id, view.pin.reason) == (first.row_id, PINNED_BEFORE)


async def waiting(services: Services, *, include_private: bool = False) -> dict[tuple[str, ...], list[str]]:
    page = await services.review.moderation.page(CandidateFilter(include_private=include_private))
    return {view.candidate.names: [quote.thought_id for quote in view.quotes] for view in page.views}


async def test_what_waits_for_review_follows_and_goes_with_words_that_were_taken_back(services: Services) -> None:
    (old,) = await tell(services, "Ada Lund works at Kiln Co. Anna Berg works at Clay Co.")
    await services.extracting.stage_stored()
    assert ("anna berg", "clay co") in await waiting(services)
    request = CorrectRequest(row_id=old, text="Ada Lund works at Kiln Co. Nobody else does.")
    await services.correcting(request, dry_run=True)
    assert ("anna berg", "clay co") in await waiting(services)
    done = await services.correcting(request)
    left = await waiting(services)
    assert (set(left), set(map(tuple, left.values()))) == (
        {("ada lund",), ("kiln co",), ("ada lund", "kiln co")},
        {(done.row_id,)},
    )
    assert (await services.correcting(request)).is_repeated
    assert await waiting(services) == left


async def test_what_waits_of_a_note_that_became_private_shows_no_more(services: Services) -> None:
    (old,) = await tell(services, "Ada Lund works at Kiln Co.")
    await tell(services, "Kiln Co moved.")
    await services.extracting.stage_stored()
    await services.correcting(CorrectRequest(row_id=old, text="Ada Lund works at Kiln Co, she says.", is_private=True))
    assert set(await waiting(services)) <= {("kiln co",)}
    assert ("ada lund", "kiln co") in await waiting(services, include_private=True)


async def test_where_the_new_value_is_pinned_already_the_old_pin_goes(services: Services) -> None:
    await tell(services, NOTE, id="t:old")
    done = await services.correcting(CorrectRequest(row_id="t:old", text=MOVED_OUT))
    pin = await services.pins.pin(PinRequest(target_id=done.row_id, reason="now"))
    await services.pins.held.save_pin(Pin(id="p:1", target_id="t:old", reason="Porto!", created_at=NOW))
    await services.correcting(CorrectRequest(row_id="t:old", text=MOVED_OUT))
    (view,) = (await services.pins.listed(scope=Scope.ALL)).pins
    assert (view.pin.id, view.pin.reason) == (pin.id, "now")


async def test_a_dry_run_says_what_would_follow_and_writes_nothing(services: Services) -> None:
    (old,) = await tell(services, NOTE)
    await services.pins.pin(PinRequest(target_id=old, reason="Porto!"))
    head = await services.store.head()
    told = await services.correcting(CorrectRequest(row_id=old, text=MOVED_OUT), dry_run=True)
    assert (await services.store.head()).last_seq == head.last_seq
    (view,) = (await services.pins.listed(scope=Scope.ALL)).pins
    done = await services.correcting(CorrectRequest(row_id=old, text=MOVED_OUT))
    repeated = await services.correcting(CorrectRequest(row_id=old, text=MOVED_OUT), dry_run=True)
    assert (told.superseded, told.pins, told.replaced) == (done.superseded, done.pins, done.replaced)
    assert (view.pin.target_id, repeated.is_repeated) == (old, True)
