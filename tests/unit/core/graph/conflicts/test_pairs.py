"""Conflicts of rows, and what is kept of them."""

from dataclasses import replace
from datetime import timedelta

import pytest

from graph_rows import NOW as THEN
from graph_rows import relation
from statement_rows import NOW, on, stated
from voice.core.errors import InvalidParams
from voice.core.graph.conflicts.pairs import (
    ConflictState,
    Place,
    conflict_id,
    conflicts_among,
    is_about,
    is_since,
    near_conflicts,
    recorded,
    restored,
    sealed_words,
)
from voice.core.records import Origin, RowStatus
from voice.core.text.instants import UNDATED

NAMES = {"e:anna": "Anna Lund", "e:porto": "Porto", "e:lisbon": "Lisbon"}
KEY = bytes(range(32))
HOT = stated("1", "The kiln fires at 1200 degrees.", "Kiln")
HOTTER = stated("2", "The kiln fires at 1250 degrees.", "Kiln")
PORTO, LISBON = relation("anna", "lives_in", "porto"), relation("anna", "lives_in", "lisbon")


@pytest.mark.requirement("conflicts:found")
def test_statements_and_edges_are_compared_each_with_its_own() -> None:
    found = conflicts_among([HOT, HOTTER], [PORTO, LISBON], NAMES, now=NOW)
    assert sorted(each.difference for each in found) == ["edge", "number"]
    (edge,) = [each for each in found if each.difference == "edge"]
    assert edge.one.said == "Anna Lund —lives in→ Lisbon"
    assert edge.other.said == "Anna Lund —lives in→ Porto"
    assert not edge.is_change
    assert [each.id for each in found] == sorted(each.id for each in found)


@pytest.mark.requirement("conflicts:private")
def test_an_edge_whose_end_may_not_be_seen_is_left_out() -> None:
    seen = {key: name for key, name in NAMES.items() if key != "e:porto"}
    assert conflicts_among([], [PORTO, LISBON], seen, now=NOW) == ()
    assert len(conflicts_among([], [PORTO, LISBON], NAMES, now=NOW)) == 1


@pytest.mark.requirement("conflicts:time")
@pytest.mark.parametrize("status", [RowStatus.SUPERSEDED, RowStatus.REDACTED, RowStatus.REMOVAL])
def test_what_has_ended_or_was_replaced_or_redacted_conflicts_with_nothing(status: RowStatus) -> None:
    assert conflicts_among([replace(HOT, status=status), HOTTER], [], {}, now=NOW) == ()
    assert conflicts_among([replace(HOT, valid_until=NOW), HOTTER], [], {}, now=NOW) == ()
    assert len(conflicts_among([replace(HOT, valid_until=NOW + timedelta(days=1)), HOTTER], [], {}, now=NOW)) == 1
    assert conflicts_among([], [replace(PORTO, valid_until=NOW), LISBON], NAMES, now=NOW) == ()


@pytest.mark.requirement("conflicts:time")
def test_an_edge_that_was_told_later_is_a_change() -> None:
    later = replace(PORTO, valid_from=THEN + timedelta(days=40))
    (move,) = conflicts_among([], [later, LISBON], NAMES, now=NOW)
    assert move.row_ids == (LISBON.id, later.id)
    assert move.is_change
    (undated,) = conflicts_among([], [replace(PORTO, created_at=UNDATED), LISBON], NAMES, now=NOW)
    assert not undated.is_change


@pytest.mark.requirement("conflicts:found")
def test_an_id_is_the_same_in_whichever_order() -> None:
    one, other = Place(row_id="o:1", start=1, end=5), Place(row_id="o:2", start=0, end=9)
    assert conflict_id(one, other) == conflict_id(other, one)
    assert conflict_id(one, other) != conflict_id(one, replace(other, end=8))
    assert conflict_id(one, other).startswith("d:")


@pytest.mark.requirement("conflicts:command")
def test_conflicts_are_about_rows_or_words_and_since_a_time() -> None:
    (found,) = conflicts_among([HOT, replace(HOTTER, created_at=on("2026-05-01"))], [], {}, now=NOW)
    assert is_about(found, frozenset(), frozenset({"o:2"}))
    assert is_about(found, frozenset({"kiln"}), frozenset())
    assert not is_about(found, frozenset({"kiln", "shed"}), frozenset())
    assert not is_about(found, frozenset(), frozenset({"o:3"}))
    assert is_since(found, on("2026-05-01"))
    assert not is_since(found, on("2026-05-02"))


@pytest.mark.requirement("conflicts:kept")
def test_what_is_kept_holds_places_and_no_words_and_is_read_again_from_its_rows() -> None:
    found = conflicts_among([HOT, HOTTER], [PORTO, LISBON], NAMES, now=NOW)
    rows = {row.id: row for row in (HOT, HOTTER, PORTO, LISBON)}
    gone = {key: replace(row, valid_until=NOW) for key, row in rows.items()}
    wordless, nameless = {**rows, HOT.id: replace(HOT, text="")}, dict[str, str]()
    for each in found:
        kept = recorded(each, ConflictState.WAITING, at=NOW, by=Origin.HUMAN, key=KEY)
        assert "degrees" not in repr(kept)
        assert "Porto" not in repr(kept)
        assert kept.row_ids == each.row_ids
        assert restored(kept, rows, NAMES, now=NOW) == each
        assert restored(kept, {}, NAMES, now=NOW) is None
        assert restored(kept, gone, NAMES, now=NOW) is None
        blind = (wordless, NAMES) if each.difference == "number" else (rows, nameless)
        assert restored(kept, *blind, now=NOW) is None


@pytest.mark.requirement("conflicts:verifier")
def test_near_statements_are_pairs_for_somebody_who_reads() -> None:
    used = stated("3", "The kiln in the shed is used every day.", "Kiln")
    broken = stated("4", "The kiln in the shed is broken.", "Kiln")
    (pair,) = near_conflicts([used, broken, replace(HOT, valid_until=NOW)], now=NOW, most=3)
    assert (pair.row_ids, pair.difference, pair.is_verified) == (("o:3", "o:4"), "meaning", False)


@pytest.mark.requirement("conflicts:kept")
def test_a_pair_is_known_again_by_its_words_and_nobody_can_confirm_them_without_the_key() -> None:
    (found,) = conflicts_among([HOT, HOTTER], [], {}, now=NOW)
    anew = [replace(HOT, id="o:8"), replace(HOTTER, id="o:7")]
    (again,) = conflicts_among(anew, [], {}, now=NOW)
    assert again.id != found.id
    assert sealed_words(again, KEY) == sealed_words(found, KEY)
    assert sealed_words(found, bytes(32)) != sealed_words(found, KEY)
    (other,) = conflicts_among([HOT, replace(HOTTER, text="The kiln fires at 1300 degrees.")], [], {}, now=NOW)
    assert sealed_words(other, KEY) != sealed_words(found, KEY)


@pytest.mark.requirement("conflicts:kept")
def test_a_record_is_named_as_one() -> None:
    (found,) = conflicts_among([HOT, HOTTER], [], {}, now=NOW)
    kept = recorded(found, ConflictState.BOTH, at=NOW, by=Origin.HUMAN, key=KEY)
    with pytest.raises(InvalidParams):
        replace(kept, id="m:1")
