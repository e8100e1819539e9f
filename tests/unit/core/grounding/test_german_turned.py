"""German small words that turn a sentence around: before and after, the how-manieth, names that change places."""

import pytest

from voice.core.grounding.german import german_findings


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Die Abgabe ist nach Freitag.", "Die Abgabe ist vor Freitag."),
        ("Der Bus kommt um Viertel nach neun.", "Der Bus kommt um Viertel vor neun."),
        ("Die Feier ist am siebten Juni.", "Die Feier ist am achten Juni."),
        ("Jan verschenkte das Fahrrad an Mia.", "Mia verschenkte das Fahrrad an Jan."),
        ("Jan hat Mia das Zelt geborgt.", "Mia hat Jan das Zelt geborgt."),
    ],
)
def test_what_is_turned_around_is_a_contradiction(claim: str, source: str) -> None:
    assert [one.effect for one in german_findings(claim, source)] == ["contradicted"]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Die Abgabe ist vor Freitag.", "Die Abgabe ist vor Freitag."),
        ("Die Abgabe ist nach Ostern.", "Die Abgabe ist vor Freitag."),
        ("Die Feier ist am achten Juni.", "Die Feier ist am achten Juni, nicht am siebten Juni."),
        ("Das Fahrrad ging von Mia an Jan.", "Mia verschenkte das Fahrrad an Jan."),
        ("Das Fahrrad ging an Mia und Jan.", "Das Fahrrad ging an Jan und Mia."),
        ("Das Fahrrad ging an Mia.", "Das Fahrrad ging an Jan."),
        ("Jan traf Mia den Tag darauf.", "Mia traf Jan den Tag darauf."),
        ("Mia hat Jan das Zelt geborgt.", "Mia hat Jan das Zelt geborgt."),
    ],
)
def test_what_is_told_otherwise_is_left_alone(claim: str, source: str) -> None:
    assert german_findings(claim, source) == []
