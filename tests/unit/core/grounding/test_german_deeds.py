"""What German tells as forgotten, tried, planned or wanted is not told as done (ruling D1)."""

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.german_deeds import core_of, undone_deeds


def _verdict(claim: str, *sources: str) -> str:
    rows = [row(f"S{n}", source, at=UNDATED) for n, source in enumerate(sources, 1)]
    return judge_sentence(claim, grounds(*rows), 1.65).verdict


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Rosa hat den Antrag geschrieben.", "Rosa hat vergessen, den Antrag zu schreiben."),
        ("Rosa schrieb den Antrag.", "Den Antrag zu schreiben hat Rosa vergessen."),
        ("Rosa hat das Tor abgeschlossen.", "Rosa versäumte, das Tor abzuschließen."),
        ("Rosa rief ihre Cousine an.", "Rosa hat versucht, ihre Cousine anzurufen."),
        ("Rosa hat die Zugspitze bestiegen.", "Rosa plant, die Zugspitze zu besteigen."),
        ("Rosa hat die Küche gestrichen.", "Rosa wollte die Küche streichen."),
        ("Rosa hat das Fahrrad verkauft.", "Rosa wird das Fahrrad verkaufen."),
        ("Rosa half dem Nachbarn.", "Rosa hat sich geweigert, dem Nachbarn zu helfen."),
    ],
)
def test_a_deed_that_was_left_or_meant_is_not_done(claim: str, source: str) -> None:
    assert _verdict(claim, source) == "unsupported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("Rosa hat den Antrag geschrieben.", ("Rosa hat nicht vergessen, den Antrag zu schreiben.",)),
        ("Rosa hat den Antrag nicht geschrieben.", ("Rosa hat vergessen, den Antrag zu schreiben.",)),
        ("Rosa wollte die Zugspitze besteigen.", ("Rosa hat versucht, die Zugspitze zu besteigen.",)),
        ("Rosa hat die Küche gestrichen.", ("Rosa wollte die Küche streichen.", "Rosa hat die Küche gestrichen.")),
        ("Rosa schloss das Tor.", ("Rosa hat das Tor geschlossen.",)),
        ("Rosa ist nach Oslo geflogen.", ("Rosa ist im Mai nach Oslo geflogen.",)),
    ],
)
def test_what_is_told_as_done_or_kept_as_meant_is_held(claim: str, sources: tuple[str, ...]) -> None:
    assert _verdict(claim, *sources) == "supported"


@pytest.mark.parametrize(
    "forms",
    [
        "schreiben schrieb geschrieben schreibt zu_schreiben",
        "abschließen abgeschlossen abzuschließen",
        "gewinnen gewann gewonnen",
        "gehen ging gegangen",
        "bringen brachte gebracht",
        "verkaufen verkaufte verkauft",
        "besteigen bestieg bestiegen",
        "abholen abgeholt abzuholen",
    ],
)
def test_forms_of_one_verb_have_one_core(forms: str) -> None:
    assert len({core_of(form.removeprefix("zu_")) for form in forms.split()}) == 1


def test_a_sentence_without_a_deed_leaves_none() -> None:
    assert list(undone_deeds("Rosa hat den Schirm vergessen.")) == []
