"""Two counts, or what is and what is not, that change places within one sentence (ruling D1)."""

import pytest

from grounding_rows import row
from voice.core.grounding.comparisons import comparison_findings
from voice.core.grounding.passages import all_passages
from voice.core.grounding.support import support_of
from voice.core.text.words import words


def _effects(claim: str, source: str) -> list[str]:
    support = support_of(words(claim), all_passages(row("S1", source)))
    return [one.effect for one in comparison_findings(claim, words(claim), support)]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The boat has three cabins and two masts.", "The boat has two cabins and three masts."),
        ("The ladder is in the barn, not behind the house.", "The ladder is behind the house, not in the barn."),
        ("Der Schlüssel liegt im Keller, nicht im Flur.", "Der Schlüssel liegt im Flur, nicht im Keller."),
    ],
)
def test_two_that_change_places_are_a_contradiction(claim: str, source: str) -> None:
    assert _effects(claim, source) == ["contradicted"]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The boat has three masts and two cabins.", "The boat has two cabins and three masts."),
        ("The boat has two masts and two cabins.", "The boat has two cabins and two masts."),
        ("The ladder is behind the house.", "The ladder is behind the house, not in the barn."),
        ("The ladder is behind the house, not in the barn.", "The ladder is behind the house, not in the barn."),
        ("The ladder is behind the house, not there.", "The ladder is behind the house, not in the barn."),
        ("Two men and two dogs met three dogs.", "Three men and two dogs met four dogs."),
    ],
)
def test_the_same_in_another_order_is_none(claim: str, source: str) -> None:
    assert _effects(claim, source) == []
