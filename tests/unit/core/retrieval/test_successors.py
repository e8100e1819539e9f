"""What was superseded brings what took its place (ruling F.7: the old value stays with its validity interval)."""

from dataclasses import replace

from retrieval_rows import observation, thought
from voice.core.records import Row, RowStatus, Table
from voice.core.retrieval.candidates import lift_successors
from voice.core.retrieval.values import Hit


def _hit(row: Row, cosine: float | None, lexical: float = 0.0) -> Hit:
    table = Table.THOUGHTS if row.id.startswith("t:") else Table.OBSERVATIONS
    return Hit(row_id=row.id, table=table, cosine=cosine, lexical=lexical)


NEW = observation("new", "Clara tunes the top octave with an app.")
OLD = replace(observation("old", "Clara never tunes with an app."), status=RowStatus.SUPERSEDED, superseded_by=NEW.id)
PLAIN = thought("plain", "An app is a machine.")
ROWS: dict[str, Row] = {row.id: row for row in (NEW, OLD, PLAIN)}


def test_a_successor_that_was_not_found_comes_with_the_scores_of_what_it_replaced() -> None:
    hits = lift_successors([_hit(OLD, 0.8, 0.5), _hit(PLAIN, 0.2)], ROWS)
    assert [(hit.row_id, hit.cosine, hit.lexical) for hit in hits] == [
        (OLD.id, 0.8, 0.5),
        (PLAIN.id, 0.2, 0.0),
        (NEW.id, 0.8, 0.5),
    ]
    assert hits[-1].table is Table.OBSERVATIONS


def test_a_successor_that_was_found_keeps_whichever_score_is_better() -> None:
    hits = {hit.row_id: hit for hit in lift_successors([_hit(OLD, 0.3, 0.9), _hit(NEW, 0.6, 0.1)], ROWS)}
    assert (hits[NEW.id].cosine, hits[NEW.id].lexical) == (0.6, 0.9)
    assert len(hits) == 2


def test_a_hit_without_its_row_brings_nothing() -> None:
    assert lift_successors([_hit(OLD, 0.3)], {}) == (_hit(OLD, 0.3),)
