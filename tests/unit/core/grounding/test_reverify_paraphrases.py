"""A sentence that verifiers found supported in other words is audited without asking them again."""

from dataclasses import replace

import pytest

from grounding_rows import MEMORY, QUESTION, draft, row
from voice.core.grounding.judge import judge
from voice.core.grounding.opinions import Opinion
from voice.core.grounding.reverify import StoredAnswer, reverify
from voice.core.grounding.values import GroundedResponse, GroundingPolicy

POLICY = GroundingPolicy(min_sources=1, min_coverage=0.5)
CITED = ("S1", "I moved to Stockholm in March 2021 with my sister Anna.")
TODAY = {each.row_id: each for each in MEMORY}
FOR = Opinion(effect="supported", by=("one",))


def answered() -> GroundedResponse:
    strict = replace(POLICY, support_threshold=0.3)
    claim = "You moved there with your sister in March 2021."
    return judge(draft(claim, CITED), MEMORY, strict, question=QUESTION, opinions={claim: FOR})


def stored(response: GroundedResponse) -> StoredAnswer:
    policy = replace(POLICY, support_threshold=0.3)
    return StoredAnswer(question=QUESTION, sentences=response.sentences, sources=response.sources, policy=policy)


@pytest.mark.requirement("promise:9")
def test_over_unchanged_rows_the_opinion_stands() -> None:
    response = answered()
    assert response.sentences[0].flags == ("paraphrase",)
    assert [one.status for one in reverify(stored(response), TODAY)] == ["still_grounded"]


def test_over_a_changed_row_it_does_not() -> None:
    changed = TODAY | {"o:s1": row("S1", "I moved to Oslo in March 2021 with my sister Anna.")}
    assert [one.status for one in reverify(stored(answered()), changed)] == ["source_changed"]


def test_a_sentence_that_a_hard_check_speaks_against_is_not_saved_by_its_flag() -> None:
    response = answered()
    forged = replace(response.sentences[0], text="You moved there with your sister in March 2012.")
    again = replace(response, sentences=(forged,))
    assert [one.status for one in reverify(stored(again), TODAY)] == ["no_longer_supported"]
