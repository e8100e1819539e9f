"""What a sentence rests on, as it stands in a person's own notes."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from store_values import citation, exchange, observation, relation, thought
from voice.core.grounding.values import Evidence, Receipt
from voice.core.records import Observation, Provenance, Relation, Row, RowStatus, Thought, TrustTier
from voice.entrypoints.web.pages.conversations.turn_pages import Ground, grounds
from voice.services.turn.audit import RowsAtPresent

pytestmark = pytest.mark.requirement("web:evidence:passage")
_NOTE = "# Choir\n\n- Who sings\n  - Ada sings in the choir. She began in May.\n"
_MENTION = (_NOTE.index("Ada"), _NOTE.index("Ada") + 3)
_SAID = "Ada — sings in → Choir"


def _at(note: Thought, place: tuple[int, int] = _MENTION) -> Provenance:
    return Provenance(thought_id=note.id, start=place[0], end=place[1])


def _edge(*notes: Thought) -> Relation:
    return relation("1", "e:ada", "e:choir", provenance=tuple(map(_at, notes)))


def _ground(row: Row, text: str, notes: Sequence[Thought]) -> Ground:
    held = Evidence(
        alias="S1",
        row_id=row.id,
        source_type="kg",
        text=text,
        shown=text,
        content_hash="h",
        trust=TrustTier.GREEN,
        created_at=row.created_at,
    )
    cited = replace(citation(), source_id=row.id, span=text)
    receipt = Receipt(row_id=row.id, content_hash="h", start=0, end=len(text))
    today = RowsAtPresent(evidence={row.id: held}, redacted=frozenset())
    rows: dict[str, Row] = {row.id: row, **{each.id: each for each in notes}}
    (found,) = grounds(exchange(sources=(cited,)), [receipt], today, rows)
    return found


def _marked(found: Ground) -> list[list[str]]:
    return [[piece.text for piece in passage.pieces if piece.is_cited] for passage in found.passages]


def test_an_edge_of_the_graph_is_shown_by_the_sentence_that_it_was_found_in() -> None:
    note = thought("1", _NOTE, source_ref="Music/Choir.md")
    found = _ground(_edge(note), _SAID, [note])
    assert _marked(found) == [["Ada sings in the choir."]]
    assert found.passages[0].title == "Choir"
    assert "".join(piece.text for piece in found.passages[0].pieces) == _NOTE, "lines stand as they are in the note"
    assert found.held_as == _SAID
    assert found.change == "/sources/r%3A1#change", "it has no sentences: it is corrected as a whole, on its own page"


def test_of_many_notes_three_are_shown_and_the_others_counted() -> None:
    notes = [thought(str(number), f"{_NOTE}{number}") for number in range(5)]
    found = _ground(_edge(*notes), _SAID, notes)
    assert (len(found.passages), found.more) == (3, 2)


def test_a_statement_in_its_notes_own_words_is_marked_where_it_stands_and_says_nothing_twice() -> None:
    note = thought("1", _NOTE)
    text = "Ada sings in the choir."
    start = _NOTE.index(text)
    row: Observation = observation("1", text, provenance=(_at(note, (start, start + len(text))),))
    found = _ground(row, text, [note])
    assert (_marked(found), found.held_as) == ([[text]], "")
    assert found.change is not None
    assert "/sentence?" in found.change


@pytest.mark.requirement("web:private")
@pytest.mark.parametrize("closed", [{"is_private": True}, {"status": RowStatus.REDACTED}])
def test_of_a_note_that_may_not_be_told_the_rows_own_words_are_shown(closed: dict[str, object]) -> None:
    note = thought("1", _NOTE, **closed)
    found = _ground(_edge(note), _SAID, [note])
    assert (_marked(found), found.held_as) == ([[_SAID]], "")
