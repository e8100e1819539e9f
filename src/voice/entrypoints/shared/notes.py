"""What became of a note: stored, staged, citable, or left half stored by a killed command.

Law: true counts of what was stored; nothing of the words. What was kept without a vector is said (ruling C17).

Source: DESIGN 8; rulings A21, C17, F, H.
"""

from typing import TYPE_CHECKING, Final

from voice.core.context.prompt_safety import speaks_to_the_model
from voice.core.graph.thoughts.distillation import statement_spans
from voice.core.graph.thoughts.note_transactions import PartialNote
from voice.core.text.display import counted
from voice.core.text.prompt_injection.detection import find_instruction, split_instructions
from voice.core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from voice.services.graph.extraction import Arrived
    from voice.services.graph.staging import Staged
    from voice.services.memory.ingest_values import IngestReport


LIKE_INSTRUCTIONS: Final = (
    "it reads like instructions to a model: your memory keeps it and searches find it, but prompts and recall leave "
    "such sentences out; SURR_QUARANTINE_INSTRUCTIONS=0 lets them in"
)


def remembered_json(report: "IngestReport", arrived: "Arrived") -> dict[str, object]:
    """Return what became of one thought as JSON values (schema: schemas/cli/remember.schema.json)."""
    staged = arrived.staged
    return {
        "id": report.stored[0] if report.stored else None,
        "observations": report.observations,
        "forgotten": bool(report.forgotten),
        "unembedded": report.unembedded,
        "pending_entities": staged.pending_entities,
        "pending_relations": staged.pending_relations,
    }


def staged_json(staged: "Staged", *, dry_run: bool) -> dict[str, object]:
    """Return what reading stored notes staged as JSON values (schema: schemas/cli/kg-stage.schema.json)."""
    return {
        "pending_entities": staged.pending_entities,
        "pending_relations": staged.pending_relations,
        "grown": staged.grown,
        "unchanged": staged.unchanged,
        "rejected": staged.rejected,
        "forgotten": staged.forgotten,
        "unsure": staged.unsure,
        "unsupported": staged.unsupported,
        "unread": staged.unread,
        "dry_run": dry_run,
    }


def quarantined_sentences(content: str, speaker: str | None = None) -> int:
    """Return how many sentences of a thought stay out of prompts, so that no answer cites them."""
    spans = statement_spans(content, in_dialogue=speaker is not None)
    texts = list(dict.fromkeys(content[start:end] for start, end in spans))
    spread = split_instructions(texts)
    held = (text for at, text in enumerate(texts) if at in spread or speaks_to_the_model(text, speaker))
    return sum(map(_sentences, held))


def distilled_sentences(content: str, observations: int, speaker: str | None = None) -> int:
    """Return how many sentences of a thought its observations hold; one that leans on another is in one with it.

    Args:
        content: the thought.
        observations: how many were stored of it; fewer than it has where some were known, or forgotten, before.
        speaker: who said it, where that is known.
    """
    spans = statement_spans(content, in_dialogue=speaker is not None)
    texts = dict.fromkeys(content[start:end] for start, end in spans)
    return sum(map(_sentences, texts)) if len(texts) == observations else observations


def _sentences(text: str) -> int:
    return len(sentence_spans(text))


def reads_like_instructions(content: str) -> bool:
    """Return whether a thought, or one of its sentences, reads like instructions to a model."""
    sentences = (content[start:end] for start, end in sentence_spans(content))
    return any(find_instruction(text) for text in (content, *sentences))


def citable_in_words(sentences: int, held: int) -> str:
    """Return how many sentences an answer can cite, of which `held` stay out of prompts."""
    if sentences == 0:
        return "kept; it has no sentence that answers can cite"
    if held >= sentences:
        return "kept, but answers will not cite it"
    if held:
        return f"kept; answers can cite {sentences - held:,} of {counted(sentences, 'sentence')}"
    return f"kept; answers can cite {counted(sentences, 'sentence')}"


def half_note_in_words(note: PartialNote) -> str:
    """Return what is left of a note and what becomes of it, in one sentence."""
    own = len(note.unsaid)
    becomes = "every sentence of it is said elsewhere, so all of it goes"
    if own:
        becomes = (
            f"{counted(own, 'sentence')} said nowhere else {'becomes' if own == 1 else 'become'} a note of their own"
        )
    return f"{note.thought_id}: a killed command stored this note in part ({counted(len(note.rows), 'row')}); {becomes}"


def half_note_json(note: PartialNote) -> dict[str, object]:
    """Return the same as JSON."""
    return {
        "thought_id": note.thought_id,
        "rows": len(note.rows),
        "going": len(note.going),
        "becoming_a_note": len(note.unsaid),
    }
