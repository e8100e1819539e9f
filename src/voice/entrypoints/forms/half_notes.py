"""How a note is told that a killed command stored in part: by ids and counts, never by its words."""

from voice.core.graph.thoughts.note_transactions import PartialNote
from voice.core.text.display import counted


def told_half(note: PartialNote) -> str:
    """Return what is left of a note and what becomes of it, in one sentence."""
    own = len(note.unsaid)
    becomes = "every sentence of it is said elsewhere, so all of it goes"
    if own:
        becomes = (
            f"{counted(own, 'sentence')} said nowhere else {'becomes' if own == 1 else 'become'} a note of their own"
        )
    return f"{note.thought_id}: a killed command stored this note in part ({counted(len(note.rows), 'row')}); {becomes}"


def half_json(note: PartialNote) -> dict[str, object]:
    """Return the same as JSON."""
    return {
        "thought_id": note.thought_id,
        "rows": len(note.rows),
        "going": len(note.going),
        "becoming_a_note": len(note.unsaid),
    }
