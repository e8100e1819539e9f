"""Files and commits that a text names."""

import pytest

from tables import tables
from voice.core.text.artifacts import artifacts_in

pytestmark = pytest.mark.requirement("capture:checked")
TABLES = tables(__file__)


@pytest.mark.parametrize(("text", "named"), TABLES["they_are_known_by_their_form"])
def test_they_are_known_by_their_form(text: str, named: tuple[str, ...]) -> None:
    assert tuple(artifacts_in(text)) == named
