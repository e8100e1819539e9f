"""What waits for review, in the order in which it matters, and conditions on it."""

import pytest

from candidate_values import candidate
from tables import tables
from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import Candidate, EntityProposal, Proposal, RelationProposal
from voice.core.graph.review.decisions import Place, parse_conditions, queue_of
from voice.core.records import Provenance

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:I5:queue")


def found(name: str, kind: str = "person", mentions: int = 2, confidence: float = 0.98) -> Candidate:
    return made(EntityProposal(name=name, entity_type=kind), mentions, confidence)


def made(proposed: Proposal, mentions: int, confidence: float = 0.9) -> Candidate:
    spans = tuple(Provenance(thought_id="t:1", start=at, end=at + 1) for at in range(mentions))
    return candidate(proposed, confidence=confidence, provenance=spans)


def names(candidates: tuple[Candidate, ...]) -> list[str]:
    return [each.names[0] for each in candidates]


def test_what_is_named_most_comes_first_then_what_is_surest() -> None:
    line = queue_of([found("Ada", confidence=0.9), found("Beth"), found("Carla", mentions=5, confidence=0.8)])
    assert (names(line.shown), line.folded) == (["carla", "beth", "ada"], ())


def test_what_the_graph_holds_is_not_asked_again_and_a_name_is_asked_once() -> None:
    ruby, jewel = found("Ruby", "tool", mentions=4), found("Ruby", mentions=3)
    line = queue_of([ruby, jewel, found("Ada")], known={found("Ada").id})
    assert (line.shown, line.folded) == ((ruby,), (jewel,))


def test_what_was_named_once_and_is_of_no_known_kind_is_folded_and_so_is_what_is_too_much() -> None:
    once, known = found("LinkLink", "tool", 1, 0.96), found("Vim", "tool", 1)
    line = queue_of([once, known, found("Ada"), found("Beth", confidence=0.95)], most=2)
    assert (names(line.shown), names(line.folded)) == (["ada", "beth"], ["vim", "linklink"])


@pytest.mark.parametrize(("kind", "confidence", "said"), [("tool", 0.96, "thing"), ("tool", 0.98, "tool")])
def test_a_kind_that_was_read_off_too_little_is_not_claimed(kind: str, confidence: float, said: str) -> None:
    proposal = found("GitDoc", kind, confidence=confidence).proposal
    assert isinstance(proposal, EntityProposal)
    assert proposal.entity_type == said


def test_a_place_in_the_queue_is_read_as_it_was_written() -> None:
    place = Place.behind(found("Ada"))
    assert Place.parse(str(place)) == place
    for wrong in ("", "2~0.5", "2~nan~c:1", "2~0.5~t:1", "2~0.5~c:1~4", "x~0.5~c:1"):
        with pytest.raises(InvalidParams, match="not a place in the list"):
            Place.parse(wrong)


@pytest.mark.parametrize(("text", "wanted"), TABLES["conditions_hold_all_together"])
def test_conditions_hold_all_together(text: str, wanted: tuple[str, ...]) -> None:
    edge = RelationProposal(source="Ada", rel_type="works_at", target="Kiln Co")
    every = (found("Ada", mentions=3), found("Vim", "tool", 2), made(edge, 1))
    admitted = tuple(each for each in every if all(one.admits(each) for one in parse_conditions(text)))
    assert tuple(names(admitted)) == wanted


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *TABLES["a_condition_that_cannot_be_meant_is_refused_with_what_can"],
        pytest.param(f"name={'a' * 2_000}", "have 2,005 characters; use at most 2,000", id="too much"),
    ],
)
def test_a_condition_that_cannot_be_meant_is_refused_with_what_can(text: str, told: str) -> None:
    with pytest.raises(InvalidParams, match=told):
        parse_conditions(text)
