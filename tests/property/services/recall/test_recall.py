"""The laws of recall, over a thousand random memories."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_doubles import recalled
from recall_worlds import QUERIES, READS, World, worlds
from voice.core.errors import ScopeRequired
from voice.core.recall.candidates import DISTRUST
from voice.core.recall.compose import tokens_of
from voice.core.recall.disclosure import thoughts_behind as behind
from voice.core.recall.values import RecalledEntity, RecallResult
from voice.core.records import Row, RowStatus, Scope, Thought, table_of
from voice.core.render.recall import render_recall
from voice.core.retrieval.ranking import PLACES
from voice.core.text.normalise import content_hash

BOUND = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question, with everything that may be said beside it."""

    query: str
    scope: Scope
    token_budget: int | None
    max_candidates: int
    limit: int | None
    include_private: bool
    include_redacted: bool

    def of(self, world: World, chance: Random | None = None) -> RecallResult:
        return recalled(
            world.service(chance),
            self.query,
            scope=self.scope,
            token_budget=self.token_budget,
            max_candidates=self.max_candidates,
            limit=self.limit,
            include_private=self.include_private,
            include_redacted=self.include_redacted,
        )


_ASKED = st.builds(
    Asked,
    query=st.sampled_from(QUERIES) | st.text(max_size=20),
    scope=st.sampled_from(READS),
    token_budget=st.none() | st.integers(0, 200),
    max_candidates=st.integers(1, 20),
    limit=st.none() | st.integers(1, 5),
    include_private=st.booleans(),
    include_redacted=st.booleans(),
)


def _bytes(result: RecallResult) -> bytes:
    return json.dumps(render_recall(result), ensure_ascii=False).encode()


@pytest.mark.slow
@pytest.mark.requirement(
    "promise:8", "s4:determinism", "ruling:G.2b", "ruling:A15", "ruling:D14",
    "s4:dedupe:pins", "s4:dedupe:summary", "s4:scope:and", "s4:redaction:excluded", "promise:6",
)  # fmt: skip
@settings(max_examples=150, deadline=None)
@given(worlds(), _ASKED, st.integers(0, 2**16))
def test_the_laws_hold_in_every_memory(world: World, asked: Asked, seed: int) -> None:
    """Over a search that looks at three rows of a table, so that every bound is met."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("voice.services.recall.recall.POOL", BOUND)
        patch.setattr("voice.services.recall.capsules.OPEN_UNITS", BOUND)
        if asked.scope.is_empty and world.is_scoped:
            with pytest.raises(ScopeRequired):
                asked.of(world)
            return
        result = asked.of(world)
        assert _bytes(result) == _bytes(asked.of(world)) == _bytes(asked.of(world, Random(seed)))
        _nothing_stands_twice(result)
        _nothing_is_shown_that_may_not_be_seen(result, world, asked)
        _what_is_open_and_says_something_is_the_current_summary(result, world, asked)
        _the_budget_is_kept(result, asked)
        _the_counts_are_true(result, asked)
        _the_ranking_does_not_depend_on_how_much_was_asked_for(result, world, asked)


def _shown(result: RecallResult) -> list[RecalledEntity]:
    current = [result.current_summary] if result.current_summary else []
    return [*(pin.target for pin in result.pins), *current, *(one.entity for one in result.candidates)]


def _nothing_stands_twice(result: RecallResult) -> None:
    ids = [entity.id for entity in _shown(result)]
    assert len(ids) == len(set(ids))
    upper = {content_hash(pin.target.content) for pin in result.pins if not pin.target.redacted}
    upper |= {content_hash(result.current_summary.content)} if result.current_summary else set()
    found = [content_hash(one.entity.content) for one in result.candidates if not one.entity.redacted]
    assert len(found) == len(set(found))
    assert upper.isdisjoint(found)


def _nothing_is_shown_that_may_not_be_seen(result: RecallResult, world: World, asked: Asked) -> None:
    rows: dict[str, Row] = {row.id: row for row in world.rows}
    for pin in result.pins:
        assert asked.scope.admits(pin.pin.scope)
        assert pin.pin.is_active(result.provenance.now)
        assert asked.include_private or not pin.pin.is_private
        assert (pin.pin.reason == "[redacted]") == pin.target.redacted
    for entity in _shown(result):
        assert asked.include_private or not entity.is_private
        row = rows.get(entity.id)
        if row is None:
            _the_summary_may_be_told(entity, rows, asked)
            continue
        assert asked.scope.admits(entity.scope)
        assert row.status is RowStatus.ACTIVE or (entity.redacted and asked.include_redacted)
        assert entity.redacted == (row.status is RowStatus.REDACTED) == (entity.content == "[redacted]")
        assert asked.include_private or not row.is_private
        assert entity.redacted or not (isinstance(row, Thought) and row.is_summary)
        assert entity.redacted or not any(_is_silenced(rows, one, asked) for one in behind(row))


def _the_summary_may_be_told(entity: RecalledEntity, rows: Mapping[str, Row], asked: Asked) -> None:
    assert entity.entity_kind == "summary"
    resting = [rows[row_id] for row_id in entity.evidence_refs]
    beside = replace(asked.scope, session_id=None)
    is_named = entity.scope == Scope(session_id=asked.scope.session_id) and bool(resting)
    assert asked.scope.admits(entity.scope) or (is_named and all(beside.admits(row.scope) for row in resting))
    for row in resting:
        assert row.status is RowStatus.ACTIVE
        assert asked.include_private or not row.is_private
        assert not any(_is_silenced(rows, one, asked) for one in behind(row))


def _what_is_open_and_says_something_is_the_current_summary(result: RecallResult, world: World, asked: Asked) -> None:
    in_scope = [one for one in world.capsules if one.status == "open" and asked.scope.admits(one.scope)]
    saying = [one for one in in_scope if one.summary and not one.summary.is_private and not one.summary.evidence_refs]
    if saying and len(in_scope) <= BOUND:
        assert result.current_summary or "the current summary is pinned" in " ".join(result.provenance.warnings)


def _is_silenced(rows: Mapping[str, Row], thought_id: str, asked: Asked) -> bool:
    said = rows.get(thought_id)
    is_hidden = isinstance(said, Thought) and (said.is_summary or (said.is_private and not asked.include_private))
    return is_hidden or (said is not None and said.status is RowStatus.REDACTED)


def _the_budget_is_kept(result: RecallResult, asked: Asked) -> None:
    made = result.provenance
    assert made.tokens_used == sum(map(tokens_of, _shown(result)))
    if asked.token_budget is None:
        assert made.dropped_by_budget == made.over_budget_by == 0
        return
    assert made.over_budget_by == max(0, made.tokens_used - asked.token_budget)
    assert not (made.over_budget_by and result.candidates)


def _the_counts_are_true(result: RecallResult, asked: Asked) -> None:
    made = result.provenance
    assert made.returned_candidates == len(result.candidates)
    assert made.returned_candidates + made.dropped_by_budget <= made.considered <= made.total_candidates
    is_full = asked.limit is not None and made.returned_candidates == asked.limit
    assert is_full or made.returned_candidates + made.dropped_by_budget == made.considered
    assert made.truncated_due_to_token_budget == bool(made.dropped_by_budget)
    assert asked.limit is None or made.returned_candidates <= asked.limit


def _the_ranking_does_not_depend_on_how_much_was_asked_for(result: RecallResult, world: World, asked: Asked) -> None:
    whole = replace(asked, token_budget=None, max_candidates=500, limit=None).of(world)
    total = whole.provenance.total_candidates
    assert total >= len(whole.candidates)
    assert total == result.provenance.total_candidates or not _all_was_looked_at(world)
    scored = [one for one in whole.candidates if not one.entity.redacted]
    redacted = [one for one in whole.candidates if one.entity.redacted]
    place = [
        (-round(one.score - DISTRUST[one.entity.trust], PLACES), _table(one.entity), one.entity.id) for one in scored
    ]
    assert place == sorted(place)
    assert all(0.0 <= one.score <= 1.0 for one in whole.candidates)
    unbounded = replace(asked, token_budget=None, limit=None).of(world)
    if _all_was_looked_at(world):
        assert unbounded.candidates == (*scored[: asked.max_candidates], *redacted[: asked.max_candidates])
    else:  # of rows that only `whole` looked at, one may be a more trusted copy of a text
        texts = {content_hash(one.entity.content) for one in whole.candidates}
        assert all(content_hash(one.entity.content) in texts for one in unbounded.candidates)
    assert result.provenance.considered == len(unbounded.candidates)
    left = iter(unbounded.candidates)
    assert all(one in left for one in result.candidates)
    _what_was_left_out_did_not_fit(result, unbounded, asked)


def _all_was_looked_at(world: World) -> bool:
    """Return whether no table holds more rows than the search looks at, so that nothing is counted unseen."""
    return max(Counter(table_of(row.id) for row in world.rows).values(), default=0) <= BOUND


def _what_was_left_out_did_not_fit(result: RecallResult, unbounded: RecallResult, asked: Asked) -> None:
    """A candidate is left out only where it would have exceeded the budget when its turn came (ruling D14)."""
    if result.provenance.over_budget_by:
        return
    used = result.provenance.tokens_used - sum(tokens_of(one.entity) for one in result.candidates)
    taken = 0
    for one in unbounded.candidates:
        if taken == asked.limit:
            break
        if one in result.candidates:
            used += tokens_of(one.entity)
            taken += 1
        else:
            assert asked.token_budget is not None
            assert used + tokens_of(one.entity) > asked.token_budget
    assert taken == len(result.candidates)


def _table(entity: RecalledEntity) -> str:
    return "summaries" if entity.entity_kind == "summary" else table_of(entity.id).value
