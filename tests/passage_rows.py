"""Passages for the tests of answering: one sentence each, with everything that does not matter filled in."""

from dataclasses import replace
from datetime import datetime

from retrieval_rows import AT, candidate, observation
from voice.core.records import Provenance
from voice.core.retrieval.passages import Passage
from voice.core.text.normalise import content_hash
from voice.core.text.sentences import sentence_spans


def passage(
    text: str,
    *path: str,
    thought: str = "t:1",
    speaker: str | None = None,
    at: datetime = AT,
    entities: tuple[str, ...] = (),
) -> Passage:
    """Return the sentences of a text as one passage; the first was found."""
    rows = tuple(
        candidate(
            replace(
                observation(content_hash(text[start:end])[:8], text[start:end], at=at),
                provenance=(Provenance(thought_id=thought, start=start, end=end),),
                context_path=path,
                speaker=speaker,
                entity_ids=entities,
            ),
            0.5,
        )
        for start, end in sentence_spans(text) or [(0, len(text))]
    )
    return Passage(rows=rows, found=0)
