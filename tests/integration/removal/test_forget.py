"""Forgetting and redacting reach everything, can be looked at first, and can be repeated and interrupted."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from played_turns import FERRY, FIRED, GLAZE, KILN, MOVED, NOW, ask, given, grounded, memory, tell
from staged_memory import EVERYTHING, Found
from voice.adapters.archive.directory import LocalArchives
from voice.adapters.system.clock_and_ids import FixedClock
from voice.adapters.system.forgettable_files import LocalTraceFiles
from voice.bootstrap import Services
from voice.core.errors import ConfigurationError, InvalidParams, SessionConflict, StoreUnavailable, UnknownId
from voice.core.graph.removal.forget_cascade import Act, ForgetRequest
from voice.core.recall.capsules import NewSummary
from voice.core.recall.pins import PinRequest
from voice.core.records import Origin, Provenance, Row, RowStatus, Thought
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.forgetting import ForgottenContent
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.settings.values import ArchiveSettings
from voice.core.text.leakage import LeakMarkers
from voice.ports.removal import Traces
from voice.ports.stores import MemoryStore, SessionStore, WriteBatch
from voice.services.memory.forgotten_rows import guard_id
from voice.services.memory.ingest_values import NewThought
from voice.services.removal.derived_stores import ForgottenArchives

pytestmark = pytest.mark.requirement("ruling:G.2e", "forget:reach")


def words(said: str) -> ForgetRequest:
    return ForgetRequest(matching=said)


async def told(services: Services) -> str:
    """Tell what there is to tell, ask about it, pin it, sum it up; return the id of the thought with MOVED."""
    moved = (await tell(services, *KILN))[0]
    await ask(services)
    await services.pins.pin(PinRequest(target_id=moved, reason="where the kiln moved to"))
    capsule = await services.capsules.open("the move")
    await services.capsules.summarise(capsule.id, NewSummary(content=MOVED, confidence=1.0, evidence_refs=(moved,)))
    return moved


async def everything(services: Services) -> str:
    rows = [change.row for change in await services.store.changes(0, 1000)]
    capsules = await services.forget.capsules.capsules(limit=100)
    pins = await services.forget.pins.pins()
    sessions = [await services.sessions.load(item.id, window=0) for item in await services.sessions.sessions(limit=9)]
    return str((rows, capsules, pins, sessions, await services.sessions.exchanges()))


@pytest.mark.parametrize("act", ["forget", "redact"])
async def test_no_word_is_left_anywhere_and_what_else_was_said_stays(tmp_path: Path, act: Act) -> None:
    async with memory(tmp_path, grounded()) as services:
        moved = await told(services)
        before = await everything(services)
        shown = await services.forget.preview(ForgetRequest(ids=frozenset({moved})), act)
        assert await everything(services) == before
        done = await services.forget(
            ForgetRequest(ids=frozenset({moved})), act, shown={row.id for row in shown.rows.going}
        )
        assert done == shown
        after = await everything(services)
        assert MOVED in before
        assert MOVED not in after
        assert [text in after for text in (FIRED, GLAZE, FERRY)] == [True, True, True]
        found = await services.find(RetrieveRequest(query="kiln moved in March"))
        assert all(MOVED not in snippet.text for snippet in found.snippets)
        assert await services.maintenance.verify() == []
        assert await services.index.faults() == []
        assert (await services.store.status()).pending_embeddings == 0
        again = await services.forget(ForgetRequest(ids=frozenset({moved})), act)
        assert (again.is_empty, again.before) == (True, {moved})


@pytest.mark.parametrize(("act", "fate"), [("forget", "source_removed"), ("redact", "source_redacted")])
async def test_receipts_say_what_became_of_the_source_and_a_prompt_is_unprovable(
    tmp_path: Path, act: Act, fate: str
) -> None:
    async with memory(tmp_path, grounded()) as services:
        await told(services)
        session = (await services.sessions.sessions(limit=1))[0].id
        await services.forget(words("moved to the shed"), act)
        (audit,) = (await services.audit(session)).exchanges
        assert {sentence.status for sentence in audit.sentences} == {fate}
        (replay,) = await services.replays(session)
        assert replay.proof == "unprovable"
        assert await services.transcripts.faults() == []


async def test_it_does_not_come_back_by_any_door(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        moved, fired = await tell(services, MOVED, FIRED)
        await services.forget(ForgetRequest(ids=frozenset({moved})), "forget")
        await services.forget(ForgetRequest(ids=frozenset({fired})), "redact")
        said = [NewThought(content=text, origin=Origin.HUMAN) for text in (MOVED, FIRED)]
        report = await services.ingest.remember(said)
        assert (report.stored, report.forgotten) == ((), 2)
        row = (await services.store.fetch([moved, fired]))[fired]
        assert isinstance(row, Thought)
        assert (row.status, row.content) == (RowStatus.REDACTED, "")
        assert await services.forget.tombstones.buried([moved, fired, guard_id(fired)]) == {moved, guard_id(fired)}
        await services.forget(ForgetRequest(ids=frozenset({fired})), "forget")
        assert await services.store.fetch([fired]) == {}
        assert (await services.ingest.remember(said)).stored == ()


async def test_an_unknown_id_and_other_rows_than_those_shown_are_refused(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await tell(services, MOVED)
        before = await everything(services)
        for name, error in (("t:nobody", UnknownId), ("nobody", InvalidParams)):
            with pytest.raises(error):
                await services.forget(ForgetRequest(ids=frozenset({name})), "forget")
        with pytest.raises(InvalidParams, match="voice kg reject c:1"):
            await services.forget(ForgetRequest(ids=frozenset({"c:1"})), "forget")
        with pytest.raises(InvalidParams, match="look again"):
            await services.forget(words("kiln"), "forget", shown=set())
        assert (await services.forget(words("nobody said this"), "forget")).is_empty
        assert await everything(services) == before


class _Failing:
    """A store that fails at the n-th write."""

    def __init__(self, inner: MemoryStore, left: int) -> None:
        self._inner, self._left = inner, left
        self.changes, self.fetch, self.head, self.status = inner.changes, inner.fetch, inner.head, inner.status

    async def write(self, batch: WriteBatch) -> int:
        self._left -= 1
        if self._left < 0:
            raise StoreUnavailable("the disk is full")
        return await self._inner.write(batch)


def many(count: int) -> tuple[Row, ...]:
    said = (f"The kiln is at {number} degrees." for number in range(count))
    return tuple(
        Thought(id=f"t:{place:05}", created_at=NOW, recorded_at=NOW, origin=Origin.HUMAN, content=text)
        for place, text in enumerate(said)
    )


async def test_more_than_one_transaction_holds_can_be_interrupted_and_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound in ("_PAGE", "MAX_BATCH"):
        monkeypatch.setattr(f"voice.services.removal.forget.{bound}", 100)
    async with memory(tmp_path) as services:
        await services.store.write(WriteBatch(rows=many(210)))
        failing = replace(services.forget, store=_Failing(services.store, 1))
        with pytest.raises(StoreUnavailable):
            await failing(ForgetRequest(matching="the kiln is at"), "forget")
        assert len(await services.store.changes(0, 5000)) == 210
        left = (await services.forget.preview(ForgetRequest(matching="the kiln is at"), "forget")).rows.meant
        assert len(left) == 110
        await services.forget(ForgetRequest(matching="the kiln is at"), "forget")
        assert (await services.forget.preview(ForgetRequest(matching="the kiln is at"), "forget")).is_empty
        assert await services.maintenance.verify() == []


class _Losing:
    """Sessions that somebody else changes in between, so many times."""

    def __init__(self, inner: SessionStore, times: int) -> None:
        self._inner, self.times = inner, times
        self.load, self.sessions, self.exchanges, self.topics = (
            inner.load,
            inner.sessions,
            inner.exchanges,
            inner.topics,
        )
        self.first_exchanges = inner.first_exchanges

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        self.times -= 1
        if self.times >= 0:
            raise SessionConflict("somebody was faster")
        return await self._inner.save(session, exchanges, expected=expected)


@pytest.mark.parametrize(("times", "is_done"), [(1, True), (99, False)])
async def test_a_conversation_that_goes_on_meanwhile_is_looked_at_again(
    tmp_path: Path, times: int, *, is_done: bool
) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN)
        await ask(services, new_topic=MOVED)
        losing = replace(services.forget, sessions=_Losing(services.sessions, times))
        if is_done:
            await losing(ForgetRequest(matching=MOVED), "forget")
            assert MOVED not in await everything(services)
        else:
            with pytest.raises(SessionConflict, match="kept changing"):
                await losing(ForgetRequest(matching=MOVED), "forget")
            assert (await services.forget.preview(ForgetRequest(matching=MOVED), "forget")).rows.meant


@pytest.mark.parametrize("act", ["forget", "redact"])
async def test_what_waits_for_review_is_reached(tmp_path: Path, act: Act) -> None:
    async with memory(tmp_path) as services:
        glaze, ferry = await tell(services, GLAZE, FERRY)
        spans = {each: Provenance(thought_id=each, start=0, end=4) for each in (glaze, ferry)}
        found = [Found(name=f"thing {place}", mentions=(span,)) for place, span in enumerate(spans.values())]
        await services.review.staging.stage(found, limits=EVERYTHING)
        wanted = ForgetRequest(ids=frozenset({glaze}))
        shown = await services.forget.preview(wanted, act)
        (reached,) = shown.elsewhere["candidates"]
        held = services.review.staging.candidates
        assert {each.id for each in await held.candidates(limit=9)} > {reached}
        assert await services.forget(wanted, act) == shown
        (left,) = await held.candidates(limit=9)
        assert left.provenance == (spans[ferry],)
        assert (await services.forget(wanted, act)).is_empty


@pytest.mark.requirement("forget:files")
async def test_exports_in_the_data_directory_are_named_and_go_when_that_is_asked_for(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        (moved,) = await tell(services, MOVED)
        export, other = services.home / "export.jsonl", services.home / "notes.txt"
        await services.transfer.export_memory(str(export))
        other.write_text("")
        found = await services.forget.preview(ForgetRequest(ids=frozenset({moved})), "forget")
        assert found.files == (str(export),)
        await services.forget(ForgetRequest(ids=frozenset({moved})), "forget")
        assert export.exists()
        again = await services.forget(ForgetRequest(ids=frozenset({moved})), "forget", with_files=True)
        assert (again.is_empty, export.exists(), other.exists()) == (True, False, True)
        export.mkdir()
        (export / "file").write_text(moved)
        files = LocalTraceFiles(home=services.home, apart=frozenset({services.home / "index"}))
        found_files = await files.naming([moved])
        assert found_files.paths == (str(export / "file"),)
        assert (await files.naming([])).paths == ()
        await files.remove(found_files)
        await files.remove(found_files)


async def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    files = LocalTraceFiles(home=tmp_path, apart=frozenset())

    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "no", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(ConfigurationError, match="a cannot be"):
        await files.naming(["x"])
    with pytest.raises(ConfigurationError, match="a cannot be"):
        await files.remove(Traces(paths=(str(tmp_path / "a"),)))


class _Refusing:
    """Turns whose words cannot be taken away."""

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        raise StoreUnavailable(f"the disk is full; {len(exchanges)} turns were not written")


@pytest.mark.parametrize("part", ["words", "sessions"])
async def test_a_topic_goes_whatever_was_written_before_it_was_interrupted(tmp_path: Path, part: str) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN)
        turn = await ask(services, "What was it in March?", new_topic="What was it in March?")
        await services.life.fork((await services.life.fork(turn.session.id)).id)  # "from turn 1: What was it …"
        failing = {"words": _Refusing(), "sessions": _Losing(services.sessions, 99)}[part]
        with pytest.raises((StoreUnavailable, SessionConflict)):
            await replace(services.forget, **{part: failing})(words("shed behind the house"), "forget")  # pyright: ignore[reportArgumentType]
        await services.forget(words("shed behind the house"), "forget")
        assert "in March" not in await everything(services)


async def archived(services: Services, *ids: str, gone: bool = True) -> Path:
    """Archive thoughts, take them away unless they are to stay, and return the archive's path."""
    removals = services.archiving.removals
    await removals.mark(ids)
    (report,) = (await services.archiving.export()).reports
    if gone:
        late = replace(removals, clock=FixedClock(NOW + timedelta(days=400)))
        assert (await late.finalise(apply=True)).gone == tuple(sorted(ids))
    return Path(report.path)


def shelf_text(services: Services) -> str:
    shelf = Path(services.archiving.removals.shelf.directory)
    return "".join(path.read_text(encoding="utf-8") for path in sorted(shelf.iterdir()))


@pytest.mark.parametrize("act", ["forget", "redact"])
@pytest.mark.parametrize("gone", [True, False])
async def test_what_was_archived_is_found_and_goes_and_the_rest_of_its_archive_comes_back(
    tmp_path: Path, act: Act, *, gone: bool
) -> None:
    async with memory(tmp_path, settings=given(archive=ArchiveSettings(format="jsonl"))) as services:
        glaze, ferry = await tell(services, GLAZE, FERRY)
        path = await archived(services, glaze, ferry, gone=gone)
        copy = path.read_bytes()
        shown = await services.forget.preview(words("blue glaze"), act)
        assert ([row.id for row in shown.rows.meant if isinstance(row, Thought)], shown.files) == ([glaze], ())
        assert shown.elsewhere["archives"] == (str(path),)
        assert GLAZE in shelf_text(services)
        assert await services.forget(words("blue glaze"), act) == shown
        assert GLAZE not in shelf_text(services)
        assert FERRY in shelf_text(services)
        named = ForgetRequest(ids=frozenset({glaze}))
        assert (await services.forget(named, act)).is_empty
        path.write_bytes(copy)
        restored = await services.archiving.restore(str(path))
        assert restored.thoughts == ((ferry,) if gone else ())
        assert GLAZE not in await everything(services)
        assert (await services.forget(named, act)).elsewhere["archives"] == (str(path),)
        assert GLAZE not in shelf_text(services)
        assert await services.maintenance.verify() == []


async def test_an_archive_that_was_left_double_by_a_kill_is_one_again(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=given(archive=ArchiveSettings(format="jsonl"))) as services:
        glaze, ferry = await tell(services, GLAZE, FERRY)
        path = await archived(services, glaze, ferry)
        removed = services.forget.shelved
        assert isinstance(removed, ForgottenArchives)

        class Stuck(LocalArchives):
            async def remove(self, path: str) -> None:
                raise StoreUnavailable("killed")

        stuck = replace(services.forget, shelved=replace(removed, shelf=replace(removed.shelf, files=Stuck())))
        with pytest.raises(StoreUnavailable):
            await stuck(words("blue glaze"), "forget")
        assert len(list(path.parent.iterdir())) == 2
        await services.forget(words("blue glaze"), "forget")
        assert len(list(path.parent.iterdir())) == 1
        await services.forget(ForgetRequest(ids=frozenset({ferry})), "forget")
        assert list(path.parent.iterdir()) == []
        await removed.take_away(
            [str(path)], ForgottenContent(ids=frozenset({glaze}), giveaway=LeakMarkers(), keeps_hashes=False)
        )


async def test_an_archive_that_cannot_be_read_is_told_and_what_is_elsewhere_comes_back_no_more(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=given(archive=ArchiveSettings(format="jsonl"))) as services:
        (glaze,) = await tell(services, GLAZE)
        path = await archived(services, glaze)
        moved = path.rename(tmp_path / "elsewhere.jsonl")
        path.write_bytes(b"{}")
        named = ForgetRequest(ids=frozenset({glaze}))
        found = await services.forget(named, "forget")
        assert path.name in found.unread[0]
        assert ([stone.row_id for stone in found.taken], found.before) == ([glaze], {glaze})
        assert (await services.archiving.restore(str(moved))).forgotten == 2
        assert (await services.forget(named, "forget")).is_empty
        said = NewThought(content=GLAZE, origin=Origin.HUMAN)
        assert (await services.ingest.remember([said])).forgotten == 1
