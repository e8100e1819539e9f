"""What forgetting takes out of pins and capsules."""

from dataclasses import replace

import pytest

from recall_values import capsule, pin, summary
from voice.core.recall.forgetting import capsule_without, pin_without
from voice.core.recall.values import REDACTED_TEXT
from voice.core.session.forgetting import ForgottenContent
from voice.core.text.leakage import LeakMarkers

pytestmark = pytest.mark.requirement("ruling:G.2e")
GIVEAWAY = LeakMarkers(phrases=frozenset({"the door code"}), words=frozenset({"4711"}))
FORGET = ForgottenContent(ids=frozenset({"t:1"}), giveaway=GIVEAWAY, keeps_hashes=False)
REDACT = replace(FORGET, keeps_hashes=True)
PIN, CAPSULE = pin(), capsule(intent="the move, 4711")


def test_a_pin_on_it_goes_or_loses_its_reason() -> None:
    bare = replace(PIN, reason=REDACTED_TEXT)
    assert pin_without(PIN, FORGET) is None
    assert pin_without(PIN, REDACT) == bare
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
    before = replace(CAPSULE, summary=summary(content=content, evidence_refs=refs))
    after = capsule_without(before, FORGET)
    assert (after is before) is is_left
    assert is_left or (after.summary, after.revision) == (None, before.revision + 1)


def test_an_intent_goes_that_quotes_it_or_hints_at_what_lay_within() -> None:
    assert capsule_without(CAPSULE, FORGET) is CAPSULE
    bare = capsule_without(CAPSULE, FORGET, within={"c:1"})
    assert bare.intent == REDACTED_TEXT
    assert capsule_without(bare, FORGET, within={"c:1"}) is bare
    assert capsule_without(replace(CAPSULE, intent="The door code"), FORGET).intent == REDACTED_TEXT
