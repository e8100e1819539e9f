"""Names of uploaded files become paths that lead nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.entrypoints.web.request_bodies import MOST_SHOWN, UnsafeName, shown_name, upload_parts

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("web:import:hostile")


@pytest.mark.parametrize(("name", "parts"), TABLES["a_name_becomes_the_parts_of_a_path"])
def test_a_name_becomes_the_parts_of_a_path(name: str, parts: tuple[str, ...]) -> None:
    assert upload_parts(name) == parts


@pytest.mark.parametrize(("name", "why"), TABLES["a_name_that_cannot_be_a_path_is_refused_with_why"])
def test_a_name_that_cannot_be_a_path_is_refused_with_why(name: str, why: str) -> None:
    assert upload_parts(name) == UnsafeName(why)


@given(st.text())
def test_no_part_leads_anywhere_or_steers(name: str) -> None:
    parts = upload_parts(name)
    assert isinstance(parts, UnsafeName) or all(
        part not in ("", ".", "..") and "/" not in part and "\x00" not in part and part.encode() for part in parts
    )


def test_a_name_is_shown_without_what_steers_and_not_endlessly() -> None:
    assert shown_name("a\u202eb\n.md") == "ab.md"
    assert shown_name("x" * 500) == "x" * MOST_SHOWN + "…"
