"""Forgetting and redacting reach everything, can be looked at first, and can be repeated and interrupted."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from failing_store import FailingStore
from played_turns import FERRY, FIRED, GLAZE, KILN, MOVED, NOW, all_rows, ask, given, grounded, memory, row_of, tell
from store_values import thought
from voice.adapters.archive.directory import LocalArchives
from voice.adapters.system.clock_and_ids import FixedClock
from voice.adapters.system.forgettable_files import LocalTraceFiles
from voice.bootstrap import Services
from voice.core.errors import ConfigurationError, InvalidParams, SessionConflict, StoreUnavailable, UnknownId
from voice.core.graph.removal.forget_cascade import Act, ForgetRequest
from voice.core.recall.capsules import NewSummary
from voice.core.recall.pins import PinRequest
from voice.core.records import Origin, RowStatus, Thought
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.forgetting import ForgottenContent
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.settings.values import ArchiveSettings
from voice.core.text.leakage import LeakMarkers
from voice.ports.stores import SessionStore, WriteBatch
from voice.services.memory.forgotten_rows import guard_id
from voice.services.memory.ingest_values import NewThought
from voice.services.removal.derived_stores import ForgottenArchives

pytestmark = pytest.mark.requirement("ruling:G.2e", "forget:reach")


@pytest.fixture
async def services(tmp_path: Path) -> AsyncGenerator[Services]:
    async with memory(tmp_path, grounded(), settings=given(archive=ArchiveSettings(format="jsonl"))) as opened:
        yield opened


def words(said: str) -> ForgetRequest:
    return ForgetRequest(matching=said)


def ids(*named: str) -> ForgetRequest:
    return ForgetRequest(ids=frozenset(named))


async def told(services: Services) -> str:
    """Tell what there is to tell, ask about it, pin it, sum it up; return the id of the thought with MOVED."""
    moved = (await tell(services, *KILN))[0]
    await ask(services)
    await services.pins.pin(PinRequest(target_id=moved, reason="where the kiln moved to"))
    capsule = await services.capsules.open("the move")
    await services.capsules.summarise(capsule.id, NewSummary(content=MOVED, confidence=1.0, evidence_refs=(moved,)))
    return moved


async def everything(services: Services) -> str:
    rows = await all_rows(services)
    capsules = await services.forget.capsules.capsules(limit=100)
    pins = await services.forget.pins.pins()
    sessions = [await services.sessions.load(item.id, window=0) for item in await services.sessions.sessions(limit=9)]
    return str((rows, capsules, pins, sessions, await services.sessions.exchanges()))


@pytest.mark.parametrize("act", ["forget", "redact"])
async def test_no_word_is_left_anywhere_and_what_else_was_said_stays(services: Services, act: Act) -> None:
    moved = await told(services)
    before = await everything(services)
    shown = await services.forget.preview(ids(moved), act)
    assert await everything(services) == before
    done = await services.forget(ids(moved), act, shown={row.id for row in shown.rows.going})
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
    again = await services.forget(ids(moved), act)
    assert (again.is_empty, again.before) == (True, {moved})


@pytest.mark.parametrize(("act", "fate"), [("forget", "source_removed"), ("redact", "source_redacted")])
async def test_receipts_say_what_became_of_the_source_and_a_prompt_is_unprovable(
    services: Services, act: Act, fate: str
) -> None:
    await told(services)
    session = (await services.sessions.sessions(limit=1))[0].id
    await services.forget(words("moved to the shed"), act)
    (audit,) = (await services.audit(session)).exchanges
    assert {sentence.status for sentence in audit.sentences} == {fate}
    (replay,) = await services.replays(session)
    assert replay.proof == "unprovable"
    assert await services.transcripts.faults() == []


async def test_it_does_not_come_back_by_any_door(services: Services) -> None:
    moved, fired = await tell(services, MOVED, FIRED)
    await services.forget(ids(moved), "forget")
    await services.forget(ids(fired), "redact")
    said = [NewThought(content=text, origin=Origin.HUMAN) for text in (MOVED, FIRED)]
    report = await services.ingest.remember(said)
    assert (report.stored, report.forgotten) == ((), 2)
    row = await row_of(services, fired, Thought)
    assert (row.status, row.content) == (RowStatus.REDACTED, "")
    assert await services.forget.tombstones.buried([moved, fired, guard_id(fired)]) == {moved, guard_id(fired)}
    await services.forget(ids(fired), "forget")
    assert await services.store.fetch([fired]) == {}
    assert (await services.ingest.remember(said)).stored == ()


async def test_an_unknown_id_and_other_rows_than_those_shown_are_refused(services: Services) -> None:
    await tell(services, MOVED)
    before = await everything(services)
    for name, error in (("t:nobody", UnknownId), ("nobody", InvalidParams)):
        with pytest.raises(error):
            await services.forget(ids(name), "forget")
    with pytest.raises(InvalidParams, match="voice kg reject c:1"):
        await services.forget(ids("c:1"), "forget")
    with pytest.raises(InvalidParams, match="look again"):
        await services.forget(words("kiln"), "forget", shown=set())
    assert (await services.forget(words("nobody said this"), "forget")).is_empty
    assert await everything(services) == before


async def test_more_than_one_transaction_holds_can_be_interrupted_and_asked_for_again(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound in ("_PAGE", "MAX_BATCH"):
        monkeypatch.setattr(f"voice.services.removal.forget.{bound}", 100)
    many = tuple(thought(f"{number:05}", f"The kiln is at {number} degrees.") for number in range(210))
    await services.store.write(WriteBatch(rows=many))
    failing = replace(services.forget, store=FailingStore(services.store, 1, StoreUnavailable))
    with pytest.raises(StoreUnavailable):
        await failing(words("the kiln is at"), "forget")
    assert len(await services.store.changes(0, 5000)) == 210
    left = (await services.forget.preview(words("the kiln is at"), "forget")).rows.meant
    assert len(left) == 110
    await services.forget(words("the kiln is at"), "forget")
    assert (await services.forget.preview(words("the kiln is at"), "forget")).is_empty
    assert await services.maintenance.verify() == []


class _Losing:
    """Sessions that somebody else changes in between, so many times."""

    def __init__(self, inner: SessionStore, times: int) -> None:
        self._inner, self.times = inner, times
        self.load, self.sessions, self.topics = inner.load, inner.sessions, inner.topics
        self.exchanges, self.first_exchanges = inner.exchanges, inner.first_exchanges

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        self.times -= 1
        if self.times >= 0:
            raise SessionConflict("somebody was faster")
        return await self._inner.save(session, exchanges, expected=expected)


@pytest.mark.parametrize(("times", "is_done"), [(1, True), (99, False)])
async def test_a_conversation_that_goes_on_meanwhile_is_looked_at_again(
    services: Services, times: int, *, is_done: bool
) -> None:
    await tell(services, *KILN)
    await ask(services, new_topic=MOVED)
    losing = replace(services.forget, sessions=_Losing(services.sessions, times))
    if is_done:
        await losing(words(MOVED), "forget")
        assert MOVED not in await everything(services)
    else:
        with pytest.raises(SessionConflict, match="kept changing"):
            await losing(words(MOVED), "forget")
        assert (await services.forget.preview(words(MOVED), "forget")).rows.meant


@pytest.mark.requirement("forget:files")
async def test_exports_in_the_data_directory_are_named_and_go_when_that_is_asked_for(services: Services) -> None:
    (moved,) = await tell(services, MOVED)
    export, other = services.home / "export.jsonl", services.home / "notes.txt"
    await services.transfer.export_memory(str(export))
    other.write_text("")
    found = await services.forget.preview(ids(moved), "forget")
    assert found.files == (str(export),)
    await services.forget(ids(moved), "forget")
    assert export.exists()
    again = await services.forget(ids(moved), "forget", with_files=True)
    assert (again.is_empty, export.exists(), other.exists()) == (True, False, True)
    export.mkdir()
    (export / "file").write_text(moved)
    files = LocalTraceFiles(home=services.home, apart=frozenset({services.home / "index"}))
    found_files = await files.naming([moved])
    assert found_files == (str(export / "file"),)
    assert await files.naming([]) == ()
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
        await files.remove([str(tmp_path / "a")])


class _Refusing:
    """Turns whose words cannot be taken away."""

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        raise StoreUnavailable(f"the disk is full; {len(exchanges)} turns were not written")


@pytest.mark.parametrize("part", ["words", "sessions"])
async def test_a_topic_goes_whatever_was_written_before_it_was_interrupted(services: Services, part: str) -> None:
    await tell(services, *KILN)
    turn = await ask(services, "What was it in March?", new_topic="What was it in March?")
    await services.life.fork((await services.life.fork(turn.session.id)).id)  # "from turn 1: What was it …"
    failing = {"words": _Refusing(), "sessions": _Losing(services.sessions, 99)}[part]
    with pytest.raises((StoreUnavailable, SessionConflict)):
        await replace(services.forget, **{part: failing})(words("shed behind the house"), "forget")  # pyright: ignore[reportArgumentType]
    await services.forget(words("shed behind the house"), "forget")
    assert "in March" not in await everything(services)


async def archived(services: Services, *named: str, gone: bool = True) -> Path:
    """Archive thoughts, take them away unless they are to stay, and return the archive's path."""
    removals = services.archiving.removals
    await removals.mark(named)
    (report,) = (await services.archiving.export()).reports
    if gone:
        late = replace(removals, clock=FixedClock(NOW + timedelta(days=400)))
        assert (await late.finalise(apply=True)).gone == tuple(sorted(named))
    return Path(report.path)


def shelf_text(services: Services) -> str:
    shelf = Path(services.archiving.removals.shelf.directory)
    return "".join(path.read_text(encoding="utf-8") for path in sorted(shelf.iterdir()))


@pytest.mark.parametrize(("act", "gone"), [("forget", True), ("redact", False)])
async def test_what_was_archived_is_found_and_goes_and_the_rest_of_its_archive_comes_back(
    services: Services, act: Act, *, gone: bool
) -> None:
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
    named = ids(glaze)
    assert (await services.forget(named, act)).is_empty
    path.write_bytes(copy)
    restored = await services.archiving.restore(str(path))
    assert restored.thoughts == ((ferry,) if gone else ())
    assert GLAZE not in await everything(services)
    assert (await services.forget(named, act)).elsewhere["archives"] == (str(path),)
    assert GLAZE not in shelf_text(services)
    assert await services.maintenance.verify() == []


async def test_an_archive_that_was_left_double_by_a_kill_is_one_again(services: Services) -> None:
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
    await services.forget(ids(ferry), "forget")
    assert list(path.parent.iterdir()) == []
    await removed.take_away(
        [str(path)], ForgottenContent(ids=frozenset({glaze}), giveaway=LeakMarkers(), keeps_hashes=False)
    )


async def test_an_archive_that_cannot_be_read_is_told_and_what_is_elsewhere_comes_back_no_more(
    services: Services, tmp_path: Path
) -> None:
    (glaze,) = await tell(services, GLAZE)
    path = await archived(services, glaze)
    moved = path.rename(tmp_path / "elsewhere.jsonl")
    path.write_bytes(b"{}")
    named = ids(glaze)
    found = await services.forget(named, "forget")
    assert path.name in found.unread[0]
    assert ([stone.row_id for stone in found.taken], found.before) == ([glaze], {glaze})
    assert (await services.archiving.restore(str(moved))).forgotten == 2
    assert (await services.forget(named, "forget")).is_empty
    said = NewThought(content=GLAZE, origin=Origin.HUMAN)
    assert (await services.ingest.remember([said])).forgotten == 1
