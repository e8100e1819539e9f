"""What a note states, in its own words.

Law: an observation is a stretch of the note that can be read alone, the very stretch that is distilled of it
(`voice.core.graph.passages`); what is read out of it is only whom it speaks of and when it held.

Source: rulings A21, F.1, F.2, E.
"""

from collections.abc import Sequence

from voice.core.extraction.entities import Thing
from voice.core.extraction.periods import NO_PERIOD, calendar_at, period_in
from voice.core.extraction.reading import Reading
from voice.core.graph.extracted import ExtractedObservation
from voice.core.graph.passages import statement_spans
from voice.core.records import Provenance, Thought

PLAIN = 0.96
DATED = 0.93
"""(right + 1) / (read + 2) over the first sixty of the labelled notes: without bounds in time, and with them."""


def observations_in(thought: Thought, reading: Reading, things: Sequence[Thing]) -> tuple[ExtractedObservation, ...]:
    """Return what `thought` states, in order."""
    spans = statement_spans(thought.content, in_dialogue=thought.speaker is not None)
    return tuple(_observation(thought, reading, start, end, things) for start, end in spans)


def _observation(
    thought: Thought, reading: Reading, start: int, end: int, things: Sequence[Thing]
) -> ExtractedObservation:
    period = period_in(thought.content[start:end], reading.language, calendar_at(thought.created_at))
    about = (thing.name for thing in things if any(start <= left and right <= end for left, right in thing.spans))
    return ExtractedObservation(
        text=thought.content[start:end],
        about=tuple(about),
        confidence=PLAIN if period == NO_PERIOD else DATED,
        mentions=(Provenance(thought_id=thought.id, start=start, end=end),),
        valid_from=period.start,
        valid_until=period.end,
    )
