"""How many: clamped, defaulted, or refused."""

import pytest

from voice.core.errors import InvalidParams
from voice.core.nlq.parsed_query import NlqSettings, clamp_limit


@pytest.mark.requirement("s3:sql:limit", "s3:api:limit", "ruling:A24", "ruling:C16")
@pytest.mark.parametrize(
    ("said", "meant", "warned"), [(None, 25, 0), (7, 7, 0), (100, 100, 0), (101, 100, 1), (0, 1, 1), (-3, 1, 1)]
)
def test_a_limit_is_the_callers_or_the_default_within_bounds(said: int | None, meant: int, warned: int) -> None:
    warnings: list[str] = []
    assert clamp_limit(said, NlqSettings(), warnings.append) == meant
    assert len(warnings) == warned


def test_a_truth_value_is_no_limit() -> None:
    with pytest.raises(InvalidParams, match="limit"):
        clamp_limit(True, NlqSettings(), pytest.fail)
