"""What is decided of the beginning of a draft holds of the whole of it."""

import json
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounding_rows import MEMORY, MOVE, QUESTION, RENT, WINTER, row
from voice.core.grounding.draft import parse_draft
from voice.core.grounding.early import early_refusal
from voice.core.grounding.judge import judge
from voice.core.grounding.partial import Partial
from voice.core.grounding.values import Draft, GroundedResponse, GroundingPolicy, RefusalReason
from voice.core.records import TrustTier

TWIN = row("S4", "My sister Anna came with me to Stockholm.", thoughts=MOVE.thought_ids)
JOINING = row("S5", "Rent and move were both in Stockholm.", thoughts=(*MOVE.thought_ids, *RENT.thought_ids))
HEARSAY = row("S6", "Somebody pays 1,400 euros a month in Stockholm.", trust=TrustTier.AMBER)
ROWS = (*MEMORY, TWIN, JOINING, HEARSAY)
SAID = (
    *(one.text for one in ROWS),
    "I moved to Stockholm in March 2019.",
    "The flat costs 1,500 euros a month.",
    "It is written there [S9].",
    "Nothing is known.",
    "…",
)
_ids = st.one_of(
    st.sampled_from([one.alias for one in ROWS]),
    st.sampled_from(["[S1]", " s2 ", "(S3)", "S9", "S0", "", "Ѕ1", "note 3", "S" * 70]),
)
_spans = st.one_of(
    st.sampled_from([one.text for one in ROWS]),
    st.sampled_from(
        ["in March 2021 with my sister Anna", "the", "", "a quotation of nothing at all", 'say "so" \\ {[']
    ),
)
_sources = st.lists(st.fixed_dictionaries({"source_id": _ids, "span": _spans}), max_size=5)
_drafts = st.fixed_dictionaries(
    {
        "sources": _sources,
        "answer": st.lists(st.sampled_from(SAID), max_size=4).map(" ".join),
        "refused": st.sampled_from([False, None, False, True]),
        "notes": st.sampled_from([None, 'a "note" [with] {brackets}']),
    }
)
_policies = st.builds(
    GroundingPolicy,
    min_sources=st.integers(0, 3),
    single_source=st.sampled_from(["off", "green"]),
    on_unsupported=st.sampled_from(["mark", "cut", "refuse"]),
)
_before = st.sampled_from(["", "\ufeff", "Here it is:\n```json\n", "<think>S9 {or} not</think> "])
_FIRST = {
    RefusalReason.INVALID_CITATION: frozenset[RefusalReason](),
    RefusalReason.NO_SOURCES: frozenset({RefusalReason.INVALID_CITATION, RefusalReason.CONTRADICTION}),
    RefusalReason.TOO_FEW_SOURCES: frozenset(
        {
            RefusalReason.INVALID_CITATION,
            RefusalReason.CONTRADICTION,
            RefusalReason.UNSUPPORTED_CLAIM,
            RefusalReason.COVERAGE_LOW,
        }
    ),
}
"""What the judgement on the whole names before each of the reasons that are found early (DESIGN 6)."""


def _written(draft: dict[str, object], order: tuple[str, ...], indent: int | None, before: str) -> str:
    return before + json.dumps({key: draft[key] for key in order}, indent=indent, ensure_ascii=False)


def _earliest(text: str, cuts: list[int], policy: GroundingPolicy) -> GroundedResponse | None:
    """Return the first refusal that a reply ends in as it comes in pieces."""
    partial = Partial()
    for start, end in pairwise(sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})):
        partial = partial.read(text[start:end])
        if found := early_refusal(partial, ROWS, policy):
            return found
    return None


@pytest.mark.requirement("stream:early")
@settings(max_examples=200)
@given(
    draft=_drafts,
    order=st.permutations(["sources", "answer", "refused", "notes"]).map(tuple),
    indent=st.sampled_from([None, 1]),
    before=_before,
    cuts=st.lists(st.integers(0, 2_000), max_size=8),
    policy=_policies,
)
def test_an_early_refusal_is_the_refusal_of_the_whole_draft(
    draft: dict[str, object],
    order: tuple[str, ...],
    indent: int | None,
    before: str,
    cuts: list[int],
    policy: GroundingPolicy,
) -> None:
    """An early verdict implies the verdict on the whole: a refusal for the same reason, or for one named before it."""
    text = _written(draft, order, indent, before)
    early, whole = _earliest(text, cuts, policy), parse_draft(text)
    if early is None or not isinstance(whole, Draft):
        return
    judgement = judge(whole, ROWS, policy, question=QUESTION)
    assert early.refused
    assert judgement.refused
    assert early.reason is not None
    assert judgement.answer == early.answer
    if whole.refused:
        assert judgement.reason is RefusalReason.MODEL_REFUSED
    elif judgement.notes is not None and "states nothing" in judgement.notes:
        assert judgement.reason is RefusalReason.COVERAGE_LOW
    else:
        assert judgement.reason in {early.reason, *_FIRST[early.reason]}
        assert set(early.rejected_citations) <= set(judgement.rejected_citations)


@pytest.mark.requirement("stream:early")
@settings(max_examples=60)
@given(draft=_drafts, policy=_policies)
def test_an_invented_source_never_waits_for_the_answer(draft: dict[str, object], policy: GroundingPolicy) -> None:
    """What the sources decide is decided when the list is closed."""
    text = _written({**draft, "refused": False}, ("sources", "answer", "refused", "notes"), None, "")
    whole = parse_draft(text)
    if not isinstance(whole, Draft):
        return
    judgement = judge(whole, ROWS, policy, question=QUESTION)
    early = _earliest(text[: text.index('"answer"')], [], policy)
    is_of_sources = "[S9]" not in whole.answer and "states nothing" not in (judgement.notes or "")
    if judgement.reason is RefusalReason.INVALID_CITATION and is_of_sources:
        assert early is not None
        assert early.reason is RefusalReason.INVALID_CITATION
    if early is None:
        assert not whole.sources or judgement.reason is not RefusalReason.NO_SOURCES


Case = tuple[list[tuple[str, str]], dict[str, object], RefusalReason | None]
_CLOSED: dict[str, Case] = {
    "an invented id": ([("S1", MOVE.text), ("S9", "x")], {}, RefusalReason.INVALID_CITATION),
    "an invented quotation": ([("S1", "a quotation of nothing at all")], {}, RefusalReason.INVALID_CITATION),
    "a quotation cited from its own row, too": ([("S1", RENT.text), ("S2", RENT.text), ("S3", WINTER.text)], {}, None),
    "quotations that say nothing": ([("S1", "the"), ("S2", "a")], {}, RefusalReason.NO_SOURCES),
    "one source of two": ([("S1", MOVE.text)], {}, RefusalReason.TOO_FEW_SOURCES),
    "two rows of one thought": ([("S1", MOVE.text), ("S4", TWIN.text)], {}, RefusalReason.TOO_FEW_SOURCES),
    "two rows that a third joins": ([("S1", MOVE.text), ("S2", RENT.text), ("S5", JOINING.text)], {}, None),
    "enough": ([("S1", MOVE.text), ("S2", RENT.text)], {}, None),
    "one that may be enough": ([("S1", MOVE.text)], {"single_source": "green"}, None),
    "one that is not trusted": ([("S6", HEARSAY.text)], {"single_source": "green"}, RefusalReason.TOO_FEW_SOURCES),
    "one where one is needed": ([("S1", MOVE.text)], {"min_sources": 1}, None),
    "none, which may be a refusal": ([], {}, None),
}


@pytest.mark.requirement("stream:early")
@pytest.mark.parametrize("refused", [False, True])
@pytest.mark.parametrize("case", _CLOSED)
def test_a_closed_list_decides(case: str, *, refused: bool) -> None:
    quotes, changed, reason = _CLOSED[case]
    sources = [{"source_id": alias, "span": span} for alias, span in quotes]
    order: Literal["refused", "notes"] = "refused" if refused else "notes"
    text = json.dumps({order: True if refused else None, "sources": sources})[:-1] + ', "answer": "'
    found = _earliest(text, [], GroundingPolicy(**changed))  # pyright: ignore[reportArgumentType]
    assert (found and found.reason) == (None if refused else reason)
    if found is not None:
        assert not found.sources
        assert found.evidence_found
        assert not any(span in (found.notes or "") for _, span in quotes if len(span) > 3)


@pytest.mark.requirement("stream:early")
@pytest.mark.parametrize("listed", ['"S1"', '[{"source_id": "S1"}]', '[{"source_id": "S1", "span": 3}]', "null"])
def test_a_list_that_is_none_is_left_to_the_repair(listed: str) -> None:
    assert _earliest(f'{{"sources": {listed}, "answer": "', [], GroundingPolicy()) is None
