"""What was superseded brings what took its place (ruling F.7: the old value stays with its validity interval)."""

from dataclasses import replace

from retrieval_rows import observation, thought
from voice.core.records import Row, RowStatus, Table
from voice.core.retrieval.candidates import lift_successors, successors
from voice.core.retrieval.values import Found, Hit


def _found(row: Row, cosine: float | None, lexical: float = 0.0) -> Found:
    table = Table.THOUGHTS if row.id.startswith("t:") else Table.OBSERVATIONS
    score = max(cosine or 0.0, lexical)
    return Found(hit=Hit(row_id=row.id, table=table, cosine=cosine, lexical=lexical), score=score, rank_score=score)


NEW = observation("new", "Clara tunes the top octave with an app.")
OLD = replace(observation("old", "Clara never tunes with an app."), status=RowStatus.SUPERSEDED, superseded_by=NEW.id)
PLAIN = thought("plain", "An app is a machine.")
ROWS: dict[str, Row] = {row.id: row for row in (NEW, OLD, PLAIN)}


def test_a_successor_that_was_not_found_comes_with_the_scores_of_what_it_replaced() -> None:
    lifted = lift_successors([_found(OLD, 0.8, 0.5), _found(PLAIN, 0.2)], ROWS)
    assert [(one.hit.row_id, one.hit.cosine, one.hit.lexical) for one in lifted] == [
        (OLD.id, 0.8, 0.5),
        (PLAIN.id, 0.2, 0.0),
        (NEW.id, 0.8, 0.5),
    ]
    assert (lifted[-1].hit.table, lifted[-1].rank_score) == (Table.OBSERVATIONS, 0.8)


def test_a_successor_that_was_found_keeps_whichever_score_is_better() -> None:
    found = {one.hit.row_id: one for one in lift_successors([_found(OLD, 0.3, 0.9), _found(NEW, 0.6, 0.1)], ROWS)}
    assert (found[NEW.id].hit.cosine, found[NEW.id].hit.lexical, found[NEW.id].score) == (0.6, 0.9, 0.9)
    assert len(found) == 2


def test_a_hit_without_its_row_brings_nothing() -> None:
    assert lift_successors([_found(OLD, 0.3)], {}) == (_found(OLD, 0.3),)


def test_a_note_that_was_corrected_twice_brings_both_that_took_its_place() -> None:
    last, first = thought("last", "The kiln runs at cone 10."), thought("first", "The kiln runs at cone 6.")
    between = thought("between", "The kiln runs at cone 8.")
    chain: dict[str, Row] = {
        last.id: last,
        between.id: replace(between, status=RowStatus.SUPERSEDED, superseded_by=last.id),
        first.id: replace(first, status=RowStatus.SUPERSEDED, superseded_by=between.id),
    }
    for found in ([_found(first, 0.4, 0.9), _found(last, 0.6)], [_found(last, 0.6), _found(first, 0.4, 0.9)]):
        lifted = {one.hit.row_id: one for one in lift_successors(found, chain)}
        assert lifted.keys() == chain.keys()
        assert (lifted[last.id].hit.cosine, lifted[last.id].hit.lexical) == (0.6, 0.9)
        assert (lifted[between.id].hit.table, lifted[between.id].hit.lexical) == (Table.THOUGHTS, 0.9)


def test_rows_that_took_the_place_of_one_another_are_told_once() -> None:
    around: dict[str, Row] = {row.id: row for row in (replace(NEW, superseded_by=OLD.id), OLD)}
    assert successors(OLD.id, around) == (NEW.id,)
    assert successors(PLAIN.id, ROWS) == ()
