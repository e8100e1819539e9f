"""A memory that recall can read, in dictionaries, and a provider that a reader can check by eye."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar

from retrieval_doubles import NOW, Rows, StepClock
from voice.core.errors import InvalidParams
from voice.core.nlq.parsed_query import NlqSettings
from voice.core.recall.params import RecallRequest
from voice.core.recall.values import Capsule, Pin, RecallResult
from voice.core.records import Entity, Observation, Relation, Row, RowStatus, Scope, Table, Thought, table_of
from voice.core.retrieval.candidates import admits
from voice.core.retrieval.values import Found, Hit
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.words import words
from voice.ports.recall_stores import ALL_CAPSULES, CapsuleFilter
from voice.ports.retrieval_provider import ProviderAnswer, ProviderQuery, RetrievalProvider
from voice.ports.stores import SessionListItem
from voice.services.recall.capsules import CurrentSummary
from voice.services.recall.recall import Recall
from voice.services.retrieval.retrieve import QueryTime
from voice.services.retrieval.row_lookups import Names, Scoping

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Pins:
    """`PinStore`, for reading."""

    kept: list[Pin] = field(default_factory=list[Pin])

    async def save_pin(self, pin: Pin) -> Pin:
        raise AssertionError("recall writes nothing")

    async def remove_pin(self, pin_id: str) -> bool:
        raise AssertionError("recall writes nothing")

    async def pins(self, target_ids: Sequence[str] | None = None, *, active_at: datetime | None = None) -> list[Pin]:
        assert target_ids is None
        return [pin for pin in self.kept if active_at is None or pin.is_active(active_at)]


def _is_wanted(capsule: Capsule, where: CapsuleFilter) -> bool:
    return (
        where.status in ("all", capsule.status)
        and where.scope.admits(capsule.scope)
        and not (where.is_scoped and capsule.scope.is_empty)
        and not (where.has_summary and capsule.summary is None)
    )


@dataclass(slots=True, kw_only=True)
class Capsules:
    """`CapsuleStore`, for reading."""

    kept: list[Capsule]
    rows: dict[str, Row]

    async def save_capsule(self, capsule: Capsule, *, expected: int) -> Capsule:
        raise AssertionError("recall writes nothing")

    async def capsule(self, capsule_id: str) -> Capsule | None:
        return next((capsule for capsule in self.kept if capsule.id == capsule_id), None)

    async def capsules(self, *, limit: int, where: CapsuleFilter = ALL_CAPSULES) -> list[Capsule]:
        found = sorted((each for each in self.kept if _is_wanted(each, where)), key=lambda each: each.id)
        return newest(found, lambda each: each.opened_at)[:limit]

    async def thoughts(self, capsule: Capsule, *, limit: int) -> list[Thought]:
        found = sorted(self._inside(capsule), key=lambda each: each.id)
        return newest(found, lambda each: each.created_at)[:limit]

    async def private_thoughts(self, capsule: Capsule) -> int:
        raise AssertionError("recall counts no thoughts of capsules")

    def _inside(self, capsule: Capsule) -> list[Thought]:
        rows = (row for row in self.rows.values() if isinstance(row, Thought))
        return [row for row in rows if (row.thread, row.scope) == (capsule.id, capsule.scope)]


@dataclass(slots=True, kw_only=True)
class Sessions:
    """`SessionStore`, for reading."""

    kept: list[InnerVoiceSession] = field(default_factory=list[InnerVoiceSession])

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        raise AssertionError("recall writes nothing")

    async def load(self, session_id: str, *, window: int) -> InnerVoiceSession | None:
        found = next((each for each in self.kept if each.id == session_id), None)
        newest_ones = () if found is None or not window else found.context_window[-window:]
        return None if found is None else replace(found, context_window=newest_ones)

    async def topics(self) -> Mapping[str, str]:
        raise AssertionError("recall names no session")

    async def sessions(self, *, limit: int, status: Literal["open", "all"] = "all") -> list[SessionListItem]:
        found = sorted((each for each in self.kept if status in ("all", each.status)), key=lambda each: each.id)
        return [
            SessionListItem(
                id=each.id,
                thread_topic=each.thread_topic,
                status=each.status,
                created_at=each.created_at,
                last_interaction=each.last_interaction,
                total_exchanges=each.total_exchanges,
            )
            for each in newest(found, lambda each: each.last_interaction)[:limit]
        ]

    async def exchanges(
        self,
        *,
        exchange_id: str | None = None,
        idempotency: str | None = None,
        session_id: str | None = None,
        since: datetime | None = None,
        after_index: int = -1,
        limit: int = 1000,
    ) -> list[DialogueExchange]:
        return []  # what summaries here stem from was not kept: nothing of it is withheld

    def figures(self, since: datetime | None = None) -> AsyncIterator[Sequence[DialogueExchange]]:
        raise AssertionError("recall counts no turns")

    async def first_exchanges(self, session_ids: Collection[str]) -> Mapping[str, DialogueExchange]:
        raise AssertionError("recall names no session")


class Graph(Rows):
    """Rows, and what was distilled from thoughts."""

    async def derived_from(self, thought_ids: Sequence[str]) -> list[Row]:
        graph = [row for row in self.rows.values() if not isinstance(row, Thought)]
        return [row for row in graph if {origin.thought_id for origin in row.provenance} & {*thought_ids}]


@dataclass(slots=True, kw_only=True)
class Redacted:
    """`RedactedRows`, in no particular order: recall sorts."""

    rows: dict[str, Row]

    async def redacted(self) -> list[Row]:
        return [row for row in self.rows.values() if row.status is RowStatus.REDACTED]


@dataclass(slots=True, kw_only=True)
class Overlap:
    """A provider that scores a row by the share of the query's words that stand in its text."""

    rows: dict[str, Row]
    name: str = "overlap"
    is_deterministic: bool = True
    queries: list[ProviderQuery] = field(default_factory=list[ProviderQuery])

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        self.queries.append(query)
        seen = [row for row in self.rows.values() if row.id not in query.exclude_ids and admits(query.filter, row)]
        scored = [found for row in seen if (found := self._scored(row, query.text)) is not None]
        scored.sort(key=lambda one: (-one.rank_score, one.hit.table, one.hit.row_id))
        by_table = {table: [one for one in scored if one.hit.table is table] for table in Table}
        kept = [one for table in Table for one in by_table[table][: query.limit]]
        return ProviderAnswer(
            found=kept,
            admitted={table: sum(table_of(row.id) is table for row in seen) for table in Table},
            matched={table: len(by_table[table]) for table in Table},
        )

    def _scored(self, row: Row, text: str) -> Found | None:
        wanted = {word.stem for word in words(text)}
        share = len(wanted & {word.stem for word in words(said(row))}) / (len(wanted) or 1)
        hit = Hit(row_id=row.id, table=table_of(row.id), cosine=None, lexical=0.0)
        return Found(hit=hit, score=round(share, 6), rank_score=round(share, 6)) if share else None


@dataclass(slots=True, kw_only=True)
class Providers:
    """`RetrievalProviders` over one or several."""

    kept: tuple[RetrievalProvider, ...]

    def names(self) -> tuple[str, ...]:
        return tuple(provider.name for provider in self.kept)

    def named(self, name: str) -> RetrievalProvider:
        found = next((provider for provider in self.kept if provider.name == name), None)
        if found is None:
            raise InvalidParams(f"there is no such provider; use one of {', '.join(self.names())}")
        return found


def said(row: Row) -> str:
    """Return the words of a row that are searched."""
    match row:
        case Thought():
            return row.content
        case Observation():
            return row.text
        case Entity():
            return f"{row.name} {row.description}"
        case Relation():
            return f"{row.rel_type} {row.description}"


def newest(found: Iterable[T], moment: Callable[[T], datetime]) -> list[T]:
    """Return values newest first; of one moment, as they came."""
    return sorted(found, key=moment, reverse=True)


def recall_over(
    rows: Iterable[Row],
    *,
    pins: Iterable[Pin] = (),
    capsules: Iterable[Capsule] = (),
    sessions: Iterable[InnerVoiceSession] = (),
    provider: RetrievalProvider | None = None,
) -> Recall:
    """Return the service over a memory that holds these."""
    held = {row.id: row for row in rows}
    store = Graph.of(*held.values(), has_scoped_rows=any(not row.scope.is_empty for row in held.values()))
    kept, pinned = Capsules(kept=list(capsules), rows=held), Pins(kept=list(pins))
    return Recall(
        store=store,
        graph=store,
        pins=pinned,
        capsules=kept,
        scoping=Scoping(store=store, capsules=kept, pins=pinned),
        redacted=Redacted(rows=held),
        current=CurrentSummary(
            store=store, capsules=kept, sessions=Sessions(kept=list(sessions)), timezone="UTC", timeout_hours=24.0
        ),
        providers=Providers(kept=(provider or Overlap(rows=held),)),
        clock=StepClock(),
        time_of=QueryTime(names=Names(store, store), nlq=NlqSettings(), timezone="UTC"),
    )


def recalled(service: Recall, query: str, **members: object) -> RecallResult:
    """Return what a service recalls."""
    asked = replace(
        RecallRequest(query=query, scope=Scope.ALL, now=NOW, provider=service.providers.names()[0]),
        **members,  # pyright: ignore[reportArgumentType]
    )
    return finished(service(asked))


def finished(work: "Coroutine[object, object, T]") -> T:
    """Run work to its end, in a loop of its own."""
    with asyncio.Runner() as runner:
        return runner.run(work)
