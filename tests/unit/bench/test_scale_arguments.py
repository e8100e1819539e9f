"""`bench.scale` says which number it cannot measure with, before it builds anything."""

import pytest
from bench.scale import main

from tables import tables

TABLES = tables(__file__)


@pytest.mark.parametrize(
    ("option", "value", "least"), TABLES["a_number_that_cannot_be_measured_with_is_an_error_of_its_argument"]
)
def test_a_number_that_cannot_be_measured_with_is_an_error_of_its_argument(
    capsys: pytest.CaptureFixture[str], option: str, value: str, least: int
) -> None:
    with pytest.raises(SystemExit) as left:
        main([f"{option}={value}"])
    assert left.value.code == 2
    assert f"argument {option}: must be a whole number, {least} or more" in capsys.readouterr().err
