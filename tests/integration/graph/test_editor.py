"""The graph by hand: what a person enters is green, says where it came from, and never guesses a name."""

from dataclasses import replace
from pathlib import Path

import pytest

from graph_by_hand import entity, observation, relation
from played_turns import FIRED, MOVED, NOW, ask, grounded, later, memory, tell
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, UnknownId
from voice.core.records import Origin, Provenance, Scope, TrustTier
from voice.services.graph.editor import resolve_entity


@pytest.mark.requirement("ruling:C10", "ruling:C19")
async def test_what_a_person_enters_is_green_stored_as_given_and_evidence_at_once(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        marta = await entity(services, " Marta \n Keller ", "person", " a  potter ", aliases=[" Auntie ", "Auntie"])
        kiln = await entity(services, "The kiln", "tool")
        fires = await relation(services, "auntie", "fires up", kiln.id, "on Sundays in the shed")
        said = await observation(services, f" {MOVED}\n", "Marta Keller", "AUNTIE", "The Kiln")
        rows = (marta, kiln, fires, said)
        stored = await services.store.fetch([row.id for row in rows])
        turn = await ask(services, "Where does Marta fire up the kiln in the shed?")
    assert (marta.name, marta.aliases, marta.description) == ("Marta Keller", ("Auntie",), "a potter")
    assert (fires.source_id, fires.rel_type, fires.target_id) == (marta.id, "fires_up", kiln.id)
    assert (said.text, said.entity_ids) == (MOVED, (marta.id, kiln.id))
    assert all(replace(stored[row.id], seq=0, embedding_status=row.embedding_status) == row for row in rows)
    assert {row.trust for row in rows} == {TrustTier.GREEN}
    assert turn.plan is not None
    assert {"kg_relation", "kg_observation"} <= {row.source_type for row in turn.plan.evidence}
    assert kiln.id not in {row.row_id for row in turn.plan.evidence if row.text == "The kiln (tool)"}


@pytest.mark.requirement("ruling:C10")
async def test_a_row_inherits_privacy_tags_date_and_scope_from_the_thoughts_behind_it(services: Services) -> None:
    scope = Scope(repo_id="/home")
    (early,) = await tell(services, MOVED, created_at=later(days=-9), tags=("a",), scope=scope)
    (secret,) = await tell(services, FIRED, created_at=later(days=-3), tags=("b",), is_private=True, scope=scope)
    backing = {"thought_ids": (early, secret, early), "tags": ("c",)}
    row = await observation(services, "The kiln is old.", **backing)
    dated = {"created_at": NOW, "valid_from": NOW, "valid_until": later(days=1)}
    other = await observation(services, "The kiln is new.", **backing, **dated)
    await entity(services, "Zelda", is_private=True)
    hers = await observation(services, "She paints.", "Zelda")
    assert row.is_private
    assert hers.is_private
    assert (row.tags, row.scope, row.created_at) == (("a", "b", "c"), scope, later(days=-9))
    assert row.provenance == (
        Provenance(thought_id=early, start=0, end=len(MOVED)),
        Provenance(thought_id=secret, start=0, end=len(FIRED)),
    )
    assert (other.created_at, other.valid_from, other.valid_until) == (NOW, NOW, later(days=1))


@pytest.mark.requirement("ruling:C10", "ruling:H.3")
@pytest.mark.parametrize(
    ("thought", "entered", "trust"),
    [
        (Origin.TOOL, Origin.HUMAN, TrustTier.GREEN),
        (Origin.MODEL, Origin.TOOL, TrustTier.RED),
        (Origin.HUMAN, Origin.TOOL, TrustTier.GREEN),
        (None, Origin.TOOL, TrustTier.AMBER),
        (None, Origin.HUMAN, TrustTier.GREEN),
    ],
)
async def test_trust_is_the_persons_or_the_lowest_of_the_thoughts(
    services: Services, thought: Origin | None, entered: Origin, trust: TrustTier
) -> None:
    ids = await tell(services, MOVED, origin=thought) if thought else ()
    row = await observation(services, "The kiln is old.", thought_ids=ids, origin=entered)
    assert (row.trust, row.origin) == (trust, entered)


@pytest.mark.requirement("ruling:C13", "ruling:F.5")
async def test_a_quote_is_the_span_of_its_thought(services: Services) -> None:
    moved, fired = await tell(services, MOVED, FIRED)
    said, words = "The shed is there.", "behind the house"
    row = await observation(services, said, thought_ids=(moved,), quote=words)
    for quote in ("beside the house", "", "  "):
        with pytest.raises(InvalidParams, match="quote"):
            await observation(services, said, thought_ids=(moved,), quote=quote)
    for thought_ids in ((moved, fired), ()):
        with pytest.raises(InvalidParams, match="quote"):
            await observation(services, said, thought_ids=thought_ids, quote=words)
    assert (await services.store.status()).rows["kg_observations"] == 3  # pyright: ignore[reportArgumentType]
    (span,) = row.provenance
    assert MOVED[span.start : span.end] == words


@pytest.mark.requirement("promise:6")
async def test_a_name_that_means_nobody_or_several_is_an_error_that_says_which(services: Services) -> None:
    first = await entity(services, "Marta")
    second = await entity(services, "marta", "cat")
    alias = await entity(services, "Jonas", aliases=["Bear"])
    await entity(services, "Bear", "animal")
    await entity(services, "Zelda", aliases=["Puss"], is_private=True)
    tom = await entity(services, "Tom", aliases=["puss"])
    with pytest.raises(InvalidParams) as several:
        await observation(services, "She sings.", "MARTA")
    with pytest.raises(UnknownId, match="kg add entity"):
        await relation(services, "Nobody", "knows", "Jonas")
    with pytest.raises(InvalidParams) as hidden:
        await relation(services, "Jonas", "feeds", "Puss", is_private=True)
    fed = await relation(services, "Jonas", "feeds", "Puss")
    assert (fed.target_id, fed.is_private) == (tom.id, False)
    with pytest.raises(UnknownId, match="there is no thought"):
        await observation(services, "x y z", thought_ids=(first.id,))
    entities = await services.graph.names()
    assert all(each in str(several.value) for each in (first.id, second.id, "cat"))
    assert ("Zelda" in str(hidden.value), "Tom" in str(hidden.value)) == (False, True)
    assert resolve_entity(second.id, entities) == next(each for each in entities if each.id == second.id)
    assert resolve_entity("jonas", entities).id == alias.id
    assert resolve_entity("bear", entities).entity_type == "animal"


async def test_what_says_nothing_or_is_there_already_is_refused(services: Services) -> None:
    marta = await entity(services, "Marta")
    with pytest.raises(InvalidParams, match=marta.id):
        await entity(services, " MARTA ", "Person")
    for name, kind, alias in (("", "person", "a"), ("\x00 ", "person", "a"), ("Ada", " ", "a"), ("Ada", "person", "")):
        with pytest.raises(InvalidParams, match="must not be empty"):
            await entity(services, name, kind, aliases=[alias])
    with pytest.raises(InvalidParams, match="empty"):
        await observation(services, " \n", "Marta")
    with pytest.raises(InvalidParams, match="relation's type"):
        await relation(services, "Marta", " ", "Marta")
    assert len(await services.graph.names()) == 1
