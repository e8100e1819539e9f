"""The gate of the grounding contract, held at its edges: exactly enough passes, a little less does not."""

import pytest

from grounding_rows import CITED, GOOD, RENT, WINTER, judged
from voice.core.grounding.refusal import REFUSAL_TEXT
from voice.core.grounding.values import GroundingPolicy, RefusalReason

LOW = RefusalReason.COVERAGE_LOW
MOVED = "You moved to Stockholm in March 2021."
PADDED = f"{GOOD} The rooms are painted yellow."
"""Three quarters of it are held by the cited rows."""


def policy(coverage: float = 0.6, sources: int = 2) -> GroundingPolicy:
    return GroundingPolicy(min_coverage=coverage, min_sources=sources)


@pytest.mark.requirement("s2:test:grounding-validation", "s2:grounding:min_coverage_ratio", "s2:guarantee:1")
@pytest.mark.parametrize(("least", "reason"), [(0.0, None), (0.6, None), (0.75, None), (0.7501, LOW), (1.0, LOW)])
def test_coverage_is_enough_from_the_minimum_on(least: float, reason: RefusalReason | None) -> None:
    response = judged(PADDED, *CITED, policy=policy(coverage=least))
    assert response.coverage_ratio == pytest.approx(0.75)
    assert (response.reason, response.refused) == (reason, reason is not None)


@pytest.mark.requirement("s2:test:grounding-validation", "s2:grounding:min_sources", "ruling:D2")
@pytest.mark.parametrize(("least", "reason"), [(1, None), (2, None), (3, RefusalReason.TOO_FEW_SOURCES)])
def test_sources_are_enough_from_the_minimum_on(least: int, reason: RefusalReason | None) -> None:
    response = judged(GOOD, *CITED, policy=policy(sources=least))
    assert (response.source_count, response.coverage_ratio) == (2, 1.0)
    assert (response.reason, response.refused) == (reason, reason is not None)


@pytest.mark.requirement("s2:test:grounding-validation", "ruling:D2")
def test_a_source_that_carries_nothing_does_not_count() -> None:
    padding = ("S3", WINTER.text)
    assert judged(MOVED, CITED[0], padding).reason is RefusalReason.TOO_FEW_SOURCES
    assert judged(MOVED, CITED[0], CITED[0]).reason is RefusalReason.TOO_FEW_SOURCES


@pytest.mark.requirement(
    "s2:test:grounding-validation", "s2:provider:refusal-text", "s2:provider:gate", "s2:grounding:refused"
)
@pytest.mark.parametrize(
    ("answer", "cited", "figures"),
    [
        (f"{MOVED} Your flat has a sauna, a garden and a balcony.", CITED, ("60%", "%")),
        (MOVED, CITED[:1], ("1", "2")),
    ],
)
def test_what_is_refused_says_what_was_needed_and_what_there_was(
    answer: str, cited: tuple[tuple[str, str], ...], figures: tuple[str, str]
) -> None:
    response = judged(answer, *cited)
    assert (response.refused, response.answer, response.sources, response.confidence) == (True, REFUSAL_TEXT, (), 0.0)
    assert all(figure in (response.notes or "") for figure in figures)


@pytest.mark.requirement("s2:test:grounding-validation", "s2:checklist:citations-enforced")
@pytest.mark.parametrize(
    ("cited", "reason"),
    [
        ((), RefusalReason.NO_SOURCES),
        ((("S9", RENT.text), *CITED), RefusalReason.INVALID_CITATION),
        ((("S1", "I moved to Oslo in March 2021"), *CITED), RefusalReason.INVALID_CITATION),
        ((("S2", CITED[0][1]), ("S1", CITED[1][1])), RefusalReason.INVALID_CITATION),
    ],
)
def test_an_answer_is_worth_its_citations(cited: tuple[tuple[str, str], ...], reason: RefusalReason) -> None:
    assert judged(GOOD, *cited).reason is reason


@pytest.mark.requirement("s2:test:grounding-validation", "s2:grounding:confidence")
def test_confidence_follows_coverage() -> None:
    whole, part = judged(GOOD, *CITED), judged(PADDED, *CITED)
    assert 0.0 < part.confidence < whole.confidence <= 1.0
