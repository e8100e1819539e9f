"""The files that pages are made with: as they were published, packaged, and never old in a browser.

The colours of the pages, reckoned as WCAG does: what is read stands out from what it stands on, in both themes.
"""

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from voice.entrypoints.web.pages.rendering import packaged_assets

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


_STYLE = (files("voice.entrypoints.web.pages") / "static" / "voice.css").read_text(encoding="utf-8")
_TOKEN = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
_THEMES = ("light", "dark")
_GROUNDS = ("paper", "surface", "sunken")
_VERDICTS = ("supported", "partly", "unsupported", "question", "none")
_PAIRS = [
    *((ink, ground) for ink in ("ink", "ink-soft", "ink-faint", "accent") for ground in _GROUNDS),
    *((verdict, ground) for verdict in _VERDICTS for ground in ("paper", "surface", f"{verdict}-ground")),
    *(("ink", f"{verdict}-ground") for verdict in _VERDICTS),
    ("ink", "mark"),
    ("on-accent", "accent"),
]


def _colours(theme: str) -> dict[str, str]:
    return {name: light if theme == "light" else dark for name, light, dark in _TOKEN.findall(_STYLE)}


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_is_the_known_one() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.requirement("web:contrast")
@pytest.mark.parametrize("theme", _THEMES)
def test_every_text_has_a_contrast_of_at_least_four_and_a_half(theme: str) -> None:
    colours = _colours(theme)
    found = {(ink, ground): round(_contrast(colours[ink], colours[ground]), 2) for ink, ground in _PAIRS}
    assert {pair: contrast for pair, contrast in found.items() if contrast < 4.5} == {}
    assert len(found) == len(set(_PAIRS)) > 0


@pytest.mark.requirement("web:contrast")
@pytest.mark.parametrize("theme", _THEMES)
def test_the_edges_of_what_can_be_filled_in_have_a_contrast_of_at_least_three(theme: str) -> None:
    colours = _colours(theme)
    found = {ground: round(_contrast(colours["line-strong"], colours[ground]), 2) for ground in _GROUNDS}
    assert {ground: contrast for ground, contrast in found.items() if contrast < 3} == {}
    assert len(found) == len(_GROUNDS) > 0


@pytest.mark.requirement("web:contrast")
@pytest.mark.parametrize("theme", _THEMES)
def test_two_rows_of_bars_are_told_apart_by_their_lightness(theme: str) -> None:
    colours = _colours(theme)
    assert _contrast(colours["accent"], colours["second"]) >= 2
    assert [_contrast(colours[each], colours["surface"]) >= 3 for each in ("accent", "second")] == [True, True]


def test_no_colour_is_written_where_a_token_could_stand() -> None:
    written = re.compile(r"#[0-9a-fA-F]{3,8}\b(?![^{}]*\{)")
    rules = _STYLE.partition("--shadow")[2].partition("\n")[2]
    assert written.findall(rules) == []
    assert written.findall("a { color: #fff; }") == ["#fff"]
