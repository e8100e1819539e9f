"""Random memories for recall: rows of every kind and state, pins, capsules and sessions, in a few scopes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

from hypothesis import strategies as st

from recall_doubles import recall_over
from retrieval_doubles import NOW
from retrieval_rows import entity, observation, relation, thought
from voice.core.recall.values import Capsule, Pin, Summary, summary_id
from voice.core.records import Entity, Origin, Provenance, Row, RowStatus, Scope, Thought, TrustTier
from voice.core.session.lifecycle import new_session
from voice.core.session.values import InnerVoiceSession, RollingSummary
from voice.services.recall.recall import Recall

SCOPES = (
    Scope(),
    Scope(repo_id="/a"),
    Scope(repo_id="/b"),
    Scope(session_id="s:1"),
    Scope(session_id="s:1", repo_id="/a"),
    Scope(user_id="ann"),
)
READS = (*SCOPES, Scope.ALL)
QUERIES = (
    "auth bug?", "what's the auth bug", "login.py", "C++", "ログインの問題", "auth-bug", "kiln", "", "the",
    "kiln in 2024", "\x00💥 ferry",
)  # fmt: skip
_LINES = (
    "Fixed the auth bug in login.py.",
    "The kiln was moved to the shed!",
    "Rewrote the parser in C++ because the old one was slow.",
    "昨日、港でログインの問題を直した。",
    "Took the ferry; ate too much.",
    "kiln",
)
_STATES = (*[RowStatus.ACTIVE] * 6, RowStatus.REDACTED, RowStatus.REMOVAL, RowStatus.SUPERSEDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a memory holds."""

    rows: tuple[Row, ...]
    pins: tuple[Pin, ...]
    capsules: tuple[Capsule, ...]
    sessions: tuple[InnerVoiceSession, ...]

    @property
    def is_scoped(self) -> bool:
        """Return whether a row, a pin or a capsule belongs to a scope."""
        return any(not each.scope.is_empty for each in (*self.rows, *self.pins, *self.capsules))

    def without_scopes(self, *, but: str) -> "World":
        """Return it with everything but one kind of thing taken out of its scope."""
        return World(
            rows=self.rows if but == "rows" else tuple(replace(row, scope=Scope()) for row in self.rows),
            pins=self.pins if but == "pins" else tuple(replace(pin, scope=Scope()) for pin in self.pins),
            capsules=self.capsules if but == "capsules" else tuple(map(_unscoped, self.capsules)),
            sessions=self.sessions,
        )

    def service(self, chance: Random | None = None) -> Recall:
        """Return the service over it, everything put in as it stands here, or in a chance order."""

        def mixed(items: Sequence[object]) -> list[object]:
            return list(items) if chance is None else chance.sample(items, len(items))

        return recall_over(
            mixed(self.rows),  # pyright: ignore[reportArgumentType]
            pins=mixed(self.pins),  # pyright: ignore[reportArgumentType]
            capsules=mixed(self.capsules),  # pyright: ignore[reportArgumentType]
            sessions=mixed(self.sessions),  # pyright: ignore[reportArgumentType]
        )


def worlds() -> "st.SearchStrategy[World]":
    """Return memories of up to some thirty rows; half of their texts are any text at all."""
    texts = st.lists(st.text(max_size=30).filter(str.strip), max_size=4)
    return st.builds(_world, st.integers(0, 2**32), texts)


def _world(seed: int, texts: list[str]) -> World:
    chance = Random(seed)
    lines = (*_LINES, *texts)
    thoughts = [_thought(n, chance, lines) for n in range(chance.randrange(10))]
    graph = [_graph_row(n, chance, lines, thoughts) for n in range(chance.randrange(8))]
    rows = (*thoughts, *graph, *_edges(chance, graph))
    capsules = tuple(_capsule(n, chance, lines, rows) for n in range(chance.choice((0, 1, 2, 9))))
    sessions = tuple(_session(n, chance, lines, rows) for n in range(1, chance.randrange(3) + 1))
    targets = [*(row.id for row in rows), *(summary_id(one.id) for one in (*capsules, *sessions)), "t:gone", "m:c:gone"]
    marked = chance.sample(targets, 2)  # few, so that one target has several pins
    pins = tuple(_pin(n, chance, marked) for n in range(chance.randrange(6)))
    world = World(rows=rows, pins=pins, capsules=capsules, sessions=sessions)
    return chance.choice((world, world, world.without_scopes(but=chance.choice(("rows", "pins", "capsules", "")))))


def _thought(n: int, chance: Random, lines: Sequence[str]) -> Thought:
    return replace(
        thought(f"{n}", " ".join(chance.choices(lines, k=chance.randrange(1, 4))), origin=chance.choice(list(Origin))),
        created_at=NOW - timedelta(hours=chance.randrange(100)),
        scope=chance.choice(SCOPES),
        status=chance.choice(_STATES),
        is_private=chance.random() < 0.2,
        thread=chance.choice((None, "c:0", "c:1")),
        is_summary=chance.random() < 0.1,
    )


def _graph_row(n: int, chance: Random, lines: Sequence[str], thoughts: Sequence[Thought]) -> Row:
    base = (
        observation(f"{n}", chance.choice(lines))
        if chance.random() < 0.6
        else entity(f"{n}", chance.choice(("Ada", "kiln")), chance.choice(("", *lines)))
    )
    behind = chance.sample(thoughts, min(len(thoughts), chance.randrange(3)))
    return replace(
        base,
        provenance=tuple(Provenance(thought_id=each.id, start=0, end=len(each.content)) for each in behind),
        created_at=NOW - timedelta(hours=chance.randrange(100)),
        scope=chance.choice(SCOPES),
        status=chance.choice(_STATES),
        is_private=chance.random() < 0.2,
        trust=chance.choice(list(TrustTier)),
    )


def _edges(chance: Random, graph: Sequence[Row]) -> Sequence[Row]:
    nodes = [row.id.partition(":")[2] for row in graph if isinstance(row, Entity)]
    if len(nodes) < 2:
        return []
    one, other = chance.sample(nodes, 2)
    edge = relation("1", one, "stands_by", other, "next to the kiln")
    return [replace(edge, is_private=chance.random() < 0.3, scope=chance.choice(SCOPES))]


def _capsule(n: int, chance: Random, lines: Sequence[str], rows: Sequence[Row]) -> Capsule:
    key, scope = f"c:{n}", chance.choice(SCOPES)
    opened = NOW - timedelta(hours=chance.randrange(50))
    behind = chance.sample([row.id for row in rows], min(len(rows), chance.randrange(2)))
    summary = Summary(
        id=summary_id(key),
        capsule_id=key,
        content=chance.choice(lines),
        confidence=0.5,
        evidence_refs=tuple(behind),
        created_at=opened,
        scope=scope,
        is_private=chance.random() < 0.3,
    )
    return Capsule(
        id=key,
        intent="some work",
        opened_at=opened,
        closed_at=chance.choice((None, None, NOW)),
        scope=scope,
        summary=chance.choice((None, summary)),
    )


def _unscoped(capsule: Capsule) -> Capsule:
    summary = None if capsule.summary is None else replace(capsule.summary, scope=Scope())
    return replace(capsule, scope=Scope(), summary=summary)


def _session(n: int, chance: Random, lines: Sequence[str], rows: Sequence[Row]) -> InnerVoiceSession:
    started = NOW - timedelta(hours=chance.randrange(30))
    base = new_session(session_id=f"s:{n}", topic="talk", provider="p", model="m", max_prompt_tokens=1000, now=started)
    behind = chance.sample([row.id for row in rows], min(len(rows), chance.randrange(2)))
    rolling = RollingSummary(
        text=chance.choice(lines),
        last_updated=started,
        exchanges_summarized=1,
        token_savings=0,
        source_ids=tuple(behind),
        is_private=chance.random() < 0.3,
    )
    return replace(base, rolling_summary=chance.choice((None, rolling)), status=chance.choice(("open", "closed")))


def _pin(n: int, chance: Random, targets: Sequence[str]) -> Pin:
    made = NOW - timedelta(hours=chance.randrange(1, 50))
    return Pin(
        id=f"p:{n}",
        target_id=chance.choice(targets),
        reason="it matters",
        created_at=made,
        expires_at=chance.choice((None, made + timedelta(hours=10))),
        scope=chance.choice(SCOPES),
        is_private=chance.random() < 0.2,
    )
