"""What is planted beside the statements of a set, to see whether conflicts are found."""

import pytest
from bench.conflicts import Corpus, Pair, found_in, key_of, report
from bench.planted_conflicts import KINDS, planted

from statement_rows import stated
from tables import tables

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("conflicts:found")


@pytest.mark.parametrize(("kind", "edited"), TABLES["each_edit_changes_what_it_says"])
def test_each_edit_changes_what_it_says(kind: str, edited: str) -> None:
    assert KINDS[kind]("The kiln of Anna was fired 3 times on May 5 since then.") == edited
    assert KINDS[kind]("It never rains.") is None


def test_no_sentence_is_planted_twice_and_the_same_seed_plants_the_same() -> None:
    rows = [stated(str(n), f"The kiln of house {n} was fired {n} times by us.", "Kiln") for n in range(1, 30)]
    rows.append(stated("link", "[See the 3 kilns of that house now](https://example.com)", "Kiln"))
    found = planted(rows, most=2, seed="a")
    assert len({each.source for each in found}) == len(found) > 10
    assert found == planted(rows, most=2, seed="a")
    but = {each.source for each in found}
    assert but.isdisjoint(each.source for each in planted(rows, most=1, seed="a", but=but))
    assert not any("https" in each.source for each in found)
    places = {each.kind: each.rows[0].context_path for each in found}
    assert places["number"] == ("Kiln",)
    assert places["number, elsewhere"] != ("Kiln",)
    assert places["another day"] == ("2031-05-04",)


def test_a_pair_that_is_labelled_counts_as_found_or_missed() -> None:
    rows = (
        stated("1", "The kiln fires at 1200 degrees.", "Kiln"),
        stated("2", "The kiln fires at 1250 degrees.", "Kiln"),
    )
    key = key_of("a set", rows[0].text, rows[1].text)
    assert key == key_of("a set", rows[1].text, rows[0].text)
    pair = Pair(corpus="a set", kind="near", one=rows[0].text, other=rows[1].text, key=key)
    missed = Pair(corpus="a set", kind="number", one="It is so.", other="It is not.", key="other")
    corpus = Corpus(name="a set", rows=rows, pairs=(pair, missed))
    assert found_in(corpus, 0.6) == ({key: True, "other": False}, [])
    told = report([corpus], {key: True, "other": True}, 0.6)
    assert told["chosen"] == {
        "near": {"pairs": 1, "conflicts": 1, "found": 1, "precision": 1.0, "recall": 1.0},
        "planted": {"pairs": 1, "conflicts": 1, "found": 0, "precision": None, "recall": 0.0},
        "planted: number": {"pairs": 1, "conflicts": 1, "found": 0, "precision": None, "recall": 0.0},
    }
    assert told["unlabelled"] == 0
