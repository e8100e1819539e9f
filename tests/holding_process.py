"""A process of its own that uses a store, and does what it is told, line by line.

    write KEY       keep a thought under that key        → ok
    read KEY        look whether it is there             → ok yes | ok no
    sleep TIME      have the engine sleep for so long      → ok
    status          who it is                            → ok holder | ok guest | ok neither
    engine          whether the engine was loaded        → ok yes | ok no
    close           leave the store and end              → ok

It says `open` once it has the store, and of an error its code and its message in one line.
"""

import argparse
import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from unittest import mock

from store_values import thought
from voice.adapters.surreal.database import SurrealStores
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.sharing.holder import own_card
from voice.adapters.surreal.sharing.server import StoreHolder
from voice.adapters.surreal.sharing.shared_connection import SharedConnection
from voice.core.errors import VoiceError
from voice.core.store_holder import ProcessCard
from voice.ports.stores import WriteBatch


def _says(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - what the test reads


async def _done(stores: SurrealStores, word: str, key: str) -> str:
    if word == "write":
        await stores.memory.write(WriteBatch(rows=(thought(key, f"Said under {key}."),)))
        return ""
    if word == "read":
        return "yes" if await stores.memory.fetch([f"t:{key}"]) else "no"
    if word == "sleep":
        await stores.connection.run("sleep", f"RETURN sleep({key})")
        return ""
    if word == "status":
        shared = stores.connection
        assert isinstance(shared, SharedConnection)
        way = shared._way
        return "neither" if way is None or not way.is_open else "holder" if isinstance(way, StoreHolder) else "guest"
    assert word == "engine"
    return "yes" if "surrealdb_embedded" in sys.modules else "no"


async def _serve(home: Path, wait_s: float) -> None:
    async with await open_store("surrealkv://memory", home=home, wait_s=wait_s) as stores:
        _says("open")
        while line := await asyncio.to_thread(sys.stdin.readline):
            word, _, key = line.strip().partition(" ")
            if word == "close":
                break
            try:
                _says(f"ok {await _done(stores, word, key)}".strip())
            except VoiceError as error:
                _says(f"{error.code} {error.message}")
    _says("ok")


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--wait", type=float, default=20.0)
    parser.add_argument("--version")
    parser.add_argument("--format", type=int)
    given = parser.parse_args()

    def card(namespace: str, database: str) -> ProcessCard:
        mine = own_card(namespace, database)
        return replace(mine, version=given.version or mine.version, format=given.format or mine.format)

    try:
        with mock.patch("voice.adapters.surreal.opening.own_card", card):
            asyncio.run(_serve(given.home, given.wait))
    except VoiceError as error:
        _says(f"{error.code} {error.message}")


if __name__ == "__main__":
    main()
