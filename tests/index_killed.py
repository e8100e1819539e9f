"""Run by `test_index_survives_kill`: folds a growing store into an index until it is killed."""

import sys
from pathlib import Path

import anyio

from change_feed import DIM, MODEL, ChangeFeed, thought, vector_of
from voice.adapters.index.index import FoldedIndex


async def fill(feed: ChangeFeed, start: int, rows: int) -> None:
    """Write rows by number; every row's number is written again once, with other words."""
    keys = [number * 7 % 900 for number in range(start, start + rows)]
    for place, key in enumerate(keys, start):
        await feed.put(
            thought(f"{key:04}", f"note {place} about topic{place % 7}", days=key / 9),
            vectors=[vector_of(f"t:{key:04}", 1, place % 5, place % 3, 1)],
        )


async def fold_for_ever(directory: Path) -> None:
    feed = ChangeFeed()
    index = FoldedIndex(feed, directory, model=MODEL, dim=DIM)
    for start in range(0, 1_000_000, 40):
        await fill(feed, start, 40)
        sys.stdout.write(f"{await index.refresh()}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(fold_for_ever, Path(sys.argv[1]))
