"""What a thousand turns cost beside each framework's own SQLite store: CPU seconds, of this process.

    python -m bench.frameworks [--turns 1000]      (where the extras and langgraph-checkpoint-sqlite are installed)

A turn of the OpenAI Agents SDK reads the last 20 items and keeps 2; one of LangGraph reads the latest checkpoint and
keeps the next, with one write.
"""

import argparse
import tempfile
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice
from voice.integrations.openai_agents import VoiceSession


async def _measured(name: str, turns: int, turn: Callable[[int], Awaitable[None]]) -> None:
    began, wall = time.process_time(), time.perf_counter()
    for number in range(turns):
        await turn(number)
    cpu, passed = time.process_time() - began, time.perf_counter() - wall
    print(f"{name:34} {turns} turns: {cpu:6.2f} s of CPU, {passed:6.2f} s")


async def _sessions(voice: Voice, folder: Path, turns: int) -> None:
    theirs = import_module("agents").SQLiteSession("one", folder / "session.sqlite")
    for name, session in (
        ("Agents SDK: VoiceSession", VoiceSession("one", voice)),
        ("Agents SDK: SQLiteSession", theirs),
    ):

        async def turn(number: int, session: Any = session) -> None:  # noqa: ANN401 - of the framework
            await session.get_items(20)
            said = {"role": "user", "content": f"Question {number}: where is the kiln?"}
            await session.add_items([said, {"role": "assistant", "content": "In the shed. " * 20}])

        await _measured(name, turns, turn)
    theirs.close()


async def _checkpoints(voice: Voice, folder: Path, turns: int) -> None:
    made = import_module("voice.integrations.langgraph_checkpointer").VoiceCheckpointer(voice)
    own = import_module("langgraph.checkpoint.sqlite.aio").AsyncSqliteSaver
    base, ids = import_module("langgraph.checkpoint.base"), import_module("langgraph.checkpoint.base.id")
    async with own.from_conn_string(str(folder / "saver.sqlite")) as theirs:
        for name, saver in (("LangGraph: VoiceCheckpointer", made), ("LangGraph: AsyncSqliteSaver", theirs)):
            config: Any = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}

            async def turn(number: int, saver: Any = saver, config: Any = config) -> None:  # noqa: ANN401 - of the framework
                await saver.aget_tuple(config)
                checkpoint = base.empty_checkpoint() | {"id": str(ids.uuid6(clock_seq=-1))}
                checkpoint["channel_values"] = {"said": "Where is the kiln? " * 20, "number": number}
                kept = await saver.aput(config, checkpoint, {"source": "loop", "step": number, "parents": {}}, {})
                await saver.aput_writes(kept, [("said", "In the shed. " * 20)], f"task-{number}")

            await _measured(name, turns, turn)


async def _main(turns: int) -> None:
    settings = parse_settings({"gate.enabled": True, "llm.provider": "extractive"}, {}, {}).settings
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        async with Voice.open(settings, folder / "home", parts=Parts(embedder=HashedEmbedder(64))) as voice:
            await _sessions(voice, folder, turns)
            await _checkpoints(voice, folder, turns)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1000)
    anyio.run(_main, parser.parse_args().turns)
