"""Rulings C13, F: extraction works on full text with spans, and nothing is inferred across notes."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.extraction.extract import extract
from voice.core.extraction.sentences import NEVER
from voice.core.graph.review.extraction_results import Extracted, sure_enough
from voice.core.records import Origin, Thought
from voice.core.text.word_lists import fold_word

_WRITTEN = datetime(2025, 6, 5, 12, tzinfo=UTC)
_PIECES = st.sampled_from(
    [
        *("Sarah Chen", "Anna", "Beth the customer", "Acme Corp", "Siemens", "Berlin", "Docker", "Project Falcon"),
        *("PyCon", "Max", "Will", "May", "The", "She", "Her", "(WHO)", "World Health Organization", "Frau", "I"),
        *("works at", "lives in", "'s", "’s", "boss", "husband", "and", "not", "uses", "moved to", "in", "the", "von"),
        *("since May", "until 2023", "wohnt", "bei", "trabaja en", "Vive en", "http://a.b", "- ", "1. ", "```", "`"),
        *(",", ".", "?", "\n", "\u0301", "“", "„", ":", ";"),
    ]
)
_TEXTS = st.lists(st.one_of(_PIECES, st.text(max_size=4)), max_size=25).map(" ".join) | st.text(max_size=60)


def _thought(text: str, key: str, speaker: str | None) -> Thought:
    return Thought(
        id=f"t:{key}", content=text, created_at=_WRITTEN, recorded_at=_WRITTEN, origin=Origin.HUMAN, speaker=speaker
    )


@pytest.mark.requirement("ruling:F.1", "ruling:F.5")
@given(_TEXTS, st.sampled_from([None, "Melanie"]))
def test_every_span_lies_in_the_text_and_every_end_is_an_entity(text: str, speaker: str | None) -> None:
    found = extract([_thought(text, "one", speaker)])
    names = {entity.name for entity in found.entities}
    for one in (*found.entities, *found.relations):
        assert one.mentions
        assert all(0 <= at.start <= at.end <= len(text) for at in one.mentions)
    for entity in found.entities:
        assert entity.name in text or entity.name == speaker
    assert names.issuperset(end for one in found.relations for end in (one.source, one.target))


@pytest.mark.requirement("ruling:F.1")
@given(_TEXTS)
def test_no_staged_entity_is_a_stop_word_or_a_mark(text: str) -> None:
    for entity in sure_enough(extract([_thought(text, "one", None)])).entities:
        assert any(char.isalpha() for char in entity.name)
        assert fold_word(entity.name) not in NEVER or entity.name.isupper()


@given(st.lists(_TEXTS, max_size=3))
def test_notes_read_together_give_what_they_give_apart(texts: list[str]) -> None:
    """Nothing is inferred across notes: every name of the one reading is in the other."""
    thoughts = [_thought(text, str(number), None) for number, text in enumerate(texts)]
    together = extract(thoughts)
    apart = [extract([thought]) for thought in thoughts]
    assert together == extract(thoughts)
    assert _said(together) == set[object]().union(*map(_said, apart))


def _said(found: Extracted) -> set[object]:
    spans = {(at, entity.entity_type) for entity in found.entities for at in entity.mentions}
    return {*spans, *(at for one in found.relations for at in one.mentions)}
