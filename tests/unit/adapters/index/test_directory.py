"""The index directory: what is found torn, foreign or old is folded anew, and nothing but time is lost."""

import json
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from blake3 import blake3

from change_feed import AT, DIM, MODEL, ChangeFeed, ask, observation, packed, thought, vector_of
from voice.adapters.index.directory import MANIFEST_NAME
from voice.adapters.index.index import FoldedIndex
from voice.adapters.index.segment_file import MAGIC
from voice.adapters.index.updating import MERGE_FACTOR, YOUNG_ROWS
from voice.core.errors import StoreDamaged, StoreError, StoreUnavailable
from voice.core.records import Entity, Origin, Row, Table

ROWS = 6 * YOUNG_ROWS
QUERY = ask("topic3 note 45", vector=packed(1, 2, 1, 1), limit=20, neighbour_weight=0.5)


@pytest.fixture
async def feed() -> ChangeFeed:
    feed = ChangeFeed()
    keys = [f"{number:04}" for number in range(ROWS)]
    await feed.put(
        *(thought(key, f"note {key} about topic{int(key) % 7}", days=int(key) / 7) for key in keys),
        vectors=[vector_of(f"t:{key}", 1, int(key) % 5, int(key) % 3, 1) for key in keys],
    )
    return feed


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "a home" / "index"


def opened(feed: ChangeFeed, home: Path, model: str = MODEL) -> FoldedIndex:
    return FoldedIndex(feed, home, model=model, dim=DIM)


async def expect_the_truth(feed: ChangeFeed, home: Path) -> None:
    """Show that an index opened over `home` answers as one folded from nothing."""
    index = opened(feed, home)
    await index.refresh()
    assert await index.search(QUERY) == await FoldedIndex(feed, None, model=MODEL, dim=DIM).search(QUERY)
    assert await index.faults() == []


async def test_a_second_open_folds_only_what_is_new(feed: ChangeFeed, home: Path) -> None:
    first = opened(feed, home)
    folded = await first.refresh()
    await feed.put(thought("new", "a new note"))
    feed.asked.clear()
    second = opened(feed, home)
    assert await second.refresh() == folded + 1
    assert feed.asked == [folded - 1, folded]
    assert (await second.status()).rows[Table.THOUGHTS] == ROWS + 1
    await expect_the_truth(feed, home)


async def test_a_few_changes_rewrite_nothing_on_disk(feed: ChangeFeed, home: Path) -> None:
    await opened(feed, home).refresh()
    before = {path.name: path.stat().st_mtime_ns for path in home.iterdir() if path.name != "seen.mark"}
    await feed.put(*(thought(f"new{number}", "a new note") for number in range(YOUNG_ROWS - 1)))
    await opened(feed, home).refresh()
    assert {path.name: path.stat().st_mtime_ns for path in home.iterdir() if path.name != "seen.mark"} == before


async def test_many_small_updates_leave_few_files_and_keep_the_large_one_until_they_outgrow_it(
    feed: ChangeFeed, home: Path
) -> None:
    index = opened(feed, home)
    await index.refresh()
    (large,) = home.glob("*.segment")
    kept: list[bool] = []
    for number in range(6):
        await feed.put(*(thought(f"n{number}x{key}", "one more") for key in range(YOUNG_ROWS)))
        await index.refresh()
        kept.append(large.exists())
        assert len(list(home.glob("*.segment"))) <= 2
    assert kept == [MERGE_FACTOR * (number + 1) * YOUNG_ROWS < ROWS for number in range(6)]
    await expect_the_truth(feed, home)


async def test_replaced_and_forgotten_rows_stay_so_after_a_new_open(feed: ChangeFeed, home: Path) -> None:
    index = opened(feed, home)
    await index.refresh()
    for number in range(YOUNG_ROWS):
        await feed.put(replace(thought(f"{number:04}", "rewritten"), revision=2))
    await feed.drop("t:0200")
    await index.refresh()
    assert list(home.glob("*.dead"))
    await expect_the_truth(feed, home)
    assert (await opened(feed, home).status()).rows[Table.THOUGHTS] == ROWS - 1


async def test_a_segment_that_is_mostly_dead_is_rewritten(feed: ChangeFeed, home: Path) -> None:
    await opened(feed, home).refresh()
    for number in range(ROWS - 10):
        await feed.drop(f"t:{number:04}")
    await opened(feed, home).refresh()
    assert not list(home.glob("*.dead"))
    assert (await opened(feed, home).status()).bytes_on_disk < 20_000
    await expect_the_truth(feed, home)


Damage = Callable[[Path], object]


def _newest(home: Path, pattern: str) -> Path:
    return max(home.glob(pattern))


def _flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)


def _say(home: Path, **members: object) -> None:
    """Put a manifest in place that verifies and says something else than it should."""
    body = json.dumps(json.loads(json.loads((home / MANIFEST_NAME).read_text())["body"]) | members)
    (home / MANIFEST_NAME).write_text(json.dumps({"checksum": blake3(body.encode()).hexdigest(), "body": body}))


def _say_of_files(home: Path, **members: object) -> None:
    files = json.loads(json.loads((home / MANIFEST_NAME).read_text())["body"])["files"]
    _say(home, files=[entry | members for entry in files])


def _nest(path: Path) -> None:
    """Give a segment a header that verifies and is too deep to read."""
    text = b'{"arrays": ' + b"[" * 100_000
    path.write_bytes(
        (MAGIC + len(text).to_bytes(8, "little") + blake3(text).digest() + text).ljust(path.stat().st_size)
    )


DAMAGE: dict[str, Damage] = {
    "manifest too deep to read": lambda home: (home / MANIFEST_NAME).write_bytes(b"[" * 100_000),
    "manifest whose sequence is a word": lambda home: _say(home, folded_seq="x"),
    "manifest whose sequence is a truth": lambda home: _say(home, folded_seq=True),
    "manifest whose next file is none": lambda home: _say(home, next_file=None),
    "manifest whose files are one number": lambda home: _say(home, files=3),
    "manifest with a size that is a word": lambda home: _say_of_files(home, bytes="x"),
    "manifest with a name that is a number": lambda home: _say_of_files(home, dead=7),
    "segment with a header too deep to read": lambda home: _nest(_newest(home, "*.segment")),
    "no manifest": lambda home: (home / MANIFEST_NAME).unlink(),
    "empty manifest": lambda home: (home / MANIFEST_NAME).write_bytes(b""),
    "foreign manifest": lambda home: (home / MANIFEST_NAME).write_bytes(b"\xff\x00"),
    "flipped bit in the manifest": lambda home: _flip(home / MANIFEST_NAME, 100),
    "no segment": lambda home: _newest(home, "*.segment").unlink(),
    "short segment": lambda home: os.truncate(_newest(home, "*.segment"), 500),
    "empty segment": lambda home: os.truncate(_newest(home, "*.segment"), 0),
    "foreign segment": lambda home: _flip(_newest(home, "*.segment"), 3),
    "flipped bit in a header": lambda home: _flip(_newest(home, "*.segment"), 60),
    "flipped bit in the data": lambda home: _flip(_newest(home, "*.segment"), -1_000),
    "no list of the dead": lambda home: _newest(home, "*.dead").unlink(),
    "flipped bit among the dead": lambda home: _flip(_newest(home, "*.dead"), -1),
    "a segment nobody named": lambda home: (home / "00000099.segment").write_bytes(b"torn"),
    "half a manifest": lambda home: (home / f"{MANIFEST_NAME}.new").write_bytes(b"torn"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
async def test_damage_costs_time_and_nothing_else(feed: ChangeFeed, home: Path, damage: Damage) -> None:
    index = opened(feed, home)
    await index.refresh()
    await feed.put(*(replace(thought(f"{number:04}", "rewritten"), revision=2) for number in range(YOUNG_ROWS)))
    await index.refresh()
    damage(home)
    await expect_the_truth(feed, home)
    assert {path.suffix for path in home.iterdir()} <= {".segment", ".dead", ".json", ".mark", ".lock"}
    assert not (home / "00000099.segment").exists()


@pytest.mark.parametrize(
    "name", [MANIFEST_NAME, f"{MANIFEST_NAME}.new", "00000001.segment", "00000099.segment", "00000099.dead"]
)
async def test_a_directory_where_a_file_should_be_is_set_aside_whole(feed: ChangeFeed, home: Path, name: str) -> None:
    await opened(feed, home).refresh()
    for number in (1, 2):
        (home / name).unlink(missing_ok=True)
        (home / name).mkdir()
        (home / name / "notes.txt").write_text(f"mine {number}")
        await expect_the_truth(feed, home)
        assert (home / f"{name}.aside-{number}" / "notes.txt").read_text() == f"mine {number}"


def _file(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("mine")


def _dangling_link(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to(path.with_name("nowhere"))


@pytest.mark.parametrize("make", [_file, _dangling_link])
async def test_what_stands_in_the_place_of_the_index_is_told_and_set_aside_by_a_rebuild(
    feed: ChangeFeed, home: Path, make: Damage
) -> None:
    make(home)
    with pytest.raises(StoreError, match="is not a directory; run: voice maintain rebuild"):
        await opened(feed, home).refresh()
    assert (await opened(feed, home).rebuild()).rows[Table.THOUGHTS] == ROWS
    assert os.path.lexists(home.with_name("index.aside-1"))
    await expect_the_truth(feed, home)


async def test_an_index_of_another_version_store_or_model_is_folded_anew(feed: ChangeFeed, home: Path) -> None:
    await opened(feed, home).refresh()
    other = opened(feed, home, model="another")
    await other.refresh()
    assert (await other.status()).vectors == 0
    await expect_the_truth(feed, home)
    feed.store_id = "store-2"
    feed.asked.clear()
    await expect_the_truth(feed, home)
    assert feed.asked[0] == 0
    manifest = json.loads((home / MANIFEST_NAME).read_text())
    assert json.loads(manifest["body"])["format"] == "voice-index/7"


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (ChangeFeed("store-2"), "is not the store of which the search index has seen 1 changes"),
        (ChangeFeed(), "ends at change 0, but the search index has seen change 1"),
    ],
)
async def test_however_small_a_memory_was_that_it_was_emptied_is_an_alarm(
    tmp_path: Path, left: ChangeFeed, said: str
) -> None:
    home, small = tmp_path / "index", ChangeFeed()
    await small.put(thought("1", "a note"))
    await opened(small, home).refresh()
    for _ in range(2):
        with pytest.raises(StoreDamaged, match=f"{said}.*; restore a backup, or accept the loss with: .*rebuild"):
            await opened(left, home).refresh()
    assert await opened(small, home).refresh() == 1
    await opened(left, home).rebuild()
    assert await opened(left, home).refresh() == 0


@pytest.mark.parametrize("torn", [b"", b"store-1", b"store-1 many", b"\xff\xfe 3"])
async def test_a_mark_that_is_torn_says_nothing(tmp_path: Path, torn: bytes) -> None:
    home = tmp_path / "index"
    home.mkdir()
    (home / "seen.mark").write_bytes(torn)
    assert await opened(ChangeFeed(), home).refresh() == 0
    assert (home / "seen.mark").stat().st_mode & 0o777 == 0o600


async def test_a_version_that_is_not_known_is_folded_anew(
    feed: ChangeFeed, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voice.adapters.index.directory.FORMAT", "voice-index/0")
    await opened(feed, home).refresh()
    monkeypatch.undo()
    feed.asked.clear()
    await expect_the_truth(feed, home)
    assert feed.asked[0] == 0


async def test_other_peoples_files_in_the_directory_are_left_alone(feed: ChangeFeed, home: Path) -> None:
    home.mkdir(parents=True)
    (home / "notes.txt").write_text("mine")
    index = opened(feed, home)
    await index.refresh()
    await index.rebuild()
    assert (home / "notes.txt").read_text() == "mine"


@pytest.mark.requirement("ruling:H.1")
async def test_only_the_owner_may_read_the_index(feed: ChangeFeed, home: Path) -> None:
    await opened(feed, home).refresh()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()} == {0o600}


@pytest.mark.requirement("promise:6")
async def test_no_word_of_a_memory_stands_in_the_files(home: Path) -> None:
    feed = ChangeFeed()
    await feed.put(
        *(replace(thought(f"{n}", f"canary{n} words", speaker="Canaryname"), tags=("canarytag",)) for n in range(300))
    )
    index = opened(feed, home)
    await index.refresh()
    assert (await index.status()).rows[Table.THOUGHTS] == 300
    assert not [path for path in home.iterdir() if b"canary" in path.read_bytes().lower()]


async def test_the_status_tells_size_and_age(feed: ChangeFeed, home: Path) -> None:
    index = opened(feed, home)
    assert (await index.status()).built_at is None
    await index.refresh()
    status = await index.status()
    assert status.built_at is not None
    assert status.bytes_on_disk == sum(path.stat().st_size for path in home.iterdir())
    assert (status.rows[Table.THOUGHTS], status.vectors) == (ROWS, ROWS)


async def test_a_flipped_bit_under_an_open_index_is_a_fault(feed: ChangeFeed, home: Path) -> None:
    index = opened(feed, home)
    await index.refresh()
    damaged = _newest(home, "*.segment")
    _flip(damaged, -1_000)
    (fault,) = await index.faults()
    assert damaged.name in fault
    assert "rebuild" in fault


async def test_a_directory_that_cannot_be_made_is_an_error_that_says_so(feed: ChangeFeed, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="voice cannot use"):
        await opened(feed, tmp_path / "file" / "index").refresh()


@pytest.mark.requirement("holder:full-disk")
async def test_on_a_full_disk_the_index_is_kept_in_memory_and_the_last_state_on_disk_stands(
    feed: ChangeFeed, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened(feed, home)
    await index.refresh()
    await feed.put(*(thought(f"new{number}", "a new note") for number in range(YOUNG_ROWS)))

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert await index.refresh() == feed.last_seq
    with pytest.raises(StoreUnavailable, match="the disk is full"):
        await index.rebuild()
    monkeypatch.undo()
    await expect_the_truth(feed, home)


async def test_large_files_are_opened_without_reading_their_vectors(
    feed: ChangeFeed, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened(feed, home)
    await index.refresh()
    monkeypatch.setattr("voice.adapters.index.segment_file._SMALL_FILE_BYTES", 0)
    feed.asked.clear()
    await expect_the_truth(feed, home)
    assert feed.asked[0] > 0


class Interrupted(ChangeFeed):
    """A store during whose next reading of `row_id` the caller is cancelled."""

    row_id = ""

    async def fetch(self, ids: Sequence[str]) -> dict[str, Row]:
        if self.row_id in ids:
            self.row_id = ""
            raise anyio.get_cancelled_exc_class()
        return await super().fetch(ids)


@pytest.mark.requirement("promise:6")
async def test_a_refresh_that_is_cancelled_while_a_name_changes_leaves_no_row_under_the_old_name(home: Path) -> None:
    feed = Interrupted()
    ada = Entity(id="e:ada", created_at=AT, recorded_at=AT, origin=Origin.HUMAN, name="Ada Byron")
    await feed.put(ada, observation("1", "She moved.", "e:ada"))
    index = opened(feed, home)
    await index.refresh()
    await feed.put(replace(ada, revision=2, is_private=True))
    feed.row_id = "o:1"
    with pytest.raises(anyio.get_cancelled_exc_class()):
        await index.refresh()
    await index.refresh()
    assert [hit.row_id for hit in (await index.search(ask("Byron"))).hits] == []


async def test_a_rebuild_tells_how_far_it_is(feed: ChangeFeed, home: Path) -> None:
    told: list[tuple[int, int]] = []
    await opened(feed, home).rebuild(lambda done, total: told.append((done, total)))
    assert told[-1] == (feed.last_seq, feed.last_seq)
    assert told == sorted(told)


async def test_a_store_without_anything_new_is_not_read_again(feed: ChangeFeed, home: Path) -> None:
    index = opened(feed, home)
    await index.refresh()
    feed.asked.clear()
    folded = await index.refresh()
    assert feed.asked == []
    await feed.put(thought("new", "a new note"))
    assert await index.refresh() == folded + 1
    assert (await index.search(ask("new"))).hits[0].row_id == "t:new"
