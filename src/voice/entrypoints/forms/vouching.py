"""What programs noted, and what was decided of it.

Law: a note is told with its sentences by their numbers, as they are approved by; nothing private is in it unless it was
asked for; what is unknown is null.

Source: DESIGN 8; ruling J2.
"""

from typing import TYPE_CHECKING, NamedTuple

from voice.core.graph.thoughts.sentence_edits import sentences_of
from voice.core.graph.thoughts.vouching import counting_spans, unfound_in
from voice.core.text.instants import render_instant
from voice.core.vouch import Vouch

if TYPE_CHECKING:
    from voice.core.records import Thought
    from voice.services.graph.vouching import NotedPage, Vouched


def notes_json(page: "NotedPage") -> dict[str, object]:
    """Return a list of notes as JSON values (schema: schemas/cli/review-list.schema.json)."""
    return {"notes": [note_json(each) for each in page.thoughts], "total": page.total}


def note_json(thought: "Thought") -> dict[str, object]:
    """Return one note as JSON values."""
    return {
        "id": thought.id,
        "state": str(thought.vouched),
        "noted_by": thought.noted_by,
        "noted_at": render_instant(thought.recorded_at),
        "decided_at": None if thought.vouched_at is None else render_instant(thought.vouched_at),
        "private": thought.is_private,
        "sentences": [
            {"number": each.number, "text": each.text, "counts": each.counts, "unfound": list(each.unfound)}
            for each in numbered_sentences(thought)
        ],
    }


class NumberedSentence(NamedTuple):
    """A sentence of a note, as it is approved."""

    number: int
    text: str
    counts: bool
    unfound: tuple[str, ...]
    """Files and commits that it names and that its working tree did not hold."""


def numbered_sentences(thought: "Thought") -> list[NumberedSentence]:
    """Return the sentences of a note with their numbers, and whether each counts."""
    spans = sentences_of(thought.content)
    counts = set(counting_spans(thought, spans)) if thought.vouched is Vouch.PARTLY else set[tuple[int, int]]()
    is_whole = thought.vouched is Vouch.APPROVED
    return [
        NumberedSentence(
            number, thought.content[start:end], is_whole or (start, end) in counts, unfound_in(thought, (start, end))
        )
        for number, (start, end) in enumerate(spans, start=1)
    ]


def vouched_json(done: "Vouched") -> dict[str, object]:
    """Return what came of a decision as JSON values (schema: schemas/cli/review.schema.json)."""
    return {
        "dry_run": done.dry_run,
        "notes": [{"id": each.id, "state": str(each.vouched)} for each in done.thoughts],
        "observations": done.observations,
        "unembedded": done.unembedded,
    }
