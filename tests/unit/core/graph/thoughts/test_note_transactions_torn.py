"""What a half stored note leaves, and what becomes of it."""

from dataclasses import replace

import pytest

from store_values import entity, observation, relation, span_of
from voice.core.graph.row_display import named_by
from voice.core.graph.thoughts.distillation import PartialNote, comparable_text, partial_notes, without_description
from voice.core.records import GraphRow, Observation, Provenance, RowStatus

pytestmark = pytest.mark.requirement("ruling:I8")


def sentence(key: str, text: str, start: int = 0, note: str = "t:cut", **members: object) -> Observation:
    spans = (Provenance(thought_id=note, start=start, end=start + len(text)),)
    return observation(key, text, provenance=spans, **members)


def left(*rows: GraphRow, said: set[str] = frozenset(), named: set[str] = frozenset()) -> list[PartialNote]:  # pyright: ignore[reportArgumentType]
    return partial_notes(rows, said, named)


def test_what_nothing_else_says_becomes_a_note_in_the_order_it_was_written() -> None:
    rows = (
        sentence("c", "It cracked.", 40, is_private=True, tags=("kiln",)),
        sentence("a", "I fired the kiln.", 0, speaker="Ada", tags=("kiln", "shed")),
        sentence("b", "It was HOT.", 20),
    )
    (note,) = left(*rows, said={"it was hot."})
    made = note.note("t:new")
    assert made is not None
    assert (made.id, made.content, made.speaker) == ("t:new", "I fired the kiln.\nIt cracked.", "Ada")
    assert (made.is_private, made.tags, made.origin) == (True, ("kiln", "shed"), rows[0].origin)
    assert (made.created_at, made.recorded_at) == (rows[1].created_at, rows[1].recorded_at)
    assert [row.id for row in note.going] == ["o:a", "o:b", "o:c"]


def test_a_note_whose_every_sentence_is_said_elsewhere_becomes_none() -> None:
    (note,) = left(sentence("a", "It was hot."), said={"it was hot."})
    assert (note.note("t:new"), len(note.going)) == (None, 1)


def test_what_two_half_notes_say_is_kept_once() -> None:
    first, second = left(sentence("a", "It was hot.", note="t:1"), sentence("b", "It was hot.", note="t:2"))
    assert ([row.id for row in first.unsaid], second.unsaid) == (["o:a"], ())
    assert (first.thought_id, second.thought_id) == ("t:1", "t:2")


def test_what_was_superseded_or_redacted_says_nothing_any_more() -> None:
    rows = (
        sentence("a", "It was hot.", status=RowStatus.SUPERSEDED, superseded_by="o:b"),
        sentence("b", "", status=RowStatus.REDACTED),
    )
    (note,) = left(*rows)
    assert (note.unsaid, len(note.going)) == ((), 2)


def test_an_entity_that_others_name_stays_without_what_described_it() -> None:
    ada = entity("ada", description="She fires kilns.", provenance=span_of("t:cut"))
    bea = replace(ada, id="e:bea")
    tie = relation("r", "e:ada", "e:bea", provenance=span_of("t:cut"))
    (note,) = left(ada, bea, tie, named={"e:ada"})
    assert note.kept == (without_description(ada),)
    assert (
        without_description(ada).provenance,
        without_description(ada).description,
        without_description(ada).revision,
    ) == ((), "", ada.revision + 1)
    assert [row.id for row in note.going] == ["e:bea", "r:r"]


def test_rows_tell_what_they_say_and_whom_they_name() -> None:
    named = observation("a", "Ada  MOVED.", entity_ids=("e:ada",))
    assert (comparable_text(named), named_by(named)) == ("ada moved.", ("e:ada",))
    tie = relation("r", "e:a", "e:b")
    assert (comparable_text(tie), named_by(tie)) == ("", ("e:a", "e:b"))
    assert (comparable_text(entity()), named_by(entity())) == ("", ())
