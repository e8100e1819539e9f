"""The page that leads a browser to a link, on the disk."""

import stat
from html.parser import HTMLParser
from pathlib import Path

import pytest

from voice.adapters.system.access_token import OpeningPage
from voice.core.errors import ConfigurationError

_LINK = "http://memory.test:8423/?code=c0de&x=<\"'>"


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.met: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.met.append((tag, dict(attrs)))


@pytest.mark.requirement("http:opening")
def test_it_leads_to_the_link_by_itself_and_by_a_click_and_tells_nobody_where_it_is(tmp_path: Path) -> None:
    page, tags = OpeningPage(tmp_path / "open.html"), _Tags()
    page.write(_LINK)
    tags.feed(page.path.read_text(encoding="utf-8"))
    assert ("meta", {"http-equiv": "refresh", "content": f"0; url={_LINK}"}) in tags.met
    assert ("a", {"href": _LINK}) in tags.met
    assert ("meta", {"name": "referrer", "content": "no-referrer"}) in tags.met
    assert "script" not in {tag for tag, _ in tags.met}


@pytest.mark.requirement("http:opening")
def test_only_its_owner_can_read_it_and_one_that_was_left_behind_is_replaced(tmp_path: Path) -> None:
    page = OpeningPage(tmp_path / "open.html")
    page.path.write_text("of a run that was killed", encoding="utf-8")
    page.path.chmod(0o644)
    page.write(_LINK)
    assert stat.S_IMODE(page.path.stat().st_mode) == 0o600
    assert "killed" not in page.path.read_text(encoding="utf-8")
    assert [each.name for each in tmp_path.iterdir()] == ["open.html"]
    for _ in range(2):
        page.remove()
    assert not page.path.exists()


def test_a_directory_that_is_not_there_is_said_and_no_trace(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="is not a directory"):
        OpeningPage(tmp_path / "file" / "open.html").write(_LINK)
