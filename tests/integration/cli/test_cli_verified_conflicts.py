"""`voice conflicts --verify`: what a verifier says of pairs of statements."""

import json
from typing import Any

import pytest

from cli_runner import SETTINGS, Documented, Playing, Ran, Voice
from voice.core.errors import ProviderUnavailable
from voice.ports.llm import LlmRequest
from voice.testing.verifiers import say_verbatim

pytestmark = pytest.mark.requirement("conflicts:verifier")
USED, BROKEN = "The kiln in the shed is used every day.", "The kiln in the shed is broken."
HOT, HOTTER = "The oven fires at 1200 degrees.", "The oven fires at 1250 degrees."


class Reader:
    """A model that finds contradictions by one word, or fails."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.only_one_side = False
        self.is_busy = False

    def __call__(self, request: LlmRequest) -> str:
        asked = json.loads(request.prompt)
        claims = asked["claims"]
        if any(one.get("question") for one in claims) or asked["question"]:
            return say_verbatim(request)
        if self.is_busy:
            raise ProviderUnavailable("the provider is busy")
        self.asked.append(asked)
        numbers = [one["number"] for one in claims if not self.only_one_side or one["number"] % 2]
        said = [{"number": each, "words": list[str](), "verdict": "contradicted"} for each in numbers]
        return json.dumps({"claims": said, "answers_question": True})


@pytest.fixture
def reader(playing: Playing) -> Reader:
    """Put the reader in the place of every model."""
    script = Reader()
    playing(script)
    return script


@pytest.fixture
def studio(voice: Voice, reader: Reader) -> Voice:
    """A memory with one pair that is found and one that is near, and a verifier."""
    for text in (USED, BROKEN, HOT, HOTTER):
        voice.ok("remember", text)
    voice.settings(f'{SETTINGS}[verifier]\nname = "llm"\nmodel = "openai/judge-1"\n')
    return voice


@pytest.fixture
def tried(studio: Voice) -> Voice:
    """The same, with the verifier tried."""
    studio.ok("verifier", "check")
    return studio


def pairs(ran: Ran) -> list[tuple[object, object]]:
    return [(each["difference"], each["verified"]) for each in ran.json["conflicts"]]


def test_found_and_near_pairs_are_asked_about_in_both_directions_and_the_cost_is_said_first(
    tried: Voice, reader: Reader, is_as_documented: Documented
) -> None:
    ran = tried.ok("conflicts", "--verify", "--json")
    is_as_documented("cli/conflicts", ran)
    assert pairs(ran) == [("number", True), ("meaning", True)]
    assert "about 2 pairs: $" in ran.err
    (asked,) = reader.asked
    texts = {one["source_id"]: one["text"] for one in asked["sources"]}
    held = {(one["text"], *(texts[each] for each in one["cites"])) for one in asked["claims"]}
    assert held == {(HOT, HOTTER), (HOTTER, HOT), (USED, BROKEN), (BROKEN, USED)}
    assert "the verifier says that they contradict each other, verified" in tried.ok("conflicts", "--waiting").out


def test_no_more_pairs_are_asked_about_than_wanted(tried: Voice, reader: Reader) -> None:
    assert pairs(tried.ok("conflicts", "--verify", "1", "--json")) == [("number", True)]
    assert [len(asked["claims"]) for asked in reader.asked] == [2]


def test_what_contradicts_from_one_side_alone_is_not_verified(tried: Voice, reader: Reader) -> None:
    reader.only_one_side = True
    assert pairs(tried.ok("conflicts", "--verify", "--json")) == [("number", False)]


def test_one_that_fails_has_no_opinion_and_that_is_told(tried: Voice, reader: Reader) -> None:
    reader.is_busy = True
    ran = tried.ok("conflicts", "--verify", "--json")
    assert pairs(ran) == [("number", False)]
    assert "the verifier gave no opinion on 2 pairs" in ran.err


def test_one_that_was_not_tried_or_is_not_there_is_not_asked(studio: Voice, reader: Reader) -> None:
    ran = studio("conflicts", "--verify")
    assert (ran.code, "run `voice verifier check`" in ran.err) == (4, True)
    studio.settings(f'{SETTINGS}[verifier]\nname = "none"\n')
    none = studio("conflicts", "--verify")
    assert (none.code, "no verifier is set" in none.err, reader.asked) == (4, True, [])


@pytest.mark.requirement("conflicts:private")
def test_private_rows_leave_this_machine_with_consent_alone(tried: Voice, reader: Reader) -> None:
    ran = tried("conflicts", "--verify", "--private")
    assert (ran.code, "SURR_ALLOW_PRIVATE_REMOTE" in ran.err, reader.asked) == (4, True, [])
