"""What became of a note, or of an import: stored, staged, citable, or left half stored.

Law: true counts, and nothing of the words but what a preview shows. What was kept without a vector is said.

Source: DESIGN 8; rulings A21, C17, F, H; rulings A12, F; docs/import.md.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Final

from voice.core.records import Origin
from voice.core.text.display import counted, printable

if TYPE_CHECKING:
    from voice.core.graph.thoughts.distillation import PartialNote
    from voice.core.interchange.import_plan import Person, Preview
    from voice.core.text.note_context import Path
    from voice.services.graph.extraction import Arrived
    from voice.services.graph.staging import Staged
    from voice.services.imports.request import ImportPreview, ImportReport, Omitted
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
    from voice.core.context.prompt_evidence import instruction_in
    from voice.core.text.prompt_injection import split_instructions

    paths = _statements(content, speaker)
    spread = split_instructions(list(paths))  # one order may be spread over two sentences
    rows = enumerate(paths.items())
    held = (text for at, (text, path) in rows if at in spread or instruction_in(text, speaker, path=path))
    return sum(map(_sentences, held))


def distilled_sentences(content: str, observations: int, speaker: str | None = None) -> int:
    """Return how many sentences of a thought its observations hold; one that leans on another is in one with it.

    Args:
        observations: how many were stored of it; fewer than it has where some were known, or forgotten, before.
    """
    texts = _statements(content, speaker)
    return sum(map(_sentences, texts)) if len(texts) == observations else observations  # else some were known before


def _statements(content: str, speaker: str | None) -> "dict[str, Path]":
    from voice.core.graph.thoughts.distillation import statement_spans
    from voice.core.text.note_context import context_paths, path_offset

    spans = statement_spans(content, in_dialogue=speaker is not None)
    paths = context_paths(content, [path_offset(content, *span) for span in spans], source_ref=None)
    return {content[start:end]: path for (start, end), path in zip(spans, paths, strict=True)}


def _sentences(text: str) -> int:
    from voice.core.text.sentences import sentence_spans

    return len(sentence_spans(text))


def reads_like_instructions(content: str) -> bool:
    """Return whether a thought, or one of its sentences, reads like instructions to a model."""
    from voice.core.text.prompt_injection import find_instruction
    from voice.core.text.sentences import sentence_spans

    # An order may stand in one sentence, or be spread over several.
    sentences = (content[start:end] for start, end in sentence_spans(content))
    return any(find_instruction(text) for text in (content, *sentences))


def citable_in_words(sentences: int, held: int) -> str:
    """Return how many sentences an answer can cite, of which `held` stay out of prompts."""
    if sentences == 0:
        return "stored; it has no sentence that answers can cite"
    if held >= sentences:
        return "stored, but answers will not cite it"
    some = f"{sentences - held:,} of " if held else ""
    return f"stored; answers can cite {some}{counted(sentences, 'sentence')}"


def half_note_in_words(note: "PartialNote") -> str:
    """Return what is left of a note and what becomes of it, in one sentence."""
    becomes = "every sentence of it is said elsewhere, so all of it goes"
    if own := len(note.unsaid):
        verb = "becomes" if own == 1 else "become"
        becomes = f"{counted(own, 'sentence')} said nowhere else {verb} a note of their own"
    return f"{note.thought_id}: a killed command stored this note in part ({counted(len(note.rows), 'row')}); {becomes}"


def half_note_json(note: "PartialNote") -> dict[str, object]:
    """Return the same as JSON."""
    return {
        "thought_id": note.thought_id,
        "rows": len(note.rows),
        "going": len(note.going),
        "becoming_a_note": len(note.unsaid),
    }


FORMATS: Final = (
    "inner-voice-memory/1", "markdown", "memory-bench/1", "obsidian", "chatgpt", "claude", "gemini", "claude-code",
    "codex", "gemini-cli", "messages", "whatsapp", "telegram", "keep", "evernote", "notion", "logseq", "mbox", "jsonl",
    "text",
)  # fmt: skip
"""What can be imported, as `voice.ports.files.FileFormat` calls it."""
_PLACES_SHOWN: Final = 3  # places told of what one reason left out
_PEOPLE_SHOWN: Final = 8  # people told of before "and 3 more"
# Whose words they are where nobody is named, and beside a name.
_WHO: Final = {
    Origin.HUMAN: "you", Origin.LOGGED: "a log you vouch for", Origin.MODEL: "a model", Origin.TOOL: "other people",
}  # fmt: skip
_ONE = {  # names of counts, where it is one
    "thoughts": "thought", "entities": "entity", "observations": "observation", "relations": "relation",
    "tombstones": "tombstone",
}  # fmt: skip
_OF_ONE = {  # the end of a reason, where it is one row
    "of their own": "of its own",
    "that are not prompts": "that is not a prompt",
    "with unsafe paths": "with an unsafe path",
}
_KNOWN_ANEW = {"made_private": "of them made private", "tagged": "of them given tags"}  # behind "already_known"
_KIND_OF_LINE = {  # the count that a kind of line in the file adds to
    "ThoughtLine": "thoughts",
    "EntityLine": "entities",
    "ObservationLine": "observations",
    "RelationLine": "relations",
    "Tombstone": "tombstones",
}


def counts_in_words(counts: Mapping[str, int]) -> str:
    """Return counts of rows, those that are none left out."""
    return ", ".join(f"{count:,} {_row_name(name, count)}" for name, count in counts.items() if count)


def _row_name(name: str, count: int) -> str:
    one = _ONE.get(name, name) if count == 1 else name
    return _KNOWN_ANEW.get(name, one.replace("_", " "))  # "already_known": "already known"


def omitted_in_words(reason: str, count: int) -> str:
    """Return how many were left out, and what they are: `reason` says it in the plural (`LeftOut`)."""
    if count != 1:
        return f"{count:,} {reason}"
    kind, _, rest = reason.partition(" ")  # "attachments with unsafe paths"
    for many, one in _OF_ONE.items():
        rest = rest.replace(many, one)
    return f"1 {kind.removesuffix('ies') + 'y' if kind.endswith('ies') else kind.removesuffix('s')} {rest}".rstrip()


def places_in_words(each: "Omitted") -> str:
    """Return the first places of what was left out."""
    more = "; …" if len(each.where) > _PLACES_SHOWN else ""
    return "; ".join(each.where[:_PLACES_SHOWN]) + more


def counts_of(report: "ImportReport") -> dict[str, int]:
    """Return what an import brought in, in counts of rows."""
    return {
        "thoughts": len(report.ingested.stored),
        "entities": report.entities,
        "observations": report.observations + report.ingested.observations,
        "relations": report.relations,
        "tombstones": report.tombstones,
        "already_known": report.ingested.already_known + report.graph_known,
        "made_private": report.restricted.made_private,
        "tagged": report.restricted.tagged,
        "forgotten": report.ingested.forgotten,
        "corrected": report.corrected,
    }


def preview_counts(seen: "ImportPreview") -> dict[str, int]:
    """Return what an import would bring in, in counts of rows."""
    return {
        **{name: seen.records[line] for line, name in _KIND_OF_LINE.items()},
        "thoughts": seen.preview.thoughts,
        "already_known": seen.already_known,
        "made_private": 0,
        "tagged": 0,
        "forgotten": seen.forgotten,
        "corrected": seen.corrected,
    }


def dates_in_words(seen: "Preview", zone: tzinfo) -> str:
    """Return from when to when the thoughts of a preview date."""
    if seen.earliest is None or seen.latest is None:
        return "none of them has a date"
    first, last = (f"{moment.astimezone(zone):%Y-%m-%d}" for moment in (seen.earliest, seen.latest))
    undated = f", {seen.undated:,} without a date" if seen.undated else ""
    return f"{first if first == last else f'{first} to {last}'}{undated}"


def people_in_words(people: "Sequence[Person]") -> str:
    """Return whose words they are, and how many thoughts: `you 12, Paul 3 (other people)`."""
    more = f" and {len(people) - _PEOPLE_SHOWN:,} more" if len(people) > _PEOPLE_SHOWN else ""
    return f"{', '.join(map(_person_in_words, people[:_PEOPLE_SHOWN]))}{more}"


def _person_in_words(person: "Person") -> str:
    who = _WHO[person.origin]
    return f"{printable(person.name)} {person.thoughts:,} ({who})" if person.name else f"{who} {person.thoughts:,}"
