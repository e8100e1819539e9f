"""The colours of the pages, reckoned as WCAG does: what is read stands out from what it stands on, in both themes."""

import re
from importlib.resources import files

import pytest

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
