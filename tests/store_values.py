"""Values for the store's tests: the stores as one type, rows with every field filled, and how to draw any row."""

import asyncio
import math
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Protocol, TypeVar

from full_verdicts import CUT, SENTENCES, VERIFICATION
from voice.core.grounding.values import GroundingPolicy, LocatedSpan, RefusalReason, SourceCitation, Stance
from voice.core.records import (
    Entity,
    Observation,
    Origin,
    Provenance,
    Relation,
    Row,
    RowStatus,
    Scope,
    Thought,
    Tombstone,
    TrustTier,
    VectorRow,
)
from voice.core.session.lifecycle import append, new_session
from voice.core.session.values import Attempt, DialogueExchange, InnerVoiceSession, PromptRecord, RollingSummary
from voice.core.usage import Price, Total, Usage
from voice.core.vouch import Vouch
from voice.ports.llm import SpendStore
from voice.ports.recall_stores import CapsuleStore, PinStore
from voice.ports.removal import ExchangeRedaction, OrphanRowStore, RemovedRows, SessionRemoval, UndecidedCandidates
from voice.ports.review_stores import CandidateStore, ConflictLog, NotedRows
from voice.ports.row_queries import DependentRowStore, HistoryStore, IdPrefixes, MergeLog, RedactedRows, StoreScan
from voice.ports.stores import (
    GraphStore,
    LedgerStore,
    MemoryStore,
    MetricsStore,
    SessionStore,
    StoreMaintenance,
    TombstoneStore,
)

T = TypeVar("T")
RowT = TypeVar("RowT", Thought, Entity, Observation, Relation)
NOON = datetime(2025, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
FIRST_DAY = datetime(1, 1, 1, tzinfo=UTC)
LAST_DAY = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


class Ledger(LedgerStore, TombstoneStore, RedactedRows, Protocol):
    """One store keeps them all."""


class Candidates(CandidateStore, UndecidedCandidates, Protocol):
    """One store keeps and removes them, and knows of which thoughts they wait."""


class Removed(RemovedRows, DependentRowStore, Protocol):
    """One store takes rows away, and knows what rests on them."""


class Stores(Protocol):
    """What every bundle of stores offers."""

    @property
    def memory(self) -> MemoryStore: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def graph(self) -> GraphStore: ...
    @property
    def history(self) -> HistoryStore: ...
    @property
    def sessions(self) -> SessionStore: ...

    @property
    def words(self) -> ExchangeRedaction: ...
    @property
    def skimming(self) -> StoreScan: ...
    @property
    def beginnings(self) -> IdPrefixes: ...
    @property
    def noted(self) -> NotedRows: ...
    @property
    def spending(self) -> SpendStore: ...
    @property
    def removal(self) -> SessionRemoval: ...
    @property
    def metrics(self) -> MetricsStore: ...
    @property
    def pins(self) -> PinStore: ...
    @property
    def capsules(self) -> CapsuleStore: ...
    @property
    def candidates(self) -> Candidates: ...
    @property
    def merges(self) -> MergeLog: ...
    @property
    def conflicts(self) -> ConflictLog: ...
    @property
    def maintenance(self) -> StoreMaintenance: ...
    @property
    def torn(self) -> OrphanRowStore: ...
    @property
    def removed(self) -> Removed: ...
    async def aclose(self) -> None: ...


class Driven:
    """A store with a loop of its own, for tests that draw many examples: they cannot be async themselves."""

    def __init__(self, stores: Stores, runner: asyncio.Runner) -> None:
        self.stores = stores
        self._runner = runner

    def run(self, call: Coroutine[object, object, T]) -> T:
        """Run one call to its end."""
        return self._runner.run(call)


def there(value: T | None) -> T:
    """Return what must not be missing."""
    assert value is not None
    return value


def of_kind(row: Row, kind: type[RowT]) -> RowT:
    assert isinstance(row, kind)
    return row


def thought(key: str = "1", content: str = "The harbour was calm.", **members: object) -> Thought:
    base = Thought(id=f"t:{key}", created_at=NOON, recorded_at=NOON, origin=Origin.HUMAN, content=content)
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def entity(key: str = "1", name: str = "Ada", **members: object) -> Entity:
    base = Entity(id=f"e:{key}", created_at=NOON, recorded_at=NOON, origin=Origin.HUMAN, name=name)
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def observation(key: str = "1", text: str = "Ada moved to Porto.", **members: object) -> Observation:
    base = Observation(id=f"o:{key}", created_at=NOON, recorded_at=NOON, origin=Origin.HUMAN, text=text)
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def relation(key: str, source_id: str, target_id: str, **members: object) -> Relation:
    base = Relation(
        id=f"r:{key}",
        created_at=NOON,
        recorded_at=NOON,
        origin=Origin.HUMAN,
        source_id=source_id,
        target_id=target_id,
        rel_type="knows",
    )
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def vector(row_id: str, first: int = 1, dim: int = 4) -> VectorRow:
    return VectorRow(row_id=row_id, model="test-model", dim=dim, data=bytes([first, *([7] * (4 * dim - 1))]))


def tombstone(row_id: str, keyed_hash: str = "k" * 64) -> Tombstone:
    return Tombstone(row_id=row_id, keyed_hash=keyed_hash, reason="forgotten", at=NOON)


def span_of(thought_id: str) -> tuple[Provenance, ...]:
    return (Provenance(thought_id=thought_id, start=0, end=5),)


_EVERYTHING_OF_A_ROW: dict[str, object] = {
    "created_at": FIRST_DAY,
    "recorded_at": LAST_DAY,
    "origin": Origin.TOOL,
    "tags": ("b", "a", "ünï"),
    "is_private": True,
    "scope": Scope(session_id="s", repo_id="r", agent_id="a", user_id="u"),
    "status": RowStatus.REMOVAL,
    "revision": 7,
    "superseded_by": "o:9",
    "superseded_at": LAST_DAY,
    "superseded_reason": "misheard — \N{GRINNING FACE}",
    "superseded_author": Origin.HUMAN,
    "away": (FIRST_DAY, LAST_DAY),
}
_EVERYTHING_OF_A_GRAPH_ROW: dict[str, object] = _EVERYTHING_OF_A_ROW | {
    "provenance": (Provenance(thought_id="t:1", start=3, end=9), Provenance(thought_id="t:2", start=0, end=0)),
    "trust": TrustTier.GREEN,
    "confidence": 0.1,
    "valid_from": FIRST_DAY,
    "valid_until": LAST_DAY,
}


def full_rows() -> tuple[Row, ...]:
    """One row of each type with no field at its default but `seq` and `embedding_status`, which the store decides."""
    return (
        thought(
            "full",
            "Text with \N{GRINNING FACE}, שלום, 中文 and\ttabs\nand lines.",
            **_EVERYTHING_OF_A_ROW,
            kind="dream",
            speaker="Ann",
            thread="diary",
            source_ref="diary/1.md#2",
            is_summary=True,
            summary_of=("t:2", "t:1"),
            pipeline="inner_voice",
            significance=math.pi,
            access_count=2**63 - 1,
            last_accessed=NOON,
            submode="deep",
            injected_memories=("t:9",),
            enriched_content="more",
            injection_scale=-(2**63),
            framework_enhanced=False,
            framework_analysis="analysis",
            removal_marked_at=NOON,
            noted_by="an ägent",
            vouched=Vouch.PARTLY,
            vouched_at=FIRST_DAY,
            vouched_spans=(0, 4, 9, 12),
            unfound=("src/a.py", "1a2b3c4"),
        ),
        entity(
            "full",
            "Ada",
            **_EVERYTHING_OF_A_GRAPH_ROW,
            entity_type="person",
            description="a friend",
            aliases=("Adi", "A."),
        ),
        observation(
            "full",
            "Ada moved.",
            **_EVERYTHING_OF_A_GRAPH_ROW,
            entity_ids=("e:2", "e:1"),
            speaker="Ann",
            thread="diary",
            context_path=("Diary", "May"),
        ),
        relation("full", "e:1", "e:2", **_EVERYTHING_OF_A_GRAPH_ROW, description="since school"),
    )


def citation() -> SourceCitation:
    return SourceCitation(
        source_id="o:1",
        source_type="kg_observation",
        span="Ada moved",
        relevance=0.25,
        span_start=0,
        span_end=9,
        content_hash="h" * 64,
        created_at=FIRST_DAY,
        trust_tier=TrustTier.AMBER,
    )


def exchange(session_id: str = "s:1", index: int = 0, **members: object) -> DialogueExchange:
    base = DialogueExchange(
        id=f"x:{session_id.partition(':')[2]}-{index}",
        session_id=session_id,
        index=index,
        timestamp=NOON,
        my_query="Where does Ada live?",
        answer="In Porto.",
        sources=(),
        confidence=0.5,
        coverage_ratio=1.0,
        refused=False,
        memories_referenced=(),
        prompt_tokens=10,
        completion_tokens=4,
        latency_ms=12,
        cost_estimate=Decimal("0.000123"),
        prompt_hash=None,
        status="answered",
        stance=Stance.SYNTHESIZE,
        provider="extractive",
        model="extractive",
    )
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


def full_exchange(session_id: str = "s:1", index: int = 0) -> DialogueExchange:
    """An exchange with no field at its default."""
    return exchange(
        session_id,
        index,
        timestamp=LAST_DAY,
        sources=(citation(), citation()),
        refused=True,
        memories_referenced=("o:1", "e:1"),
        prompt_tokens=None,
        cost_estimate=None,
        prompt_hash="p" * 64,
        status="refused",
        stance=Stance.CHALLENGE,
        reason=RefusalReason.COVERAGE_LOW,
        notes="a note",
        sentences=SENTENCES,
        rejected_citations=(LocatedSpan(alias="S9", status="unknown_source", start=1, end=2, reason="not shown"),),
        evidence_found=(citation(),),
        prompt=PromptRecord(
            prompt_hash="p" * 64,
            template="answer.v1",
            template_hash="t" * 64,
            evidence=(("o:1", "h" * 64),),
            summary_revision=3,
            window_exchange_ids=("x:0",),
            now=NOON,
            timezone="Europe/Berlin",
            prompt_tokens_estimated=99,
            rendering=(("token_budget", "4000"),),
        ),
        policy=GroundingPolicy(
            min_coverage=0.7,
            min_sources=3,
            single_source="green",
            on_unsupported="refuse",
            support_threshold=1.5,
            min_weight_share=0.5,
        ),
        attempts=(
            Attempt(usage=Usage(input_tokens=5), latency_ms=7, outcome="malformed", draft_hash="d" * 64),
            Attempt(usage=Usage(input_tokens=5, output_tokens=6, cached_input_tokens=1), latency_ms=8, outcome="draft"),
        ),
        cached_tokens=1,
        price_source="genai-prices 2026-11-01",
        price=Price(
            input_per_million=Decimal("1.25"),
            output_per_million=Decimal(10),
            cached_input_per_million=Decimal("0.31"),
            source="genai-prices",
            as_of="2026-11-01",
        ),
        provider="gemini",
        model="gemini-2.5-pro",
        is_private=True,
        self_reported=(("coverage", "1.0"),),
        verification=VERIFICATION,
        cut=CUT,
        premise=("your question says 20; the source says 12",),
    )


def session(session_id: str = "s:1", **members: object) -> InnerVoiceSession:
    """A session that was never saved."""
    fresh = new_session(
        session_id=session_id,
        topic="moving house",
        provider="extractive",
        model="extractive",
        max_prompt_tokens=4000,
        now=NOON,
    )
    return replace(fresh, **members)  # pyright: ignore[reportArgumentType]


def full_session(session_id: str = "s:1") -> InnerVoiceSession:
    """A session with no field at its default but `context_window`, which is not stored."""
    return session(
        session_id,
        rolling_summary=RollingSummary(
            text="- [2025-03-01] Ada moved.",
            last_updated=LAST_DAY,
            exchanges_summarized=2,
            token_savings=40,
            revision=2,
            through_index=1,
            source_ids=("o:1",),
            is_private=True,
        ),
        created_at=FIRST_DAY,
        last_interaction=LAST_DAY,
        total_exchanges=0,
        total_tokens=2**40,
        total_cost=Total(known=Decimal("0.1000"), unknown_count=2),
        status="expired",
        revision=1,
        answered=1,
        refused=2,
        errors=3,
        model_changes=((1, "gemini/gemini-2.5-pro"),),
        topic_status="resolved",
        begun_by="an ägent",
    )


async def talk(store: SessionStore, exchanges: Sequence[DialogueExchange]) -> InnerVoiceSession:
    """Save a session with these exchanges, one turn each, and return it as last saved."""
    now = session(exchanges[0].session_id)
    for each in exchanges:
        now = await store.save(append(now, each), [each], expected=now.revision)
    return now
