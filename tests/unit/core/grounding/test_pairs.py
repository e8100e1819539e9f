"""What stands beside what in lists of names and values, under headings and in clauses of one sentence (ruling D1)."""

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.pairs import pair_findings
from voice.core.grounding.passages import all_passages
from voice.core.text.words import words


def _verdict(claim: str, *sources: str) -> str:
    rows = [row(f"S{n}", source, at=UNDATED) for n, source in enumerate(sources, 1)]
    return judge_sentence(claim, grounds(*rows), 1.65).verdict


def _effects(claim: str, *sources: str) -> list[str]:
    rows = [row(f"S{n}", source, at=UNDATED) for n, source in enumerate(sources, 1)]
    passages = [passage for one in rows for passage in all_passages(one)]
    return [one.effect for one in pair_findings(claim, words(claim), passages)]


_GUESTS = "Mia, 7, Finn, 11, and Ida, 3, stay with us in July."
_BILLS = "Internet: 35 a month. Insurance: 60 a month. Rent: 950."
_WEEK = "Tuesday: piano lesson\nThursday: football practice\nSaturday: market"
_SHOP = "Wishlist:\n- kettle\n- blender\nBought:\n- toaster"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        (_GUESTS, "Finn is 11 and Ida is 3.", "Ida is 11 and Finn is 3."),
        (_GUESTS, "Your guests are Mia (7), Finn (11) and Ida (3).", "Mia is 11."),
        ("Nora (9) and Leon (14) visit.", "Leon is 14.", "Leon is 9."),
        ("Iron 12, zinc 80, magnesium 0.9.", "Your zinc is 80 and your iron 12.", "Your zinc is 12."),
        (_BILLS, "You pay 35 a month for internet and 60 a month for insurance.", "Your rent is 35 a month."),
        (_BILLS, "Your rent is 950.", "Insurance is 950."),
        (_WEEK, "On Tuesday you have a piano lesson.", "On Saturday you have football practice."),
        (_WEEK, "You have football practice on Thursday and go to the market on Saturday.", "On Tuesday, market."),
        (_SHOP, "You bought the toaster.", "You bought the kettle."),
        (_SHOP, "On your wishlist are a kettle and a blender.", "The toaster is on your wishlist."),
        ("Petra is my landlady and Sven is my dentist.", "Your dentist is Sven.", "Petra is your dentist."),
        ("Karla paid for the hotel, and Nils rented the car.", "Karla paid for the hotel.", "Nils paid for the hotel."),
        ("Tom got the piano but Ella got the violin.", "Ella got the violin.", "Tom got the violin."),
        ("Room A is for Ole, room B for Mats.", "Room B is for Mats.", "Room B is for Ole."),
        (
            "Table 4 is for the Webers, table 7 for the Kochs.",
            "The Kochs are at table 7.",
            "Table 7 is for the Webers.",
        ),
        ("Hans inherited the farm, Lotte got nothing.", "Hans inherited the farm.", "Lotte inherited the farm."),
    ],
)
def test_what_one_name_has_is_not_given_to_another(source: str, true: str, false: str) -> None:
    assert _effects(true, source) == []
    assert _verdict(true, source) == "supported"
    assert _effects(false, source) == ["unsupported"]
    assert _verdict(false, source) != "supported"


@pytest.mark.requirement("ruling:D1")
def test_what_is_said_of_one_is_not_said_of_both() -> None:
    games = ("Milo plays chess.", "Zoe plays tennis.")
    assert _effects("Milo and Zoe both play chess.", *games) == ["unsupported"]
    assert _effects("Both Milo and Zoe play tennis.", *games) == ["unsupported"]
    assert _effects("Milo and Zoe both play chess.", "Milo plays chess.", "Zoe plays chess.") == []
    assert _effects("Milo and Zoe both play: Milo chess, Zoe tennis.", *games) == []
    assert _effects("Milo and Zoe both play chess.", "Milo plays chess.", "Her friend Zoe loves chess.") == []


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Mia, Finn and Ida are 7, 11 and 3.", _GUESTS),
        ("Insurance costs 60 a month, more than internet at 35.", _BILLS),
        ("Everything is paid.", _BILLS),
        ("The bills come on the first of a month.", _BILLS),
        ("You still want to buy a kettle.", _SHOP),
        ("You have not bought the kettle.", _SHOP),
        ("The solution to the leaking roof is new tiles.", "Problem: the roof leaks. Solution: new tiles."),
        ("Gina likes chess.", "Jon: Do you like chess?\nGina: I do!"),
        ("Ida likes figs.", "Nele: I like figs.\nIda: Me too.\nNele: Good."),
        ("Zoe owes you 30.", "Zoe: 40. Tom: 30. Zoe owes me 30 more."),
        ("Lotte has the farm.", "Hans has the farm and Lotte has her half."),
        ("Lotte has the farm.", "Hans has the farm and Lotte has what?"),
        ("Lotte has the farm.", "Hans has the farm."),
        ("Jonas hit you.", "I hit Jonas by accident and Jonas hit me."),
        ("Lotte has the farm.", "- [ ] Hans has the farm"),
        (
            "The solution is a very long walk.",
            "Problem: it is a very long walk over the hill and back home.\nSolution: a bicycle.\nHint: go.",
        ),
    ],
)
def test_what_is_compared_told_in_prose_or_of_all_is_left_alone(claim: str, source: str) -> None:
    assert _effects(claim, source) == []
