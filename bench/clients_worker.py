"""One client of a shared memory: it remembers, reads, asks and goes on with sessions, and says what was acknowledged.

    ready                                       it has the memory open
    {"op": "remember", "ms": 3.1, "key": …}     the memory acknowledged it
    {"op": "ask", …, "unknown": true}           nobody knows whether it happened
    {"op": "read", …, "wrong": "…"}             what was read is not what was acknowledged
    done                                        all operations were made

A line on stdin lets it begin, so that all clients begin together.
"""

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.to_thread

from voice import Voice
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ExtractiveClient
from voice.bootstrap import Parts
from voice.core.errors import OutcomeUnknown
from voice.core.settings.values import GateSettings, Settings, StoreSettings

OPERATIONS = ("remember", "read", "ask", "session")
_TRADES = ("kiln", "boat", "orchard", "loom", "forge", "bakery", "press", "mill")


def settings(wait_s: float) -> Settings:
    """Return the settings of every client and of who looks afterwards."""
    return replace(Settings(), gate=GateSettings(enabled=True), store=StoreSettings(wait_s=wait_s))


def parts() -> Parts:
    """Return an encoder and a model that need no file and no key."""
    return Parts(embedder=HashedEmbedder(64), llm=ExtractiveClient())


def note(key: str) -> str:
    """Return the text that is remembered under a key: no two are alike."""
    return f"Note {key}: the {_TRADES[sum(key.encode()) % len(_TRADES)]} of client {key} was repaired on a Sunday."


def question(key: str) -> str:
    """Return the question that is asked under a key."""
    return f"What was repaired in note {key}?"


class Client:
    """What one process does with the memory."""

    def __init__(self, voice: Voice, name: str) -> None:
        self._voice = voice
        self._name = name
        self._talk: str | None = None
        self._remembered: dict[str, str] = {}
        """Keys of what was acknowledged, with the rows' ids."""

    async def do(self, operation: str, number: int) -> dict[str, object]:
        """Do one thing and return what is to be said of it."""
        key = f"{self._name}-{number}"
        began = time.perf_counter()
        said: dict[str, object] = {"op": operation, "key": key}
        try:
            said.update(await getattr(self, f"_{operation}")(key))
        except OutcomeUnknown:
            said.update(unknown=True)
        return {**said, "ms": (time.perf_counter() - began) * 1000}

    async def _remember(self, key: str) -> dict[str, object]:
        report = await self._voice.remember(note(key))
        (self._remembered[key],) = report.stored
        return {"row": self._remembered[key]}

    async def _read(self, key: str) -> dict[str, object]:
        if not self._remembered:
            return {"found": len((await self._voice.retrieve("kiln"))["snippets"])}
        asked = list(self._remembered)[sum(key.encode()) % len(self._remembered)]
        row = (await self._voice.services.store.fetch([self._remembered[asked]])).get(self._remembered[asked])
        if row is None or getattr(row, "content", "") != note(asked):
            return {"wrong": asked}
        return {}

    async def _ask(self, key: str) -> dict[str, object]:
        turn = await self._voice.ask(question(key), session=self._talk, new_topic=self._topic())
        self._talk = turn.session.id
        return {"exchange": turn.exchange.id}

    async def _session(self, key: str) -> dict[str, object]:
        del key
        listed = await self._voice.services.sessions.sessions(limit=50)
        return {"sessions": len(listed)}

    def _topic(self) -> str | None:
        return None if self._talk else f"client {self._name}"


async def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("name")
    parser.add_argument("operations", type=int)
    parser.add_argument("--first", type=int, default=0, help="which operation it begins with; all come in turn")
    parser.add_argument("--wait", type=float, default=StoreSettings().wait_s)
    given = parser.parse_args()
    async with Voice.open(settings(given.wait), given.home, parts=parts()) as voice:
        client = Client(voice, given.name)
        print("ready", flush=True)
        await anyio.to_thread.run_sync(sys.stdin.readline)
        for number in range(given.operations):
            operation: str = OPERATIONS[(number + int(given.first)) % len(OPERATIONS)]
            said = await client.do(operation, number)
            print(json.dumps(said), flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    anyio.run(main)
