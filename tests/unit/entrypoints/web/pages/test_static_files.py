"""The files that pages are made with: as they were published, packaged, and never old in a browser."""

from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from voice.entrypoints.web.pages.static_files import packaged_assets

_VENDOR = files("voice.entrypoints.web.pages") / "static" / "vendor"
_FROM_NPM = {
    # of htmx.org 4.0.1, whose archive has the integrity
    # sha512-oF7JgXhDW9UXCy/k1ZYFUQgzu/rm19ORWPSPNL91vPluB2PB9+MV55tyQdH/w7o2EAbTYUG5SDW1R60mdkdqGg==
    "htmx.min.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    "hx-sse.min.js": "18ef2761356ec1fe0bb6d92612315b37517a7c1e9856b661c5ae81fef239d103",
    # of uplot 1.6.32, whose archive has the integrity
    # sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=[packaged_assets().route]))


@pytest.mark.requirement("web:vendored")
def test_the_scripts_of_others_are_byte_for_byte_what_was_published() -> None:
    assert {name: sha256((_VENDOR / name).read_bytes()).hexdigest() for name in _FROM_NPM} == _FROM_NPM


@pytest.mark.requirement("web:vendored")
def test_the_list_of_hashes_names_every_script_and_licence_and_is_true() -> None:
    lines = (_VENDOR / "SHA256SUMS").read_text(encoding="utf-8").split("\n")
    listed = {name: digest for digest, name in (line.split() for line in lines if line)}
    there = {Path(str(one)).name for one in _VENDOR.iterdir()} - {"SHA256SUMS", "README.md"}
    assert listed.keys() == there
    assert listed == {name: sha256((_VENDOR / name).read_bytes()).hexdigest() for name in there}


def test_the_note_says_of_each_script_where_it_comes_from_and_under_which_licence() -> None:
    note = (_VENDOR / "README.md").read_text(encoding="utf-8")
    scripts = [Path(str(one)).name for one in _VENDOR.iterdir() if str(one).endswith(".js")]
    assert scripts
    assert [name for name in scripts if f"| `{name}` |" not in note] == []


@pytest.mark.requirement("web:static")
def test_a_file_is_served_as_it_is_and_may_be_kept_under_an_address_that_names_its_hash(client: TestClient) -> None:
    got = client.get(packaged_assets().url("voice.css"))
    assert got.content == packaged_assets().by_name["voice.css"].body
    assert got.headers["content-type"] == "text/css; charset=utf-8"
    assert "immutable" in got.headers["cache-control"]


@pytest.mark.requirement("web:static")
@pytest.mark.parametrize("address", ["/static/voice.css", "/static/voice.css?v=0000000000000000"])
def test_under_any_other_address_a_browser_must_ask_again(client: TestClient, address: str) -> None:
    assert client.get(address).headers["cache-control"] == "private, no-cache"


@pytest.mark.requirement("web:static")
def test_a_file_that_the_browser_has_is_not_sent_again(client: TestClient) -> None:
    etag = client.get("/static/voice.css").headers["etag"]
    again = client.get("/static/voice.css", headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.requirement("web:static")
@pytest.mark.parametrize(
    "path",
    ["/static/nothing.css", "/static/../assets.py", "/static/..%2fassets.py", "/static/vendor/SHA256SUMS", "/static/"],
)
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.requirement("web:one-sign")
def test_pages_and_documentation_bear_the_same_sign() -> None:
    of_docs = Path(__file__).resolve().parents[5] / "docs" / "assets" / "voice.svg"
    assert packaged_assets().by_name["icon.svg"].body == of_docs.read_bytes()
