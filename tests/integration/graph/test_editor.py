"""The graph by hand: what a person enters is green, says where it came from, and never guesses a name."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from played_turns import FIRED, KILN, MOVED, NOW, MoodyEmbedder, ask, grounded, later, memory, tell
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, UnknownId
from voice.core.records import Entity, Observation, Origin, Provenance, Relation, Scope, TrustTier
from voice.services.graph.editor import Added, Backing, resolve_entity


async def entity(services: Services, name: str, kind: str = "person", **fields: object) -> Entity:
    """Add an entity and return it."""
    made = {"description": "", "aliases": (), "backing": Backing(), **fields}
    row = (await services.graph_editor.add_entity(name, entity_type=kind, **made)).row  # pyright: ignore[reportArgumentType]
    assert isinstance(row, Entity)
    return row


@pytest.mark.requirement("ruling:C10", "ruling:C19")
async def test_what_a_person_enters_is_green_stored_as_given_and_evidence_at_once(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        marta = await entity(services, " Marta \n Keller ", aliases=[" Auntie ", "Auntie"], description=" a  potter ")
        kiln = await entity(services, "The kiln", "tool")
        fires = await services.graph_editor.add_relation(
            "auntie", "fires up", kiln.id, description="on Sundays in the shed", backing=Backing()
        )
        said = await services.graph_editor.add_observation(
            f" {MOVED}\n", about=["Marta Keller", "AUNTIE", "The Kiln"], backing=Backing()
        )
        stored = await services.store.fetch([marta.id, kiln.id, fires.row.id, said.row.id])
        turn = await ask(services, "Where does Marta fire up the kiln in the shed?")
    assert (marta.name, marta.aliases, marta.description) == ("Marta Keller", ("Auntie",), "a potter")
    assert isinstance(fires.row, Relation)
    assert (fires.row.source_id, fires.row.rel_type, fires.row.target_id) == (marta.id, "fires_up", kiln.id)
    assert isinstance(said.row, Observation)
    assert (said.row.text, said.row.entity_ids) == (MOVED, (marta.id, kiln.id))
    assert all(replace(stored[row.id], seq=0, embedding_status=row.embedding_status) == row
               for row in (marta, kiln, fires.row, said.row))  # fmt: skip
    assert {row.trust for row in (marta, kiln, fires.row, said.row)} == {TrustTier.GREEN}
    assert turn.plan is not None
    assert {"kg_relation", "kg_observation"} <= {row.source_type for row in turn.plan.evidence}
    assert kiln.id not in {row.row_id for row in turn.plan.evidence if row.text == "The kiln (tool)"}


@pytest.mark.requirement("ruling:C10")
async def test_a_row_inherits_privacy_tags_date_and_scope_from_the_thoughts_behind_it(tmp_path: Path) -> None:
    scope = Scope(repo_id="/home")
    async with memory(tmp_path) as services:
        (early,) = await tell(services, MOVED, created_at=later(days=-9), tags=("a",), scope=scope)
        (secret,) = await tell(services, FIRED, created_at=later(days=-3), tags=("b",), is_private=True, scope=scope)
        backing = Backing(thought_ids=(early, secret, early), tags=("c",))
        row = (await services.graph_editor.add_observation("The kiln is old.", about=[], backing=backing)).row
        dated = replace(backing, created_at=NOW, valid_from=NOW, valid_until=later(days=1))
        other = (await services.graph_editor.add_observation("The kiln is new.", about=[], backing=dated)).row
        hidden = Backing(is_private=True)
        await services.graph_editor.add_entity("Zelda", entity_type="x", description="", aliases=(), backing=hidden)
        hers = (await services.graph_editor.add_observation("She paints.", about=["Zelda"], backing=Backing())).row
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
    tmp_path: Path, thought: Origin | None, entered: Origin, trust: TrustTier
) -> None:
    async with memory(tmp_path) as services:
        ids = await tell(services, MOVED, origin=thought) if thought else ()
        backing = Backing(thought_ids=ids, origin=entered)
        row = (await services.graph_editor.add_observation("The kiln is old.", about=[], backing=backing)).row
    assert (row.trust, row.origin) == (trust, entered)


@pytest.mark.requirement("ruling:C13", "ruling:F.5")
async def test_a_quote_is_the_span_of_its_thought(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        moved, fired = await tell(services, MOVED, FIRED)
        editor = services.graph_editor
        backing = Backing(thought_ids=(moved,), quote="behind the house")
        row = (await editor.add_observation("The shed is there.", about=[], backing=backing)).row
        for wrong in (
            replace(backing, quote="beside the house"),
            replace(backing, quote=""),
            replace(backing, quote="  "),
            replace(backing, thought_ids=(moved, fired)),
            replace(backing, thought_ids=()),
        ):
            with pytest.raises(InvalidParams, match="quote"):
                await editor.add_observation("The shed is there.", about=[], backing=wrong)
        assert (await services.store.status()).rows["kg_observations"] == 3  # pyright: ignore[reportArgumentType]
    (span,) = row.provenance
    assert MOVED[span.start : span.end] == "behind the house"


@pytest.mark.requirement("promise:6")
async def test_a_name_that_means_nobody_or_several_is_an_error_that_says_which(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        first = await entity(services, "Marta")
        second = await entity(services, "marta", "cat")
        alias = await entity(services, "Jonas", aliases=["Bear"])
        await entity(services, "Bear", "animal")
        await entity(services, "Zelda", aliases=["Puss"], backing=Backing(is_private=True))
        tom = await entity(services, "Tom", aliases=["puss"])
        editor = services.graph_editor
        with pytest.raises(InvalidParams) as several:
            await editor.add_observation("She sings.", about=["MARTA"], backing=Backing())
        with pytest.raises(UnknownId, match="kg add entity"):
            await editor.add_relation("Nobody", "knows", "Jonas", description="", backing=Backing())
        with pytest.raises(InvalidParams) as hidden:
            await editor.add_relation("Jonas", "feeds", "Puss", description="", backing=Backing(is_private=True))
        fed = (await editor.add_relation("Jonas", "feeds", "Puss", description="", backing=Backing())).row
        assert isinstance(fed, Relation)
        assert (fed.target_id, fed.is_private) == (tom.id, False)
        with pytest.raises(UnknownId, match="there is no thought"):
            await editor.add_observation("x y z", about=[], backing=Backing(thought_ids=(first.id,)))
        entities = await services.graph.names()
    assert all(each in str(several.value) for each in (first.id, second.id, "cat"))
    assert ("Zelda" in str(hidden.value), "Tom" in str(hidden.value)) == (False, True)
    assert resolve_entity(second.id, entities) == next(each for each in entities if each.id == second.id)
    assert resolve_entity("jonas", entities).id == alias.id
    assert resolve_entity("bear", entities).entity_type == "animal"


async def test_what_says_nothing_or_is_there_already_is_refused(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        marta = await entity(services, "Marta")
        editor = services.graph_editor
        with pytest.raises(InvalidParams, match=marta.id):
            await entity(services, " MARTA ", "Person")
        for name, kind, alias in (
            ("", "person", "a"),
            ("\x00 ", "person", "a"),
            ("Ada", " ", "a"),
            ("Ada", "person", ""),
        ):
            with pytest.raises(InvalidParams, match="must not be empty"):
                await entity(services, name, kind, aliases=[alias])
        with pytest.raises(InvalidParams, match="empty"):
            await editor.add_observation(" \n", about=["Marta"], backing=Backing())
        with pytest.raises(InvalidParams, match="relation's type"):
            await editor.add_relation("Marta", " ", "Marta", description="", backing=Backing())
        assert len(await services.graph.names()) == 1


@pytest.mark.requirement("ruling:C17")
async def test_a_row_by_hand_is_stored_though_the_encoder_fails(tmp_path: Path) -> None:
    embedder = MoodyEmbedder()
    async with memory(tmp_path, embedder=embedder) as services:
        embedder.down = True
        added: Added = await services.graph_editor.add_observation(MOVED, about=[], backing=Backing())
        assert added.row.id in await services.store.fetch([added.row.id])
        embedder.down = False
        assert await services.ingest.embed_pending(limit=5) == 1
    assert added.fault == "the encoder does not answer"


async def test_later_thoughts_know_the_entity_by_its_alias(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        marta = await entity(services, "Marta Keller", aliases=["Auntie"])
        await tell(services, "Auntie fired the kiln on Sunday.", *KILN)
        changes = await services.store.changes(0, 1000)
    named = [change.row for change in changes if isinstance(change.row, Observation) and change.row.entity_ids]
    assert [(row.text, row.entity_ids) for row in named if "Auntie" in row.text] == [
        ("Auntie fired the kiln on Sunday.", (marta.id,))
    ]
    assert datetime(2026, 3, 20, 18, tzinfo=UTC) == NOW
