"""What is decided of the beginning of a draft holds of the whole of it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounding_rows import MEMORY, MOVE, QUESTION, RENT, WINTER, row
from voice.core.grounding.draft import parse_draft
from voice.core.grounding.judge import judge
from voice.core.grounding.partial_draft import PartialDraft
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.refusal_reasons import early_refusal
from voice.core.grounding.values import Draft, GroundedResponse, GroundingPolicy, RefusalReason
from voice.core.records import TrustTier

pytestmark = pytest.mark.requirement("stream:early")

HEARSAY = row("S6", "Somebody pays 1,400 euros a month in Stockholm.", trust=TrustTier.AMBER)
ROWS = (*MEMORY, HEARSAY)
SAID = (
    *(one.text for one in ROWS),
    "I moved to Stockholm in March 2019 [S1].",
    "The flat costs 1,500 euros a month. [S2] Anna is here [S3].",
    "It is written there [S9].",
    "[S1]",
    "…",
    "",
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
_sources = st.lists(st.fixed_dictionaries({"source_id": _ids, "span": _spans}), max_size=3)
_sentences = st.lists(
    st.fixed_dictionaries(
        {"sources": _sources, "text": st.sampled_from(SAID), "kind": st.sampled_from(["claim", "remark", "question"])}
    ),
    max_size=4,
)
_answers = st.lists(st.sampled_from(SAID), max_size=4).map(" ".join)
_refused = st.sampled_from([False, None, False, True])
_ends = {"refused": _refused, "notes": st.sampled_from([None, 'a "note" [with] {brackets}'])}
_drafts = st.one_of(
    st.fixed_dictionaries({"sentences": _sentences, **_ends}),
    st.fixed_dictionaries({"sources": _sources, "answer": _answers, **_ends}),
    st.fixed_dictionaries({"sources": _sources, "answer": _answers, "sentences": _sentences, **_ends}),
)
_policies = st.builds(
    GroundingPolicy,
    min_sources=st.integers(0, 3),
    single_source=st.sampled_from(["off", "green"]),
    on_unsupported=st.sampled_from(["mark", "cut", "refuse"]),
)
_before = st.sampled_from(["", "\ufeff", "Here it is:\n```json\n", "<think>S9 {or} not</think> "])


def _earliest(text: str, cuts: list[int], policy: GroundingPolicy) -> GroundedResponse | None:
    partial = PartialDraft()
    for end in sorted({len(text), *(cut % (len(text) + 1) for cut in cuts)}):
        cited = partial.read(text[:end])
        if not partial.is_refusal and (found := early_refusal(cited, ROWS, policy)):
            return found
    return None


def _judged(draft: Draft, policy: GroundingPolicy) -> GroundedResponse:
    return judge(prove(draft, ROWS, ProofContext(question=QUESTION)), policy)


@settings(max_examples=100)
@given(
    draft=_drafts,
    order=st.permutations(["sources", "sentences", "answer", "refused", "notes"]),
    indent=st.sampled_from([None, 1]),
    before=_before,
    cuts=st.lists(st.integers(0, 2_000), max_size=8),
    policy=_policies,
)
def test_an_early_refusal_is_the_refusal_of_the_whole_draft(
    draft: dict[str, object],
    order: list[str],
    indent: int | None,
    before: str,
    cuts: list[int],
    policy: GroundingPolicy,
) -> None:
    """An early verdict implies the verdict on the whole: a refusal for the same reason, or one of the draft's own."""
    text = before + json.dumps({key: draft[key] for key in order if key in draft}, indent=indent, ensure_ascii=False)
    early, whole = _earliest(text, cuts, policy), parse_draft(text)
    if early is None or not isinstance(whole, Draft):
        return
    judgement = _judged(whole, policy)
    assert early.reason is RefusalReason.INVALID_CITATION
    assert judgement.refused
    if whole.refused:
        assert judgement.reason is RefusalReason.MODEL_REFUSED
        return
    assert judgement.answer == early.answer
    if "states nothing" in (judgement.notes or ""):
        assert judgement.reason is RefusalReason.COVERAGE_LOW
    else:
        assert judgement.reason is RefusalReason.INVALID_CITATION
        assert set(early.rejected_citations) <= set(judgement.rejected_citations)


@settings(max_examples=60)
@given(draft=_drafts, policy=_policies)
def test_an_invented_citation_never_waits_for_the_end(draft: dict[str, object], policy: GroundingPolicy) -> None:
    """What citations alone decide of the whole is decided while it comes; markers are judged with it."""
    text = json.dumps({**draft, "refused": False}, ensure_ascii=False)
    whole = parse_draft(text)
    if isinstance(whole, Draft) and "[S9]" not in text and _judged(whole, policy).reason is _INVENTED:
        early = _earliest(text, [], policy)
        assert early is not None
        assert early.reason is _INVENTED


_INVENTED = RefusalReason.INVALID_CITATION
_OPENING = '{"sentences": [{"sources": ['
_CITED = {
    "an invented id": ([("S1", MOVE.text), ("S9", "x")], True),
    "an invented quotation": ([("S1", "a quotation of nothing at all")], True),
    "a quotation of another row": ([("S1", RENT.text)], True),
    "a quotation cut in two and joined": ([("S1", "I moved with my sister Anna.")], True),
    "quotations that say nothing": ([("S1", "the"), ("S2", "a")], False),
    "one source of two": ([("S1", MOVE.text)], False),
    "all of them": ([("S1", MOVE.text), ("S2", RENT.text), ("S3", WINTER.text)], False),
    "an id in brackets": ([(" [s1] ", MOVE.text)], False),
}


@pytest.mark.parametrize("case", _CITED)
def test_a_closed_citation_decides(case: str) -> None:
    quotes, is_invented = _CITED[case]
    text = _OPENING + ", ".join(json.dumps({"source_id": alias, "span": span}) for alias, span in quotes)
    found = _earliest(text, [], GroundingPolicy())
    assert (found is not None) is is_invented
    if found is not None:
        assert (found.reason, found.sources, found.coverage_ratio, found.confidence) == (_INVENTED, (), 0.0, 0.0)
        assert found.evidence_found
        assert not any(span in (found.notes or "") for _, span in quotes if len(span) > 3)


@pytest.mark.parametrize("listed", ['"S9"', '{"source_id": "S9"}', '{"source_id": "S9", "span": 3}', "null"])
def test_an_item_that_is_no_citation_is_left_to_the_repair(listed: str) -> None:
    assert _earliest(f'{_OPENING}{listed}], "text": "', [], GroundingPolicy()) is None
    said = json.dumps({"source_id": "S9", "span": "x"})
    assert _earliest(f'{_OPENING}{said}], "text": "', [], GroundingPolicy()) is not None
