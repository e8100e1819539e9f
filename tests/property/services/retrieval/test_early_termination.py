"""Looking at the best rows only gives the choice that looking at all of them gives."""

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval_doubles import Rows, StepClock, scoping_over
from retrieval_rows import entity, observation, relation, thought
from voice.core.records import Observation, Origin, Relation, Row, Table, Thought, TrustTier, table_of
from voice.core.retrieval.passages import EvidenceRequest
from voice.core.retrieval.selection_rules import text_key
from voice.core.retrieval.values import LOCAL_PROVIDERS, Found, Hit, RetrieveParams, Selection
from voice.core.text.normalise import content_hash
from voice.ports.retrieval_provider import ProviderAnswer, ProviderQuery, RetrievalProvider
from voice.services.retrieval.search import Retrieve

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Says:
    """A provider of any name that found what it is told; it heeds no limit."""

    name: str
    found: tuple[Found, ...]
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        asked = tuple(one for one in self.found if one.hit.table in query.filter.tables)
        return ProviderAnswer(found=asked, admitted={}, matched={})

    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def named(self, name: str) -> RetrievalProvider:
        return self


def finish(work: Coroutine[object, None, _Result]) -> _Result:
    """Run what never waits for anything."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a double does not wait")


def retrieve_from(rows: Sequence[Row], provider: Says) -> tuple[Retrieve, Rows]:
    store = Rows.of(*rows)
    scoping = scoping_over(store)
    return Retrieve(store=store, graph=store, providers=provider, scoping=scoping, clock=StepClock()), store


def _row(chance: Random, number: int) -> Row:
    """Return a row such that doubles, bare names, private rows and rows of every trust are common."""
    text = chance.choice("abcdefgh")
    match chance.choice(("thought", "observation", "observation", "entity", "relation")):
        case "thought":
            origin = chance.choice((Origin.HUMAN, Origin.HUMAN, Origin.TOOL, Origin.MODEL))
            row: Row = replace(thought(str(number), text, origin=origin), is_summary=chance.random() < 0.1)
        case "observation":
            row = observation(str(number), text, trust=chance.choice((TrustTier.GREEN, *TrustTier)))
        case "entity":
            row = entity(str(number), text, chance.choice(("", text)))
        case _:
            ends = [str(chance.randrange(25)) for _ in range(2)]
            row = relation(str(number), ends[0], "knows", ends[1], chance.choice(("", text)))
    return replace(row, is_private=chance.random() < 0.1)


def _known(chance: Random, row: Row | None) -> tuple[int, TrustTier | None]:
    """Return what an index may know of the row: what it says and its trust; of a row that is gone, anything."""
    if row is None:
        return text_key(content_hash(chance.choice("abcdefgh"))), chance.choice(tuple(TrustTier))
    if not isinstance(row, Thought | Observation) or chance.random() < 0.2:
        return 0, None
    return text_key(content_hash(row.content if isinstance(row, Thought) else row.text)), row.trust


def _found(chance: Random, row_id: str, row: Row | None, name: str) -> Found | None:
    cosine = None if chance.random() < 0.1 else chance.randrange(11) / 10
    rank = cosine if name == "local-vector" else chance.randrange(11) / 10
    if rank is None or chance.random() < 0.1:
        return None
    says, trust = _known(chance, row)
    hit = Hit(
        row_id=row_id,
        table=table_of(row_id),
        cosine=cosine,
        lexical=max(0, chance.randrange(-9, 10)) / 10,
        says=says,
        trust=trust,
    )
    return Found(hit=hit, score=rank, rank_score=rank)


Case = tuple[list[Row], Says, RetrieveParams]


def _case(seed: int) -> Case:
    chance = Random(seed)
    rows = [_row(chance, number) for number in range(chance.randrange(30))]
    if chance.random() < 0.5:
        rows = [row for row in rows if row.trust is TrustTier.GREEN]
    name, floor = chance.choice(LOCAL_PROVIDERS), chance.choice((0.0, 0.3, 0.6, 1.0))
    there: dict[str, Row | None] = {**{row.id: row for row in rows}, "t:gone1": None, "o:gone2": None}
    found = [one for row_id, row in there.items() if (one := _found(chance, row_id, row, name)) is not None]
    chance.shuffle(found)
    params = RetrieveParams(
        query="q",
        top_k=chance.randint(1, 8),
        mix=chance.randint(0, 20) / 20,
        floor=floor,
        min_floor=min(floor, chance.choice((0.0, 0.3))),
        provider=name,
        include_private=chance.random() < 0.5,
        order=chance.choice((None, "created_at_desc")),
    )
    return rows, Says(name, tuple(found)), params


_CASES = st.integers(0, 2**48).map(_case)


def without_account(selection: Selection) -> Selection:
    return replace(
        selection,
        snippets=tuple(replace(snippet, also_in=()) for snippet in selection.snippets),
        dropped=(),
        diagnostics=replace(selection.diagnostics, latency_ms=0),
    )


@pytest.mark.requirement("promise:8", "ruling:C7", "ruling:C8")
@settings(max_examples=400)
@given(_CASES)
def test_the_choice_is_the_same_whether_some_rows_are_looked_at_or_all(case: Case) -> None:
    rows, provider, params = case
    some, _ = retrieve_from(rows, provider)
    every, _ = retrieve_from(rows, provider)
    plain = finish(some(params))
    assert without_account(plain) == without_account(finish(every(replace(params, explain=True))))
    assert plain.dropped == ()


@pytest.mark.requirement("promise:8", "ruling:A2")
@settings(max_examples=200)
@given(_CASES, st.integers(1, 12))
def test_evidence_is_the_same_whether_some_rows_are_looked_at_or_all(case: Case, limit: int) -> None:
    rows, provider, _ = case
    asked = EvidenceRequest(query="q", limit=limit, floor=0.3)
    live = replace(asked, superseded=True)
    some, _ = retrieve_from(rows, replace(provider, name="local-hybrid"))
    every, _ = retrieve_from(rows, replace(provider, name="local-hybrid"))
    plain, whole = finish(some.fetch_evidence(asked)), finish(every.fetch_evidence(live))
    assert [one.row.id for one in plain.chosen] == [one.row.id for one in whole.chosen]
    assert [one.text for one in plain.chosen] == [one.text for one in whole.chosen]


@pytest.mark.requirement("s0:performance:candidate-cap")
def test_of_many_rows_little_more_is_fetched_than_is_shown() -> None:
    rows: list[Row] = [*(thought(f"{n:03}") for n in range(150)), *(observation(f"{n:03}") for n in range(150))]
    found = tuple(
        Found(hit=Hit(row_id=row.id, table=table_of(row.id), cosine=score, lexical=0.5), score=score, rank_score=score)
        for row, score in zip(rows, [round(0.9 - n % 150 / 300, 4) for n in range(300)], strict=True)
    )
    retrieve, store = retrieve_from(rows, Says("local-vector", found))
    selection = finish(retrieve(RetrieveParams(query="q", top_k=10)))
    assert len(selection.snippets) == 10
    assert (selection.diagnostics.kg_candidates, selection.diagnostics.thought_candidates) == (150, 150)
    assert len(store.fetched) <= 20


@pytest.mark.requirement("s0:performance:candidate-cap", "ruling:C8")
def test_where_it_is_known_what_rows_say_only_those_that_are_shown_are_fetched() -> None:
    """Even where what is shown has little trust and others of more trust wait: they say something else."""
    rows: list[Row] = [
        thought(f"{n:03}", f"text {n}", origin=Origin.TOOL if n < 2 else Origin.HUMAN) for n in range(90)
    ]
    rows += [observation(f"{n:03}", f"fact {n // 2}", trust=TrustTier.AMBER) for n in range(90)]
    found: list[Found] = []
    for n, row in enumerate(rows):
        assert isinstance(row, Thought | Observation)
        says = text_key(content_hash(row.content if isinstance(row, Thought) else row.text))
        score = round(0.9 - n % 90 / 300, 4)
        hit = Hit(row_id=row.id, table=table_of(row.id), cosine=score, lexical=0.5, says=says, trust=row.trust)
        found.append(Found(hit=hit, score=score, rank_score=score))
    retrieve, store = retrieve_from(rows, Says("local-hybrid", tuple(found)))
    selection = finish(retrieve(RetrieveParams(query="q", top_k=10, provider="local-hybrid")))
    assert sorted(snippet.id for snippet in selection.snippets) == sorted(store.fetched)
    assert len(store.fetched) == 10
    every, _ = retrieve_from(rows, Says("local-hybrid", tuple(found)))
    whole = finish(every(RetrieveParams(query="q", top_k=10, provider="local-hybrid", explain=True)))
    assert [one.id for one in whole.snippets] == [one.id for one in selection.snippets]


@pytest.mark.requirement("s0:performance:candidate-cap", "ruling:C3")
def test_of_rows_that_are_all_below_the_floor_the_nearest_alone_are_fetched() -> None:
    """How far the floor falls is known from the scores; what it still leaves out is not read."""
    rows = [thought(str(number), f"text {number}") for number in range(60)]
    hits = [Hit(row_id=row.id, table=Table.THOUGHTS, cosine=at / 300, lexical=0.0) for at, row in enumerate(rows)]
    found = tuple(Found(hit=hit, score=hit.cosine or 0.0, rank_score=hit.cosine or 0.0) for hit in hits)
    retrieve, store = retrieve_from(rows, Says("local-vector", found))
    selection = finish(retrieve(RetrieveParams(query="q", floor=0.25, min_floor=0.15)))
    assert [snippet.id for snippet in selection.snippets] == store.fetched == ["t:59"]


def test_a_relation_is_only_lifted_where_the_output_knows_none() -> None:
    rows: list[Row] = [entity("a", "Ada", "an engineer"), entity("b", "Bo", "a cook"), relation("1", "a", "knows", "b")]
    found = (Found(hit=Hit(row_id="r:1", table=Table.RELATIONS, cosine=0.9, lexical=0.0), score=0.9, rank_score=0.9),)
    retrieve, _ = retrieve_from(rows, Says("local-hybrid", found))
    assert [
        snippet.id for snippet in finish(retrieve(RetrieveParams(query="q", provider="local-hybrid"))).snippets
    ] == ["e:a"]
    evidence = finish(retrieve.fetch_evidence(EvidenceRequest(query="q")))
    assert all(isinstance(one.row, Relation) for one in evidence.chosen)
