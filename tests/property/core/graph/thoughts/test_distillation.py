"""What holds for the distilling of any text."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.graph.thoughts.distillation import distil
from voice.core.records import Origin, Thought

TABLES = tables(__file__)

_TRICKY = tuple(TABLES["tricky"])
_PIECES = st.lists(st.sampled_from(_TRICKY) | st.text(max_size=12), max_size=12)
AT = datetime(2024, 1, 1, tzinfo=UTC)


def _thought(text: str, speaker: str | None) -> Thought:
    return Thought(id="t:x", content=text, created_at=AT, recorded_at=AT, origin=Origin.HUMAN, speaker=speaker)


@given(_PIECES.map(" ".join) | st.text(), st.none() | st.just("Ana"))
def test_observations_are_verbatim_ordered_disjoint_and_repeatable(text: str, speaker: str | None) -> None:
    thought = _thought(text, speaker)
    observations = distil(thought)
    assert distil(thought) == observations
    reached = 0
    places = sorted((place.start, place.end, row.text) for row in observations for place in row.provenance)
    for start, end, said in places:
        assert said == text[start:end]
        assert said.strip()
        assert reached <= start < end
        reached = end
    firsts = [row.provenance[0].start for row in observations]
    assert firsts == sorted(firsts)
    assert len({row.id for row in observations}) == len({row.text for row in observations}) == len(observations)
