"""A memory to ask, wired as the program wires it, with time, ids, encoder and model in the test's hands."""

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import SCRIPTED_PROFILE, ExtractiveClient, Line, ScriptedClient
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.bootstrap import Parts, Services, open_services
from voice.core.errors import EmbedderUnavailable
from voice.core.grounding.answer_text import opening_of
from voice.core.grounding.verifier_values import CalibrationRecord
from voice.core.records import Origin, Row
from voice.core.session.turn_events import EventListener, ignore_event
from voice.core.session.values import DialogueExchange
from voice.core.settings.providers import VerifierSettings
from voice.core.settings.values import Settings, StoreSettings
from voice.core.usage import Price, Usage
from voice.ports.files import CalibrationStore
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile
from voice.ports.retrieval_provider import Reranker
from voice.ports.search_index import Embedder
from voice.ports.system import Clock, IdSource, Telemetry
from voice.services.graph.editor import Backing
from voice.services.memory.ingest_values import NewThought
from voice.services.turn.ask import AskRequest, Turn

NOW = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
MOVED = "The kiln moved to the shed behind the house in March."
FIRED = "Marta fired the first bowls in the kiln in the shed on Sunday."
GLAZE = "The blue glaze for the bowls needs cobalt and two firings."
FERRY = "Took the ferry to the island with Jonas and ate far too much."
KILN = (MOVED, FIRED, GLAZE, FERRY)
WHERE = "Where is the kiln?"
BOTH = "What does the blue glaze for the bowls need, and where is the kiln?"
UNTOLD = "What did Aunt Wilhelmina say about quantum gravity?"
"""A question that nothing of it answers."""
USAGE = Usage(input_tokens=1000, output_tokens=100, cached_input_tokens=0)
PRICE = Price(input_per_million=Decimal(1), output_per_million=Decimal(10), source="table", as_of="2026-01-01")
PAID: ModelProfile = replace(SCRIPTED_PROFILE, provider="vendor", model="paid-1", remote=True, price=PRICE)
Speak = Callable[[LlmRequest], Line]
OfRows = TypeVar("OfRows", bound=Row)


def given(**groups: object) -> Settings:
    """Return settings for a store in memory, with whole groups replaced: `given(llm=LlmSettings(…))`."""
    return replace(Settings(), **{"store": StoreSettings(url="mem://"), **groups})  # pyright: ignore[reportArgumentType]


UNVERIFIED = VerifierSettings(name="none")
ON_DISK = StoreSettings()
Place = Callable[[StoreSettings, Path], StoreSettings]
SOMEWHERE_ELSE: list[Place] = []
"""Says where memories are opened instead of in memory and in their homes; none: there."""


class Calibrations:
    """Calibrations in memory: where `believing`, every verifier has passed."""

    def __init__(self, *records: CalibrationRecord, believing: bool = False) -> None:
        self.records = {record.verifier: record for record in records}
        self.believing = believing

    def read(self) -> tuple[CalibrationRecord, ...]:
        return tuple(self.records.values())

    def of(self, verifier: str) -> CalibrationRecord | None:
        return self.records.get(verifier) or (passed(verifier) if self.believing else None)

    def keep(self, record: CalibrationRecord) -> None:
        self.records[record.verifier] = record


def passed(verifier: str, *, false_support: float = 0.02) -> CalibrationRecord:
    """Return how a verifier did that was tried; by default, well."""
    return CalibrationRecord(
        verifier=verifier, checked_on=NOW.date(), claims=96, false_support=false_support, false_doubt=0.1
    )


@asynccontextmanager
async def memory(
    home: Path,
    llm: LlmClient | None = None,
    *,
    told: Sequence[str] = (),
    settings: Settings | None = None,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    embedder: Embedder | None = None,
    telemetry: Telemetry | None = None,
    checker: LlmClient | None = None,
    calibrations: CalibrationStore | None = None,
    reranker: Reranker | None = None,
) -> AsyncGenerator[Services]:
    """Open a memory in `home` that was `told` these thoughts; without a model it answers with its own sentences.

    Whoever checks answers has passed its calibration, unless `calibrations` says otherwise.
    """
    parts = Parts(
        clock=clock or FixedClock(NOW),
        ids=ids or CountingIds(),
        embedder=embedder or HashedEmbedder(128),
        llm=llm or ExtractiveClient(),
        telemetry=telemetry,
        checker=checker,
        calibrations=calibrations or Calibrations(believing=True),
        reranker=reranker,
    )
    async with open_services(_placed(settings or given(), home), home / "home", parts) as services:
        if told:
            await tell(services, *told)
        yield services


def _placed(settings: Settings, home: Path) -> Settings:
    store = settings.store
    for elsewhere in SOMEWHERE_ELSE:
        store = elsewhere(store, home)
    return replace(settings, store=store)


async def tell(services: Services, *texts: str, **fields: object) -> tuple[str, ...]:
    """Remember each text as a thought of the person's own and return the thoughts' ids."""
    made = [NewThought(content=text, **{"origin": Origin.HUMAN, **fields}) for text in texts]  # pyright: ignore[reportArgumentType]
    return (await services.ingest.remember(made)).stored


async def ask(services: Services, question: str = WHERE, **fields: object) -> Turn:
    """Ask, in a new session if there is none to continue."""
    return await services.ask(AskRequest(question=question, **{"create": True, **fields}))  # pyright: ignore[reportArgumentType]


async def all_rows(services: Services) -> list[Row]:
    """Return every row in the order in which it was last written."""
    return [change.row for change in await services.store.changes(0, 100_000) if change.row is not None]


async def rows_of(services: Services, kind: type[OfRows]) -> list[OfRows]:
    return [row for row in await all_rows(services) if isinstance(row, kind)]


async def row_of(services: Services, row_id: str, kind: type[OfRows]) -> OfRows:
    row = (await services.store.fetch([row_id]))[row_id]
    assert isinstance(row, kind)
    return row


async def stored(services: Services) -> list[DialogueExchange]:
    """Return every stored exchange, oldest first."""
    return await services.sessions.exchanges()


async def know(
    services: Services, name: str, entity_type: str, description: str, *aliases: str, is_private: bool = False
) -> str:
    """Enter an entity into the graph and return its id."""
    backing = Backing(is_private=is_private)
    entered = await services.graph_editor.add_entity(
        name, entity_type=entity_type, description=description, aliases=aliases, backing=backing
    )
    return entered.row.id


async def one_turn(
    home: Path,
    llm: LlmClient | None = None,
    question: str = WHERE,
    tell: EventListener = ignore_event,
    **wiring: object,
) -> Turn:
    """Ask one question of a memory that was told of the kiln; `wiring` is what `memory` takes."""
    async with memory(home, llm, **{"told": KILN, **wiring}) as services:  # pyright: ignore[reportArgumentType]
        return await services.ask(AskRequest(question=question, create=True), tell)


def wire(answer: str, *quotes: tuple[str, str], **members: object) -> str:
    """Return a draft in S2's form; `quotes` are (alias, span)."""
    sources = [{"source_id": alias, "span": span} for alias, span in quotes]
    return json.dumps({"sources": sources, "answer": answer, "refused": False, "notes": None, **members})


def sentence(text: str, *quotes: tuple[str, str], kind: str = "claim") -> dict[str, object]:
    """Return one sentence of the wire schema; `quotes` are (alias, span)."""
    return {"sources": [{"source_id": alias, "span": span} for alias, span in quotes], "text": text, "kind": kind}


def sentences(*said: dict[str, object], **members: object) -> str:
    """Return a draft in the wire schema."""
    return json.dumps({"sentences": said, "refused": False, "notes": None, **members})


def quoting(*spans: str, answer: str | None = None, **members: object) -> Speak:
    """Return a model that says `spans`, each cited from the rows that hold it; with an `answer`, that in S2's form."""

    def speak(request: LlmRequest) -> str:
        quotes = {span: [(row.alias, span) for row in request.evidence if span in row.text] for span in spans}
        if answer is None:
            return sentences(*(sentence(span, *quotes[span]) for span in spans), **members)
        return wire(answer, *(quote for span in spans for quote in quotes[span]), **members)

    return speak


GROUNDED: Speak = quoting(MOVED, FIRED)
"""Says where the kiln is, from two rows."""


def scripted(*lines: Line | Speak, seen: list[LlmRequest] | None = None, **fields: object) -> ScriptedClient:
    """Return a client that plays the lines one after the other and then repeats the last one."""
    left = list(lines)

    def speak(request: LlmRequest) -> Line:
        line = left.pop(0) if len(left) > 1 else left[0]
        return line(request) if callable(line) else line

    return ScriptedClient(speak, seen=seen, **{"usage": USAGE, **fields})  # pyright: ignore[reportArgumentType]


def grounded(seen: list[LlmRequest] | None = None, **fields: object) -> ScriptedClient:
    """Return a client that answers where the kiln is, from two rows."""
    return scripted(GROUNDED, seen=seen, **fields)


def reply(text: str, usage: Usage) -> LlmReply:
    """Return a reply with a usage of its own."""
    return LlmReply(text=text, usage=usage, model="scripted-1", finish_reason="stop")


class MoodyEmbedder(HashedEmbedder):
    """Encodes until it is told to fail, and remembers what it was given."""

    def __init__(self, provider: str = "local") -> None:
        super().__init__(128)
        self.provider = provider
        self.down = False
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        if self.down:
            raise EmbedderUnavailable("the encoder does not answer")
        self.texts.extend(texts)
        return await super().embed(texts)


def is_wordless_refusal(exchange: DialogueExchange, draft: str) -> bool:
    """Return whether the exchange gives no answer and holds no word of the draft."""
    is_told = exchange.answer == opening_of(exchange.reason)
    return exchange.refused and is_told and not exchange.sources and draft not in repr(exchange)


def later(**delta: float) -> datetime:
    """Return an instant after `NOW`."""
    return NOW + timedelta(**delta)


def supports_everything(request: LlmRequest) -> str:
    """Say of every claim that it is supported, and name all that it cites."""
    asked = json.loads(request.prompt)
    text = {one["source_id"]: one["text"] for one in asked["sources"]}
    claims = [
        {
            "number": one["number"],
            "words": [{"source_id": alias, "words": text[alias], "doubt": None} for alias in one["cites"]],
            "verdict": "supported",
        }
        for one in asked["claims"]
    ]
    return json.dumps({"claims": claims, "answers_question": True})
