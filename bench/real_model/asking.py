"""The whole loop of the program, once for each question and policy, over memories made for it.

Law: nothing of a turn is replaced but the clock, the ids and the client that remembers replies: store, index, encoder,
prompt, parser, repair and judge are those that a person has. Each question opens a session of its own, so that no
prompt depends on another answer; the second policy judges the draft that the first one got.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from bench.real_input import POLICIES, ClockAt, Corpus, find_held, import_corpus, with_policy
from bench.real_model.cases import Case, HostileNote
from bench.real_model.drafts import Recorded, RecordingClient
from bench.report import progress
from voice.adapters.files.packaged_data import EXAMPLE_NOW, EXAMPLE_ZONE, example_memory
from voice.adapters.system.clock_and_ids import CountingIds
from voice.bootstrap import Parts, Services, open_services
from voice.core.grounding.draft import DraftFault, parse_draft
from voice.core.grounding.values import Draft
from voice.core.interchange.origin import Entrance
from voice.core.settings.parse import parse_settings
from voice.ports.search_index import Embedder
from voice.services.graph.editor import Backing
from voice.services.imports.request import ImportRequest
from voice.services.runtime.turn import Turn
from voice.services.turn.ask import AskRequest

_HOSTILE_THOUGHT: Final = "t:260109-web-pinblock"
"""The page in the example memory that a careless person approved."""
Flags = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one policy made of a draft."""

    status: str
    reason: str | None
    notes: str | None
    answer: str
    coverage: float
    cited_evidence: bool
    """Some of the case's evidence is among the kept citations."""
    vetoes: tuple[str, ...]
    """Checks that fired, each once."""

    @property
    def is_accepted(self) -> bool:
        """Whether the person got the answer."""
        return self.status == "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Everything about one case."""

    case: Case
    judged: Mapping[str, Judged]
    """By policy."""
    draft: Draft | DraftFault | None
    """The last reply, parsed; None when nobody was asked."""
    shown_evidence: bool
    calls: tuple[Recorded, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One memory that can be asked."""

    services: Services
    client: RecordingClient
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Thought id → what the cases call it, where that is another name."""

    async def outcomes(self, cases: Sequence[Case], what: str) -> list[Outcome]:
        """Ask every case under every policy; a case whose draft is missing is left out, and the client counts it."""
        found: list[Outcome] = []
        for case in progress(cases, what):
            missing = self.client.missing
            outcome = await self._outcome(case)
            found += [outcome] if self.client.missing == missing else []
        return found

    async def _outcome(self, case: Case) -> Outcome:
        calls: tuple[Recorded, ...] = ()
        judged: dict[str, Judged] = {}
        shown = False
        for policy in POLICIES:
            turn = await with_policy(self.services.makers.ask(), policy)(_request(case))
            calls = max(calls, self.client.take(), key=len)
            judged[policy] = self._judged(turn, case)
            shown = shown or bool(case.evidence & self._behind(turn, None))
        draft = parse_draft(calls[-1].text) if calls else None
        return Outcome(case=case, judged=judged, draft=draft, shown_evidence=shown, calls=calls)

    def _judged(self, turn: Turn, case: Case) -> Judged:
        exchange = turn.exchange
        cited = {citation.source_id for citation in exchange.sources}
        return Judged(
            status=exchange.status,
            reason=None if exchange.reason is None else exchange.reason.value,
            notes=exchange.notes,
            answer=exchange.answer,
            coverage=exchange.coverage_ratio,
            cited_evidence=bool(case.evidence & self._behind(turn, cited)),
            vetoes=tuple(sorted({flag for sentence in exchange.sentences for flag in sentence.flags})),
        )

    def _behind(self, turn: Turn, row_ids: set[str] | None) -> set[str]:
        """Return the items behind the rows of the prompt, or behind those of `row_ids`."""
        rows = turn.plan.evidence if turn.plan else ()
        return {
            self.names.get(thought, thought)
            for row in rows
            if row_ids is None or row.row_id in row_ids
            for thought in row.thought_ids
        }


def _request(case: Case) -> AskRequest:
    return AskRequest(
        question=case.question, new_topic=case.id, stance=case.stance, include_private=case.include_private
    )


MakeClient = Callable[[Flags], RecordingClient]
"""Makes the client for a group's settings."""


@asynccontextmanager
async def demo_world(
    home: Path,
    flags: Flags,
    make_client: MakeClient,
    hostile: Sequence[HostileNote] = (),
    embedder: Embedder | None = None,
) -> AsyncGenerator[World]:
    """Open the example memory, with hostile notes in its graph where some are given.

    Args:
        home: a new directory.
        flags: the settings, the zone aside.
        make_client: makes the client.
        hostile: notes that talk to the model.
        embedder: another encoder than the program's own.
    """
    settings = {**flags, "time.timezone": EXAMPLE_ZONE}
    client = make_client(settings)
    parts = Parts(clock=ClockAt(EXAMPLE_NOW), ids=CountingIds(), llm=client, embedder=embedder)
    async with open_services(parse_settings(settings, {}, {}).settings, home, parts) as services:
        request = ImportRequest(path=str(example_memory()), entrance=Entrance.CLI, zone=ZoneInfo(EXAMPLE_ZONE))
        await services.transfer.import_memory(request)
        for note in hostile:
            backing = Backing(thought_ids=(_HOSTILE_THOUGHT,))
            await services.graph_editor.add_observation(note.words, about=note.about, backing=backing)
        await services.index.refresh()
        yield World(services=services, client=client)


@asynccontextmanager
async def file_world(
    home: Path, flags: Flags, make_client: MakeClient, path: Path, corpus: Corpus
) -> AsyncGenerator[World]:
    """Open one corpus of a data file, taken in as a log that its person vouches for."""
    client = make_client(flags)
    parts = Parts(clock=ClockAt(corpus.asked_at), ids=CountingIds(), llm=client)
    async with open_services(parse_settings(flags, {}, {}).settings, home, parts) as services:
        await import_corpus(services, path, corpus)
        yield World(services=services, client=client, names=(await find_held(services)).ref_of)
