"""What forgetting takes out of pins and capsules.

What forgetting takes out of what waits to become part of the graph.
"""

from dataclasses import replace

import pytest

from candidate_values import candidate, edge, person
from store_values import NOON
from voice.core.graph.review.candidates import Candidate, CandidateStatus, EntityProposal, RelationProposal
from voice.core.recall.forgetting import candidate_without, capsule_without, pin_without
from voice.core.recall.values import REDACTED_TEXT, Capsule, Pin, Summary, summary_id
from voice.core.records import Origin, Provenance
from voice.core.session.forgetting import ForgottenContent
from voice.core.text.leakage import LeakMarkers

GIVEAWAY = LeakMarkers(phrases=frozenset({"the door code"}), words=frozenset({"4711"}))
FORGET = ForgottenContent(ids=frozenset({"t:1"}), giveaway=GIVEAWAY, keeps_hashes=False)
REDACT = replace(FORGET, keeps_hashes=True)
PIN = Pin(id="p:1", target_id="t:1", reason="mind it", created_at=NOON)
CAPSULE = Capsule(id="c:1", intent="the move, 4711", opened_at=NOON)


def summary(content: str, *refs: str) -> Summary:
    return Summary(
        id=summary_id("c:1"), capsule_id="c:1", content=content, confidence=1.0, evidence_refs=refs, created_at=NOON
    )


@pytest.mark.requirement("ruling:G.2e")
def test_a_pin_on_it_goes_or_loses_its_reason() -> None:
    assert pin_without(PIN, FORGET) is None
    bare = pin_without(PIN, REDACT)
    assert bare is not None
    assert bare == replace(PIN, reason=REDACTED_TEXT)
    assert pin_without(bare, REDACT) is bare


@pytest.mark.requirement("ruling:G.2e")
def test_a_pin_on_something_else_loses_its_reason_where_that_quotes_it() -> None:
    other = replace(PIN, target_id="t:2")
    assert pin_without(other, FORGET) is other
    assert pin_without(replace(other, reason="because of the DOOR code"), FORGET) == replace(
        other, reason=REDACTED_TEXT
    )


@pytest.mark.requirement("ruling:G.2e")
@pytest.mark.parametrize(
    ("content", "refs", "is_left"),
    [("All well.", ("t:1",), False), ("It was the door code.", (), False), ("All well.", ("t:2",), True)],
)
def test_a_summary_goes_that_rests_on_it_or_quotes_it(content: str, refs: tuple[str, ...], *, is_left: bool) -> None:
    before = replace(CAPSULE, summary=summary(content, *refs))
    after = capsule_without(before, FORGET)
    assert (after is before) is is_left
    assert is_left or (after.summary, after.revision) == (None, before.revision + 1)


@pytest.mark.requirement("ruling:G.2e")
def test_an_intent_goes_that_quotes_it_or_hints_at_what_lay_within() -> None:
    assert capsule_without(CAPSULE, FORGET) is CAPSULE
    bare = capsule_without(CAPSULE, FORGET, within={"c:1"})
    assert bare.intent == REDACTED_TEXT
    assert capsule_without(bare, FORGET, within={"c:1"}) is bare
    assert capsule_without(replace(CAPSULE, intent="The door code"), FORGET).intent == REDACTED_TEXT


GIVEAWAY_CANDIDATES = LeakMarkers(phrases=frozenset({"the door code"}), words=frozenset({"fox", "4711"}))
GONE = ForgottenContent(ids=frozenset({"t:1", "e:gone"}), giveaway=GIVEAWAY_CANDIDATES, keeps_hashes=False)
NOTHING = replace(GONE, ids=frozenset(), giveaway=LeakMarkers(phrases=frozenset(), words=frozenset()))
IN_IT, BESIDE = (Provenance(thought_id=f"t:{number}", start=0, end=5) for number in (1, 2))
BOTH = (IN_IT, BESIDE)


@pytest.mark.requirement("ruling:G.2e", "forget:reach")
@pytest.mark.parametrize(
    "held",
    [
        person(),
        edge(),
        person("Fox", provenance=BOTH),
        person("The door code", provenance=(BESIDE,)),
        edge(target="the door code of Ada", provenance=()),
        person(
            provenance=(BESIDE,),
            status=CandidateStatus.APPROVED,
            row_id="e:gone",
            decided_at=NOON,
            decided_by=Origin.HUMAN,
        ),
    ],
)
def test_a_candidate_goes_that_rests_on_nothing_else_became_it_or_is_called_by_it(held: Candidate) -> None:
    assert candidate_without(held, GONE) is None
    assert candidate_without(held, NOTHING) is held


@pytest.mark.requirement("ruling:G.2e", "forget:reach")
@pytest.mark.parametrize("held", [person("Fox", provenance=(BESIDE,)), edge(provenance=()), person(provenance=())])
def test_a_candidate_stays_as_it_is_that_holds_nothing_of_it(held: Candidate) -> None:
    assert candidate_without(held, GONE) is held


@pytest.mark.requirement("ruling:G.2e", "forget:reach")
def test_a_candidate_that_rests_on_something_else_too_loses_what_only_that_can_have_told() -> None:
    told = EntityProposal(name="Ada", entity_type="person", aliases=("Fox", "Adele"), description="knows 4711")
    held = candidate(told, provenance=BOTH, edited=replace(told, name="Ada L."), reason="called Fox")
    bare = candidate_without(held, GONE)
    assert bare is not None
    assert bare == replace(
        held,
        provenance=(BESIDE,),
        proposed=replace(told, aliases=("Adele",), description=""),
        edited=replace(told, name="Ada L.", aliases=("Adele",), description=""),
        reason="",
        revision=2,
    )
    assert candidate_without(bare, GONE) is bare


@pytest.mark.requirement("ruling:G.2e", "forget:reach")
def test_a_relation_loses_a_description_that_quotes_it_wherever_it_rests() -> None:
    told = RelationProposal(source="Ada", rel_type="knows", target="Cleo", description="by The Door Code")
    bare = candidate_without(candidate(told, provenance=(BESIDE,)), GONE)
    assert bare == candidate(replace(told, description=""), provenance=(BESIDE,), revision=2)
