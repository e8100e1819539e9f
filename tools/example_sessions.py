"""Writes sessions/: a conversation with the example memory, as it is exported, and its transcript.

Time, ids, key and encoder are fixed, so that it writes the same bytes wherever it runs.
"""

import asyncio
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.files.packaged_data import EXAMPLE_NOW, EXAMPLE_ZONE, example_memory
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.grounding.values import Stance
from voice.core.interchange.origin import Entrance
from voice.core.render.conversation import transcript_markdown
from voice.core.settings.values import Settings, StoreSettings
from voice.core.text.display import printable_block
from voice.entrypoints.cli.terminal.printing import json_text
from voice.services.imports.memory_files import ImportRequest
from voice.services.turn.ask import AskRequest

SESSIONS = Path(__file__).resolve().parents[1] / "sessions"
NAME = "piano-tuner"
TOPIC = "A piano tuner's week"
QUESTIONS = (
    AskRequest(question="What did Mestre Horácio give or leave me?", new_topic=TOPIC),
    AskRequest(question="Which marathon did I run in Porto?"),
    AskRequest(question="What did Vasco want on Tuesday?"),
    AskRequest(question="I would never tune a piano with an app.", stance=Stance.CHALLENGE),
    AskRequest(question="How long did the Hotel Miradouro take to pay its invoice?", include_private=True),
)


async def written() -> dict[str, str]:
    """Return the files of the example by name."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        key = home / "key"
        key.touch(mode=0o600)
        key.write_bytes(bytes(range(32)))  # a key for everybody to see: what it seals is an example
        base = Settings()
        settings = replace(base, store=StoreSettings(url="mem://"), time=replace(base.time, timezone=EXAMPLE_ZONE))
        parts = Parts(
            clock=FixedClock(EXAMPLE_NOW), ids=CountingIds(), embedder=HashedEmbedder(), llm=ExtractiveClient()
        )
        async with open_services(settings, home, parts) as services:
            return await _held(services)


async def _held(services: Services) -> dict[str, str]:
    """Hold the conversation and return its files."""
    request = ImportRequest(path=str(example_memory()), entrance=Entrance.CLI, zone=ZoneInfo(EXAMPLE_ZONE))
    await services.transfer.import_memory(request)
    for question in QUESTIONS:
        await services.ask(question)
    left = await services.transcripts.export(TOPIC)
    text = transcript_markdown(left.session, left.exchanges, timezone=EXAMPLE_ZONE)
    return {f"{NAME}.json": json_text(left.document.members()) + "\n", f"{NAME}.md": printable_block(text)}


def main() -> None:
    """Write the files of sessions/."""
    for name, text in asyncio.run(written()).items():
        (SESSIONS / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote sessions/{name}\n")


if __name__ == "__main__":
    main()
