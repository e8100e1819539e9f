"""A conversation of a thousand turns: its prompts keep to their budget, its last turns are word for word, none is lost.

Questions and answers are of drawn sizes, from one word to more than a prompt could show; some are refused. The store is
a plain list here: what stores keep of folded turns is held against each of them in the contract suite.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompt_rows import NOW, TEMPLATE, words
from store_values import exchange, session
from voice.core.context.build import ContextInputs, ContextPlan, build_context
from voice.core.grounding.values import Evidence, Receipt, SentenceVerdict
from voice.core.records import TrustTier
from voice.core.session.lifecycle import append
from voice.core.session.rolling_summary import SUMMARY_SHARE, fold, foldable
from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary

TURNS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How long things are, turn after turn, from the beginning again when they end."""

    questions: list[int]
    answers: list[list[int]]
    """Words of each sentence; none is a refusal."""
    limit: int
    keep: int
    budget: int


SHAPES = st.builds(
    Shape,
    questions=st.lists(st.integers(1, 40), min_size=1, max_size=7),
    answers=st.lists(st.lists(st.integers(1, 120), max_size=4), min_size=1, max_size=11),
    limit=st.integers(6, 12),
    keep=st.integers(1, 6),
    budget=st.integers(60, 900),
)


def asked(index: int, shape: Shape) -> DialogueExchange:
    lengths = shape.answers[index % len(shape.answers)]
    sentences = [" ".join(f"w{index}-{place}-{n}" for n in range(length)) for place, length in enumerate(lengths)]
    return exchange(
        index=index,
        timestamp=NOW + timedelta(hours=index),
        my_query=" ".join(f"q{index}-{n}" for n in range(shape.questions[index % len(shape.questions)])),
        answer=" ".join(sentences) if sentences else "Nothing.",
        status="answered" if sentences else "refused",
        refused=not sentences,
        sentences=tuple(_sentence(text, f"o:{index}-{place}") for place, text in enumerate(sentences)),
    )


def _sentence(text: str, row_id: str) -> SentenceVerdict:
    receipt = Receipt(row_id=row_id, content_hash="h", start=0, end=len(text))
    return SentenceVerdict(
        start=0, end=len(text), text=text, kind="claim", rung="verified", weight=words(text), receipts=(receipt,)
    )


def shown(so_far: InnerVoiceSession, question: str, shape: Shape) -> ContextPlan:
    rows = tuple(
        Evidence(
            alias="",
            row_id=f"o:{number}",
            source_type="kg_observation",
            text="Anna moved to Porto.",
            shown="Anna moved to Porto.",
            content_hash="h",
            trust=TrustTier.GREEN,
            created_at=NOW,
        )
        for number in range(2)
    )
    inputs = ContextInputs(question=question, evidence=rows, now=NOW)
    return build_context(so_far, inputs, template=TEMPLATE, budget=shape.budget, count=words)


def check_prompt(plan: ContextPlan, so_far: InnerVoiceSession, shape: Shape) -> None:
    assert words(plan.system) + words(plan.prompt) <= shape.budget
    by_id = {each.id: each for each in so_far.context_window}
    assert all(
        f"Asked: {by_id[key].my_query}\nAnswered: {by_id[key].answer}\n" in plan.prompt for key in plan.exchange_ids
    )


def check_summary(summary: RollingSummary, kept: list[DialogueExchange], most: int) -> None:
    folded = kept[: summary.through_index + 1]
    assert summary.exchanges_summarized == len(folded)
    assert words(summary.text) <= most
    said = {" ".join(sentence.text.split()) for each in folded for sentence in each.sentences}
    assert all(line.text.partition("] ")[2] in said for line in summary.lines if line.text)
    assert set(summary.source_ids) == {row_id for line in summary.lines for row_id, _ in line.grounds}
    raw = sum(words(each.my_query) + words(each.answer) for each in folded)
    assert summary.token_savings == raw - words(summary.text)


@pytest.mark.slow
@pytest.mark.requirement(
    "promise:7", "ruling:D10", "ruling:D16", "ruling:D17", "s2:session:context_window", "s2:tool:rolling-summary"
)
@settings(max_examples=3, deadline=None)
@given(SHAPES)
def test_a_thousand_turns_stay_in_budget_word_for_word_and_whole(shape: Shape) -> None:
    shape = replace(shape, keep=min(shape.keep, shape.limit))
    most = int(shape.budget * SUMMARY_SHARE)
    kept: list[DialogueExchange] = []
    so_far = session()
    for index in range(TURNS):
        turn = asked(index, shape)
        check_prompt(shown(so_far, turn.my_query, shape), so_far, shape)
        kept.append(turn)
        grown = append(so_far, turn)
        due = foldable(grown, window_limit=shape.limit, window_keep=shape.keep)
        so_far = fold(grown, due, now=turn.timestamp, count=words, max_tokens=most)
        folded = so_far.rolling_summary.through_index + 1 if so_far.rolling_summary else 0
        assert list(so_far.context_window) == kept[folded:]
        assert min(shape.keep, len(kept)) <= len(so_far.context_window) <= shape.limit
    assert so_far.rolling_summary is not None
    check_summary(so_far.rolling_summary, kept, most)
    assert so_far.total_exchanges == so_far.answered + so_far.refused == TURNS
    assert [each.index for each in kept] == list(range(TURNS))
