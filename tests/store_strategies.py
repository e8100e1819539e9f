"""How to draw any row and any text, for the store's property tests."""

from datetime import UTC

from hypothesis import strategies as st

from voice.core.records import (
    EmbeddingStatus,
    Entity,
    Observation,
    Origin,
    Provenance,
    Relation,
    Row,
    RowStatus,
    Scope,
    Thought,
    TrustTier,
)
from voice.core.vouch import Vouch


def _span(thought_id: str, start: int, length: int) -> Provenance:
    return Provenance(thought_id=thought_id, start=start, end=start + length)


# Any text that a person could have, and what no text may hold.
texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=60)
rough_texts = st.text(max_size=40).map(lambda text: text + "\x00")
_instants = st.datetimes(timezones=st.just(UTC))
_optional_texts = st.none() | texts
_many_texts = st.lists(texts, max_size=3).map(tuple)
_spans = st.builds(_span, texts, st.integers(0, 10**6), st.integers(0, 10**6))
_numbers = st.integers(-(2**63), 2**63 - 1)
_floats = st.floats(allow_nan=False, allow_infinity=False)
_row: dict[str, st.SearchStrategy[object]] = {
    "created_at": _instants,
    "recorded_at": _instants,
    "origin": st.sampled_from(Origin),
    "tags": _many_texts,
    "is_private": st.booleans(),
    "scope": st.builds(
        Scope, session_id=_optional_texts, repo_id=_optional_texts, agent_id=_optional_texts, user_id=_optional_texts
    ),
    "status": st.sampled_from(RowStatus),
    "revision": st.integers(1, 2**40),
    "embedding_status": st.sampled_from([EmbeddingStatus.PENDING, EmbeddingStatus.FAILED]),
    "superseded_by": _optional_texts,
    "superseded_at": st.none() | _instants,
    "superseded_reason": _optional_texts,
    "superseded_author": st.none() | st.sampled_from(Origin),
    "away": st.lists(_instants, max_size=4).map(tuple),
}
_graph_row: dict[str, st.SearchStrategy[object]] = _row | {
    "provenance": st.lists(_spans, max_size=3).map(tuple),
    "trust": st.sampled_from(TrustTier),
    "confidence": _floats,
    "valid_from": st.none() | _instants,
    "valid_until": st.none() | _instants,
}


def rows(key: str) -> st.SearchStrategy[Row]:
    """Any row of any type, under `key`."""
    return st.one_of(
        st.builds(
            Thought,
            id=st.just(f"t:{key}"),
            content=texts,
            kind=texts,
            speaker=_optional_texts,
            thread=_optional_texts,
            source_ref=_optional_texts,
            is_summary=st.booleans(),
            summary_of=_many_texts,
            pipeline=_optional_texts,
            significance=_floats,
            access_count=_numbers,
            last_accessed=st.none() | _instants,
            submode=_optional_texts,
            injected_memories=_many_texts,
            enriched_content=_optional_texts,
            injection_scale=_numbers,
            framework_enhanced=st.none() | st.booleans(),
            framework_analysis=_optional_texts,
            removal_marked_at=st.none() | _instants,
            noted_by=_optional_texts,
            vouched=st.none() | st.sampled_from([Vouch.WAITING, Vouch.APPROVED, Vouch.DECLINED]),
            vouched_at=st.none() | _instants,
            unfound=_many_texts,
            **_row,
        ),
        st.builds(
            Entity,
            id=st.just(f"e:{key}"),
            name=texts,
            entity_type=texts,
            description=texts,
            aliases=_many_texts,
            **_graph_row,
        ),
        st.builds(
            Observation,
            id=st.just(f"o:{key}"),
            text=texts,
            entity_ids=_many_texts,
            speaker=_optional_texts,
            thread=_optional_texts,
            **_graph_row,
        ),
        st.builds(
            Relation,
            id=st.just(f"r:{key}"),
            source_id=texts,
            target_id=texts,
            rel_type=texts,
            description=texts,
            **_graph_row,
        ),
    )
