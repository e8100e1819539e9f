"""Memory in: nothing a person wrote is lost, and nothing comes in that must not."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graph_by_hand import entity
from played_turns import (
    FIRED,
    GLAZE,
    KILN,
    MOVED,
    NOW,
    ON_DISK,
    MoodyEmbedder,
    ask,
    given,
    grounded,
    memory,
    rows_of,
    tell,
)
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Services
from voice.core.errors import EmbedderUnavailable, InvalidParams
from voice.core.graph.entity_names import KnownNames
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS
from voice.core.records import EmbeddingStatus, Observation, Origin, Thought, Tombstone
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.selection import NO_VECTORS_WARNING
from voice.core.settings.providers import EmbedSettings
from voice.core.settings.values import OrganiseSettings, PrivacySettings
from voice.core.text.normalise import content_hash, keyed_hash
from voice.ports.stores import WriteBatch
from voice.services.memory.ingest import require_content
from voice.services.memory.ingest_values import NewThought


async def found(services: Services, query: str, **fields: object) -> set[str]:
    selection = await services.find(RetrieveRequest(query=query, **fields))  # pyright: ignore[reportArgumentType]
    return {snippet.text for snippet in selection.snippets}


@pytest.mark.requirement("ruling:C17", "promise:3", "s2:dimension:stamp")
async def test_a_row_is_stored_though_the_encoder_fails_and_is_found_once_it_is_embedded(tmp_path: Path) -> None:
    embedder = MoodyEmbedder()
    on_disk = given(store=ON_DISK)
    async with memory(tmp_path, embedder=embedder, settings=on_disk) as services:
        embedder.down = True
        report = await services.ingest.remember([NewThought(content=MOVED, origin=Origin.HUMAN)])
    assert (len(report.stored), report.observations, report.unembedded) == (1, 1, 2)
    assert report.embedder_fault == "the encoder does not answer"
    async with memory(tmp_path, embedder=embedder, settings=on_disk) as services:
        with pytest.raises(EmbedderUnavailable):
            await services.ingest.embed_pending(limit=10)
        assert await found(services, "kiln shed", provider="local-fts", mix=0.0) == {MOVED}
        embedder.down = False
        waiting = await services.find(RetrieveRequest(query="kiln shed"))
        assert {each.text for each in waiting.snippets} == {MOVED}
        assert NO_VECTORS_WARNING in waiting.diagnostics.warnings
        assert await services.ingest.embed_pending(limit=10) == 2
        assert await services.ingest.embed_pending(limit=10) == 0
        assert MOVED in await found(services, "kiln shed")
        rows = await services.store.changes(0, 10)
    assert all(change.row and change.row.embedding_status is EmbeddingStatus.READY for change in rows)
    assert {(change.vector.model, change.vector.dim) for change in rows if change.vector} == {(embedder.model, 128)}


@pytest.mark.requirement("ruling:C17", "s3:dimension:reembed")
async def test_after_a_change_of_encoder_every_row_is_embedded_anew_and_found(tmp_path: Path) -> None:
    settings = given(store=ON_DISK)
    async with memory(tmp_path, embedder=HashedEmbedder(64), settings=settings) as services:
        await tell(services, *KILN)
    embedder = MoodyEmbedder()
    async with memory(tmp_path, embedder=embedder, settings=settings) as services:
        by_words = await services.find(RetrieveRequest(query="kiln shed", mix=1.0))
        assert by_words.snippets
        assert NO_VECTORS_WARNING in by_words.diagnostics.warnings
        assert await services.ingest.embed_pending(limit=100) == 0
        steps: list[int] = []
        assert await services.ingest.reembed(limit=3, progress=steps.append) == 3
        embedder.down = True
        with pytest.raises(EmbedderUnavailable):
            await services.ingest.reembed(limit=100)
        embedder.down = False
        assert await services.ingest.reembed(limit=100, progress=steps.append) == 5
        assert await services.ingest.reembed(limit=100) == 0
        assert (await services.store.status()).encodings == {(embedder.model, 128): 8}
        assert NO_VECTORS_WARNING not in (await services.find(RetrieveRequest(query="kiln shed"))).diagnostics.warnings
    assert steps == [3, 5]


class _Meddled(MoodyEmbedder):
    """While it encodes, what it encodes is changed."""

    def __init__(self) -> None:
        super().__init__()
        self.meddle: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        meddle, self.meddle = self.meddle, None
        if meddle is not None:
            await meddle()
        return await super().embed(texts)


@pytest.mark.requirement("ruling:C17", "ruling:H.7")
@pytest.mark.parametrize("waits", [False, True], ids=["embedded anew", "waiting"])
async def test_what_changes_or_goes_while_it_is_encoded_gets_no_vector_of_what_it_said(
    tmp_path: Path, *, waits: bool
) -> None:
    settings = given(store=ON_DISK, organise=OrganiseSettings(auto_observations="off"))
    before = MoodyEmbedder()
    before.down = waits
    async with memory(tmp_path, embedder=before, settings=settings) as services:
        await tell(services, *KILN)
    embedder = _Meddled()
    embedder.model = "another"
    async with memory(tmp_path, embedder=embedder, settings=settings) as services:
        rows = await rows_of(services, Thought)
        changed, gone, *others = rows
        fresh = replace(changed, content="Nothing of it.", revision=2, embedding_status=EmbeddingStatus.PENDING)
        stone = Tombstone(row_id=gone.id, keyed_hash="x", reason="forgotten", at=NOW)
        embedder.meddle = lambda: services.store.write(WriteBatch(rows=(fresh,), tombstones=(stone,)))
        embed = services.ingest.embed_pending if waits else services.ingest.reembed
        assert await embed(limit=len(rows)) >= len(others)
        await services.ingest.embed_pending(limit=10)
        vectors = {change.row_id: change.vector for change in await services.store.changes(0, 100) if change.vector}
        assert vectors.keys() == {changed.id, *(row.id for row in others)}
        (must_be,) = await embedder.embed([indexed_text(fresh, {})])
        assert vectors[changed.id].data == must_be
        assert await services.maintenance.verify() == []


REMOTE = EmbedSettings(provider="openai", model="text-embedding-3-small", dim=128)


@pytest.mark.requirement("ruling:H.6", "ruling:C17", "promise:6")
async def test_private_rows_go_to_an_encoder_elsewhere_only_with_consent(tmp_path: Path) -> None:
    embedder = MoodyEmbedder("openai")
    settings = given(store=ON_DISK, embed=REMOTE)
    secret = [f"The emerald ring number {n} lies under the kiln." for n in range(3)]
    async with memory(tmp_path, embedder=embedder, settings=settings) as services:
        await tell(services, *KILN)
        made = [NewThought(content=text, origin=Origin.HUMAN, is_private=True) for text in secret]
        report = await services.ingest.remember(made)
        assert (report.unembedded, await services.ingest.embed_pending(limit=100)) == (6, 0)
        embedder.down = True
        await tell(services, "The kiln is blue.")
        embedder.down = False
        assert await services.ingest.embed_pending(limit=1) == 1
        assert await services.ingest.embed_pending(limit=100) == 1
        shown = await found(services, "emerald ring", provider="local-fts", include_private=True)
    assert "SURR_ALLOW_PRIVATE_REMOTE=1" in (report.embedder_fault or "")
    assert set(secret) <= shown
    assert not any("emerald" in text and "lies" in text for text in embedder.texts)
    consented = replace(settings, privacy=PrivacySettings(allow_private_remote=True))
    async with memory(tmp_path, embedder=embedder, settings=consented) as services:
        assert await services.ingest.embed_pending(limit=100) == 6
    assert any(secret[0] in text for text in embedder.texts)


@pytest.mark.requirement("promise:6", "ruling:C10")
async def test_a_public_row_is_not_embedded_with_the_name_of_a_private_entity(
    services: Services, moody: MoodyEmbedder
) -> None:
    await entity(services, "Zelda", "person", "a secret", aliases=["potter"], is_private=True)
    moody.texts.clear()
    await tell(services, "The potter came to the kiln on Sunday morning.")
    assert not any("Zelda" in text for text in moody.texts)
    moody.texts.clear()
    await tell(services, "The potter left the kiln on Monday morning.", is_private=True)
    assert any("Zelda" in text for text in moody.texts)


@pytest.mark.requirement("ruling:A10")
async def test_what_was_brought_in_before_is_skipped(services: Services) -> None:
    note = NewThought(content=MOVED, origin=Origin.HUMAN, source_ref="diary.md#1")
    first = await services.ingest.remember([note, note])
    again = await services.ingest.remember([note, replace(note, content=f"  {MOVED.upper()} ")])
    changed = await services.ingest.remember([replace(note, content=FIRED)])
    by_id = await services.ingest.remember([NewThought(content=GLAZE, origin=Origin.HUMAN, id=first.stored[0])])
    unnamed = await services.ingest.remember([NewThought(content=MOVED, origin=Origin.HUMAN)] * 2)
    assert (len(first.stored), first.already_known) == (1, 1)
    assert (again.stored, again.already_known) == ((), 2)
    assert (len(changed.stored), by_id.already_known, len(unnamed.stored)) == (1, 1, 2)


@pytest.mark.requirement("ruling:H.7")
async def test_what_was_forgotten_does_not_come_back_under_any_id(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        key = (services.home / "key").read_bytes()
        made = replace_thought("t:gone", MOVED)
        keyed = keyed_hash(key, content_hash(MOVED))
        grave = Tombstone(row_id="t:gone", keyed_hash=keyed, reason="forgotten", at=NOW)
        await services.store.write(WriteBatch(tombstones=(grave,)))
        report = await services.ingest.store_thoughts([made, replace_thought("t:other", MOVED.upper())])
        ids = await services.ingest.store_thoughts([replace_thought("t:gone", GLAZE)])
        await tell(services, FIRED)
        turn = await ask(services)
    assert (report.stored, report.forgotten, report.observations) == ((), 2, 0)
    assert (ids.stored, ids.forgotten) == ((), 1)
    assert turn.exchange.reason == "coverage_low"


def replace_thought(row_id: str, content: str, **fields: object) -> Thought:
    made = Thought(id=row_id, created_at=NOW, recorded_at=NOW, origin=Origin.HUMAN, content=content)
    return replace(made, **fields)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("ruling:A21", "ruling:H.4", "ruling:H.3", "ruling:A12")
@pytest.mark.parametrize(
    ("origin", "promoted"), [(Origin.HUMAN, 1), (Origin.LOGGED, 1), (Origin.TOOL, 0), (Origin.MODEL, 0)]
)
async def test_only_a_persons_own_words_become_observations_at_once(
    services: Services, origin: Origin, promoted: int
) -> None:
    await tell(
        services, MOVED, origin=origin, tags=("pottery",), speaker="Ada", created_at=datetime(2025, 1, 2, tzinfo=UTC)
    )
    made = await rows_of(services, Observation)
    assert len(made) == promoted
    for row in made:
        assert (row.text, row.tags, row.speaker) == (MOVED, ("pottery",), "Ada")
        assert row.created_at == datetime(2025, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", " \n", "\x00", "x" * (MAX_TEXT_CHARS + 1)])
async def test_what_cannot_be_a_thought_is_an_error_and_nothing_of_its_batch_is_stored(
    services: Services, text: str
) -> None:
    with pytest.raises(InvalidParams):
        await tell(services, MOVED, text)
    assert sum((await services.store.status()).rows.values()) == 0


def test_content_is_kept_but_for_what_no_store_can_hold() -> None:
    assert require_content(" a\u0000b \U0001f600 ") == " ab \U0001f600 "


class Nothing(HashedEmbedder):
    """An encoder that is never asked for nothing."""

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        assert texts
        return await super().embed(texts)


async def test_nothing_to_store_costs_nothing(tmp_path: Path) -> None:
    async with memory(tmp_path, embedder=Nothing(128)) as services:
        assert await services.ingest.save([], names=KnownNames()) == (0, None)
        assert (await services.ingest.remember([])).stored == ()
        assert await services.ingest.embed_pending(limit=10) == 0
