"""Whether there is anything to ask a model about, and what a person is told where there is not."""

import pytest

from grounding_rows import MEMORY
from voice.core.grounding.refusal_reasons import check_evidence


def test_what_holds_a_row_can_be_asked() -> None:
    assert check_evidence(MEMORY, unshown=0, unfit=0).ok


@pytest.mark.parametrize(
    ("unshown", "unfit", "told"),
    [
        (0, 0, "I found nothing that matches this question"),
        (2, 0, "every note I found reads like instructions"),
        (0, 2, "raise SURR_INNER_VOICE_MAX_TOKENS"),
    ],
)
def test_a_prompt_without_rows_says_why_it_has_none(unshown: int, unfit: int, told: str) -> None:
    answerable = check_evidence((), unshown=unshown, unfit=unfit)
    assert not answerable.ok
    assert told in (answerable.missing or "")
