"""Cheap is not expensive: what is said by the opposite is the same, what is the opposite is not (ruling D1)."""

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.opposing import with_opposites


def _verdict(claim: str, source: str) -> str:
    return judge_sentence(claim, grounds(row("S1", source, at=UNDATED)), 1.65).verdict


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The campsite in Bled was not expensive.", "The campsite in Bled was cheap."),
        ("Rosa did not pass the sailing exam in June.", "Rosa failed the sailing exam in June."),
        ("The bakery is not open on Sundays.", "The bakery is closed on Sundays."),
        ("The committee did not accept the draft from Veltron.", "The committee rejected the draft from Veltron."),
        ("The path to the cabin was not dry.", "The path to the cabin was wet."),
        ("The gate was not locked in the evening.", "The gate was unlocked in the evening."),
        ("Our courtyard is not quiet at noon.", "Our courtyard is noisy at noon."),
        ("Otto was not present at the rehearsal.", "Otto was absent from the rehearsal."),
        ("Das Zimmer in Bled war nicht teuer.", "Das Zimmer in Bled war billig."),
        ("Die Bäckerei ist sonntags nicht offen.", "Die Bäckerei ist sonntags geschlossen."),
    ],
)
def test_what_is_not_the_one_is_the_other(one: str, other: str) -> None:
    assert (_verdict(one, other), _verdict(other, one)) == ("supported", "supported")


@pytest.mark.requirement("ruling:D1")
def test_of_opposites_between_which_something_lies_only_the_denial_follows() -> None:
    late, not_early = "The ferry arrived late on Friday.", "The ferry did not arrive early on Friday."

    assert (_verdict(not_early, late), _verdict(late, not_early)) == ("supported", "contradicted")


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The campsite in Bled was expensive.", "The campsite in Bled was cheap."),
        ("The campsite in Bled was not cheap.", "The campsite in Bled was cheap."),
        ("The campsite in Bled was not expensive.", "The campsite in Bled was not cheap."),
        ("Rosa passed the sailing exam in June.", "Rosa failed the sailing exam in June."),
        ("We met before the rehearsal in Bled.", "We met after the rehearsal in Bled."),
        ("Otto always waters the palm.", "Otto never waters the palm."),
        ("Our courtyard is quiet at noon.", "Our courtyard is noisy at noon."),
        ("The trunk in the attic was heavy.", "The trunk in the attic was light."),
        ("The permit for the stall is temporary.", "The permit for the stall is permanent."),
        ("Das Zimmer in Bled war teuer.", "Das Zimmer in Bled war billig."),
        ("Die Bäckerei ist sonntags offen.", "Die Bäckerei ist sonntags geschlossen."),
    ],
)
def test_the_opposite_is_seen_both_ways(one: str, other: str) -> None:
    assert "supported" not in (_verdict(one, other), _verdict(other, one))


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The bakery is not open on Mondays.", "The bakery is open on Mondays and closed on Sundays."),
        ("The campsite was cheap and has a pool.", "The campsite was not expensive and has no pool."),
        ("The campsite in Bled was cheap in June.", "The campsite in Bled was not expensive in July."),
        ("Never all palms bloomed here.", "Some palms bloomed here."),
    ],
)
def test_one_pair_of_opposites_excuses_nothing_else(claim: str, source: str) -> None:
    assert _verdict(claim, source) != "supported"


def test_a_question_after_the_opposite_contradicts_nothing() -> None:
    held = grounds(row("S1", "Jonas broke his wrist."))
    texts = ["Jonas is healthy.", "Is Jonas healthy?"]
    judged = [judge_sentence(text, held, 1.65) for text in texts]

    assert judged[1].weight > 0
    assert [one.verdict for one in with_opposites(texts, judged, held)] == ["contradicted", judged[1].verdict]
    assert judged[1].verdict == "unsupported"
