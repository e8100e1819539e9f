"""The process that `bench.reembed_crash` kills: it gives a memory the vectors of another encoder, and answers besides.

An encoder of this benchmark is named by its generation, and each has another dimension than the one before. It counts
what it is given. What a row's vector must be is what the encoder makes of the row's text, which anybody can compute
again: so a vector that is torn, an older encoder's or another row's is seen.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, get_args

import anyio
import anyio.lowlevel
import numpy as np

from bench.killed import Say
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import EmbedderUnavailable, StoreHeld
from voice.core.records import Origin, Table
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.values import RowFilter
from voice.core.settings.providers import EmbedSettings
from voice.core.settings.values import Settings
from voice.ports.search_index import IndexQuery
from voice.services.memory.ingest_values import NewThought

NOTES: Final = 150
"""Told when a memory is made; each is two rows, so that a command has several batches to do."""
WAITING: Final = 40
"""Told before each trial while the encoder fails."""
AT_ONCE: Final = 16
"""Rows that wait and are embedded by one call; fewer than the command takes, so that there are several."""
EVERYTHING: Final = 10**6
_BESIDE: Final = 20
"""Hits of each table that are looked at while a command runs."""
Command = Literal["reembed", "embed-pending", "reindex"]
COMMANDS: Final[tuple[Command, ...]] = get_args(Command)
_DIMS: Final = (64, 96, 48)
_NEAR: Final = 3e-6
"""Scores are rounded to six places, cosines are taken in float32."""
_NOW: Final = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
QUESTION: Final = "Which bowl of the shelf goes into the kiln?"


class Encoder(HashedEmbedder):
    """The encoder of a generation."""

    def __init__(self, generation: int) -> None:
        """Make the encoder; its dimension is not that of the generations beside it."""
        super().__init__(_DIMS[generation % len(_DIMS)])
        self.model = f"crash-{generation}"
        self.texts = 0
        """How many it was given."""
        self.is_down = False

    def encoded(self, text: str) -> bytes:
        """Return the vector of a text, uncounted: for whoever looks."""
        return self._encode(text)

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text.

        Raises:
            EmbedderUnavailable: it was told to fail.
        """
        if self.is_down:
            raise EmbedderUnavailable("the encoder is down")
        self.texts += len(texts)
        await anyio.lowlevel.checkpoint()
        return await super().embed(texts)


def open_with(home: Path, encoder: Encoder) -> AbstractAsyncContextManager[Services]:
    """Open the memory with an encoder; nothing leaves this machine."""
    settings = replace(Settings(), embed=EmbedSettings(provider="hash"))
    return open_services(settings, home, Parts(clock=FixedClock(_NOW), embedder=encoder))


async def tell(home: Path, generation: int, first: int, ready: int, waiting: int) -> int:
    """Tell notes, the last of them while the encoder fails, and return how many rows the memory has."""
    encoder = Encoder(generation)
    async with open_with(home, encoder) as services:
        await services.ingest.remember([_note(first + place) for place in range(ready)])
        encoder.is_down = True
        await services.ingest.remember([_note(first + ready + place) for place in range(waiting)])
        return sum((await services.store.status()).rows.values())


def _note(number: int) -> NewThought:
    row_id = f"t:note{number:06}"
    return NewThought(content=told_of(row_id), origin=Origin.HUMAN, id=row_id)


def told_of(row_id: str) -> str:
    """Return what the thought of that id says."""
    number = int(row_id[-6:])
    words = " ".join(f"glaze{number * step % 97}" for step in range(1, 10))
    return f"Put the bowl number {number} of the shelf into the kiln. {words}"


async def carry_out(services: Services, command: Command, say: Say) -> None:
    """Do what `voice maintain` does under that name; `say` gets a line for each step."""
    match command:
        case "reembed":
            await services.ingest.reembed(limit=EVERYTHING, progress=lambda rows: say(f"step {rows}"))
        case "embed-pending":
            while rows := await services.ingest.embed_pending(limit=AT_ONCE):
                say(f"step {rows}")
        case "reindex":
            await services.index.rebuild(lambda done, _total: say(f"step {done}"))


async def work_and_answer(home: Path, generation: int, command: Command, say: Say) -> None:
    """Carry the command out, and look at what searches find at the same time until it is done."""
    encoder = Encoder(generation)
    async with open_with(home, encoder) as services:
        await wrong_hits(services, encoder, _BESIDE)
        say("open")
        async with anyio.create_task_group() as both:

            async def answer() -> None:
                while True:
                    for wrong in await wrong_hits(services, encoder, _BESIDE):
                        say(f"wrong {wrong}")
                    say("searched")
                    await anyio.lowlevel.checkpoint()

            both.start_soon(answer)
            await carry_out(services, command, say)
            both.cancel_scope.cancel()
        say("done")


async def finish(home: Path, generation: int) -> dict[Command, int]:
    """Carry every command out to its end, and return how many texts each gave the encoder."""
    encoder = Encoder(generation)
    given: dict[Command, int] = {}
    async with open_with(home, encoder) as services:
        for command in COMMANDS:
            before = encoder.texts
            await carry_out(services, command, lambda _line: None)
            given[command] = encoder.texts - before
    return given


async def asked_beside(home: Path, generation: int) -> list[str]:
    """Ask the memory from another process; return what is wrong with what it finds, `refused` where it is turned away.

    An embedded store has one holder: that others are told so is right, and that they find something wrong is not.
    """
    encoder = Encoder(generation)
    try:
        async with open_with(home, encoder) as services:
            return await wrong_hits(services, encoder)
    except StoreHeld:
        return ["refused"]


async def wrong_hits(services: Services, encoder: Encoder, limit: int = EVERYTHING) -> list[str]:
    """Search by words and vector; return each hit whose likeness is not that of this encoder's vectors."""
    asked = encoder.encoded(QUESTION)
    await services.index.refresh()
    query = IndexQuery(
        filter=RowFilter(tables=frozenset(Table)), vector=asked, text=QUESTION, weights=(0.7, 0.3), limit=limit
    )
    answer = await services.index.search(query)
    rows = await services.store.fetch([hit.row_id for hit in answer.hits])
    wrong = [] if any(hit.lexical > 0 for hit in answer.hits) else ["nothing is found by its words"]
    for hit in answer.hits:
        if hit.cosine is not None and hit.row_id in rows:
            must_be = _cosine(encoder.encoded(indexed_text(rows[hit.row_id], {})), asked)
            if abs(hit.cosine - must_be) > _NEAR:
                wrong.append(f"{hit.row_id} is {hit.cosine:.6f} like the question, not {must_be:.6f}")
    return wrong


def _cosine(one: bytes, other: bytes) -> float:
    a, b = (np.frombuffer(each, dtype="<f4").astype(np.float64) for each in (one, other))
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))
