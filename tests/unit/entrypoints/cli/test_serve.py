"""What becomes of the page that --open starts a browser with, where it cannot be removed."""

from pathlib import Path

import pytest

from voice.adapters.system.access_token import OpeningPage
from voice.entrypoints.cli.serve import _Link, _Opening  # pyright: ignore[reportPrivateUsage]


@pytest.fixture
def stuck(tmp_path: Path) -> _Opening:
    """Return an opening whose page nobody can remove: a directory stands in its place."""
    page = OpeningPage(tmp_path / "open-8423.html")
    page.path.mkdir()
    return _Opening(page, "the-code-of-the-page")


@pytest.mark.requirement("http:opening")
def test_who_comes_in_by_a_page_that_cannot_be_removed_comes_in_and_that_it_is_there_is_said(
    stuck: _Opening, capsys: pytest.CaptureFixture[str]
) -> None:
    link = _Link("http://127.0.0.1:8423", "the-printed-code", stuck)
    assert link.renewed(stuck.code) is None
    told = capsys.readouterr().err
    assert f"voice could not delete {stuck.page.path}" in told
    assert "a browser opened the page of --open" in told


@pytest.mark.requirement("http:opening")
def test_a_server_ends_in_peace_where_the_page_cannot_be_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opening = _Opening(OpeningPage(tmp_path / "open-8423.html"), "the-code-of-the-page")
    with opening.kept("http://127.0.0.1:8423/?code=c"):
        opening.page.path.unlink()
        opening.page.path.mkdir()
    assert "delete it yourself. Its link no longer works" in capsys.readouterr().err
