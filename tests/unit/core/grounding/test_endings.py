"""A state that a later note ends or replaces is disputed; one of somebody else, or begun again, is not (ruling F)."""

from datetime import timedelta

import pytest

from grounding_rows import SAID_ON, draft, row
from voice.core.grounding.judge import judge
from voice.core.grounding.values import Evidence, GroundingPolicy

pytestmark = pytest.mark.requirement("grounding:disagreement")

KEY = "The spare key is with Mrs. Albrecht."


def _flags(told: str, later: str, *, answer: str | None = None, speaker: str | None = None) -> tuple[str, ...]:
    """Return the flags of an answer that repeats what was told first, with a later row beside it."""
    rows = (row("S1", told, speaker=speaker), row("S2", later, at=SAID_ON + timedelta(days=8)))
    return _judged(answer or told, rows)


def _judged(answer: str, rows: tuple[Evidence, ...]) -> tuple[str, ...]:
    policy = GroundingPolicy(min_sources=1)
    response = judge(draft(answer, ("S1", rows[0].text)), rows, policy, question="What about it?")
    return tuple(flag for one in response.sentences for flag in one.flags)


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("I am engaged to Felix.", "I broke up with Felix."),
        ("I am engaged to Felix.", "Felix and I split up."),
        ("I am married to Ole.", "I've finally divorced Ole."),
        ("Mona is married to Ole.", "Mona separated from Ole."),
        ("I'm dating Mona.", "Broke up with Mona."),
        ("Pia is my girlfriend.", "Pia left me."),
        ("Pia is my girlfriend.", "We split up with Pia."),
        ("I live in Turin.", "Moved to Bari yesterday."),
        (KEY, "The spare key is no longer with Mrs. Albrecht. It is with Ulrike now."),
        ("I work at Acme as a nurse.", "I no longer work at Acme."),
        ("I drink coffee.", "I don't drink coffee anymore."),
        ("Die Katze schläft im Keller.", "Die Katze schläft nicht mehr im Keller."),
    ],
)
def test_what_a_later_note_ends_or_replaces_is_disputed(told: str, later: str) -> None:
    assert "disputed" in _flags(told, later)


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("I am engaged to Felix.", "I broke up with Ole."),
        ("I am engaged to Felix.", "Mona broke up with Felix."),
        ("I broke up with Felix.", "I am engaged to Felix."),
        ("I work at Acme.", "Ole no longer works at Acme."),
        ("I no longer work at Acme.", "I work at Acme."),
        ("I live in Bari.", "Moved to Bari yesterday."),
        ("I live in Turin.", "Moved to Bari in 2003."),
        (KEY, "The car key is no longer with Mrs. Albrecht."),
        (KEY, "No longer."),
        ("The lift works.", "The lift no longer works on Sundays."),
        ("I was at Acme until May.", "I am no longer at Acme in May."),
        ("I do not work at Acme.", "I no longer work at Acme."),
    ],
)
def test_what_is_of_another_or_began_again_is_not(told: str, later: str) -> None:
    assert "disputed" not in _flags(told, later)


def test_what_somebody_else_said_of_themselves_is_not_ended_by_the_owner() -> None:
    assert "disputed" not in _flags("I work at Acme.", "I no longer work at Acme.", speaker="Ole")


def test_an_end_that_the_answer_rests_on_is_held_against_what_was_said_before() -> None:
    rows = (row("S1", "I no longer work at Acme.", at=SAID_ON + timedelta(days=8)), row("S2", "I work at Acme."))

    assert "disputed" in _judged("You no longer work at Acme.", rows)
