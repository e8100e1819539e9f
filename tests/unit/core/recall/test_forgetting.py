"""What forgetting takes out of pins and capsules."""

from dataclasses import replace

import pytest

from store_values import NOON
from voice.core.recall.forgetting import capsule_without, pin_without
from voice.core.recall.values import REDACTED_TEXT, Capsule, Pin, Summary, summary_id
from voice.core.session.forgetting import ForgottenContent
from voice.core.text.leakage import LeakMarkers

pytestmark = pytest.mark.requirement("ruling:G.2e")
GIVEAWAY = LeakMarkers(phrases=frozenset({"the door code"}), words=frozenset({"4711"}))
FORGET = ForgottenContent(ids=frozenset({"t:1"}), giveaway=GIVEAWAY, keeps_hashes=False)
REDACT = replace(FORGET, keeps_hashes=True)
PIN = Pin(id="p:1", target_id="t:1", reason="mind it", created_at=NOON)
CAPSULE = Capsule(id="c:1", intent="the move, 4711", opened_at=NOON)


def summary(content: str, *refs: str) -> Summary:
    return Summary(
        id=summary_id("c:1"), capsule_id="c:1", content=content, confidence=1.0, evidence_refs=refs, created_at=NOON
    )


def test_a_pin_on_it_goes_or_loses_its_reason() -> None:
    assert pin_without(PIN, FORGET) is None
    bare = pin_without(PIN, REDACT)
    assert bare is not None
    assert bare == replace(PIN, reason=REDACTED_TEXT)
    assert pin_without(bare, REDACT) is bare


def test_a_pin_on_something_else_loses_its_reason_where_that_quotes_it() -> None:
    other = replace(PIN, target_id="t:2")
    assert pin_without(other, FORGET) is other
    assert pin_without(replace(other, reason="because of the DOOR code"), FORGET) == replace(
        other, reason=REDACTED_TEXT
    )


@pytest.mark.parametrize(
    ("content", "refs", "is_left"),
    [("All well.", ("t:1",), False), ("It was the door code.", (), False), ("All well.", ("t:2",), True)],
)
def test_a_summary_goes_that_rests_on_it_or_quotes_it(content: str, refs: tuple[str, ...], *, is_left: bool) -> None:
    before = replace(CAPSULE, summary=summary(content, *refs))
    after = capsule_without(before, FORGET)
    assert (after is before) is is_left
    assert is_left or (after.summary, after.revision) == (None, before.revision + 1)


def test_an_intent_goes_that_quotes_it_or_hints_at_what_lay_within() -> None:
    assert capsule_without(CAPSULE, FORGET) is CAPSULE
    bare = capsule_without(CAPSULE, FORGET, within={"c:1"})
    assert bare.intent == REDACTED_TEXT
    assert capsule_without(bare, FORGET, within={"c:1"}) is bare
    assert capsule_without(replace(CAPSULE, intent="The door code"), FORGET).intent == REDACTED_TEXT
