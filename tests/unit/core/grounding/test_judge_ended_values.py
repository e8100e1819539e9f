"""What the graph knows to have ended is not told as current, however true it once was."""

from datetime import UTC, datetime

import pytest

from grounding_rows import judged, opinion, replied, row, says
from voice.core.grounding.proof import ProofContext
from voice.core.grounding.values import GroundedResponse, GroundingPolicy, SentenceVerdict, has_ended
from voice.core.grounding.verifier_values import VerificationReply

pytestmark = pytest.mark.requirement("grounding:ended", "promise:1")
NOW = datetime(2026, 3, 20, 18, tzinfo=UTC)
ACME = row("S1", "I work at Acme.", at=datetime(2024, 3, 3, tzinfo=UTC), replaced_by="o:s2")
GLOBEX = row("S2", "I work at Globex.", at=datetime(2025, 5, 9, tzinfo=UTC))
GYM = row("S3", "My gym card opens every door.", until=datetime(2026, 1, 31, tzinfo=UTC))
RENT = row("S4", "The garage is mine.", until=datetime(2027, 1, 31, tzinfo=UTC))
LEASE = row("S5", "Until 31 January 2026 the rent is 640.", until=datetime(2026, 1, 31, tzinfo=UTC))
ROWS = (ACME, GLOBEX, GYM, RENT, LEASE)
POLICY = GroundingPolicy(min_sources=0, min_coverage=0.0, on_unsupported="mark")


def told(text: str, *aliases: str, reply: VerificationReply | None = None) -> SentenceVerdict:
    cited = {one.alias: one.text for one in ROWS}
    answer: GroundedResponse = judged(
        (says(text, *((alias, cited[alias]) for alias in aliases)),),
        memory=ROWS,
        policy=POLICY,
        context=ProofContext(question="Where do I work?", now=NOW),
        reply=reply,
    )
    (sentence,) = answer.sentences
    return sentence


def test_a_quoted_row_that_was_replaced_is_not_told_as_current() -> None:
    sentence = told("You work at Acme.", "S1")
    assert (sentence.rung, sentence.flags) == ("unsupported", ("ended",))
    assert sentence.reasons == ("a later note replaced the source; the answer tells it as current",)


def test_a_quoted_row_whose_time_is_over_is_not_told_as_current() -> None:
    sentence = told("Your gym card opens every door.", "S3")
    assert (sentence.rung, sentence.flags) == ("unsupported", ("ended",))
    assert sentence.reasons == ("the source was true until 31 January 2026; the answer tells it as current",)


@pytest.mark.parametrize("text", ["On 3 March 2024 you said: I work at Acme.", "On 3 March 2024: you work at Acme."])
def test_it_may_be_told_with_the_day_it_was_said_on(text: str) -> None:
    sentence = told(text, "S1", reply=replied(opinion(1, "supported", ("S1", "I work at Acme."))))
    assert sentence.is_proven


def test_it_may_be_told_with_the_day_until_which_it_held_and_as_past_where_a_verifier_says_so() -> None:
    reply = replied(opinion(1, "supported", ("S3", GYM.text)))
    assert told("Until 31 January 2026 your gym card opened every door.", "S3", reply=reply).is_proven
    assert told("Your gym card opened every door then.", "S3", reply=reply).rung == "verified"
    assert told(LEASE.text, "S5").rung == "quoted"


def test_it_may_be_told_beside_the_row_that_took_its_place() -> None:
    reply = replied(opinion(1, "supported", ("S1", ACME.text), ("S2", GLOBEX.text)))
    assert told("You left Acme for Globex.", "S1", "S2", reply=reply).rung == "verified"


def test_what_holds_until_a_day_to_come_is_current() -> None:
    assert told("The garage is yours.", "S4").rung in ("quoted", "unverified")
    assert not has_ended(RENT, NOW)
    assert has_ended(RENT, None)
