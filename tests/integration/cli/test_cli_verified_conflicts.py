"""`voice conflicts --verify`: what a verifier says of pairs of statements."""

import json
from typing import Any

import pytest

from cli_runner import SETTINGS, Documented, Playing, Ran, Voice
from played_turns import passed
from voice.core.errors import ProviderUnavailable
from voice.ports.llm import LlmRequest
from voice.testing.verifiers import say_verbatim
from voice.wiring.data_directory import calibrations_of

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
    """The same, with a verifier that was tried and is believed."""
    refused = studio("conflicts", "--verify").err
    label = refused.partition("voice: ")[2].partition(" has not been tested")[0]
    calibrations_of(studio.home).keep(passed(label, false_support=0.04))
    return studio


def pairs(ran: Ran) -> list[tuple[object, object]]:
    return [(each["difference"], each["verified"]) for each in ran.json["conflicts"]]


@pytest.mark.requirement("conflicts:private")
def test_found_and_near_pairs_are_asked_about_in_both_directions_and_the_cost_is_said_first(
    tried: Voice, reader: Reader, is_as_documented: Documented
) -> None:
    private = tried("conflicts", "--verify", "--private")
    assert (private.code, "SURR_ALLOW_PRIVATE_REMOTE" in private.err, reader.asked) == (4, True, [])
    reader.is_busy = True
    failed = tried.ok("conflicts", "--verify", "--json")
    assert (pairs(failed), "the verifier gave no opinion on 2 pairs" in failed.err) == ([("number", False)], True)
    reader.is_busy, reader.only_one_side = False, True
    assert pairs(tried.ok("conflicts", "--verify", "--json")) == [("number", False)], "from one side alone"
    reader.only_one_side = False
    reader.asked.clear()
    assert pairs(tried.ok("conflicts", "--verify", "1", "--json")) == [("number", True)]
    assert [len(asked["claims"]) for asked in reader.asked] == [2]
    ran = tried.ok("conflicts", "--verify", "--json")
    is_as_documented("cli/conflicts", ran)
    assert pairs(ran) == [("number", True), ("meaning", True)]
    assert "about 2 pairs: $" in ran.err
    asked = reader.asked[-1]
    texts = {one["source_id"]: one["text"] for one in asked["sources"]}
    held = {(one["text"], *(texts[each] for each in one["cites"])) for one in asked["claims"]}
    assert held == {(HOT, HOTTER), (HOTTER, HOT), (USED, BROKEN), (BROKEN, USED)}
    assert "the verifier says that they contradict each other, verified" in tried.ok("conflicts", "--waiting").out


def test_one_that_was_not_tried_or_is_not_there_is_not_asked(studio: Voice, reader: Reader) -> None:
    ran = studio("conflicts", "--verify")
    assert (ran.code, "run `voice verifier check`" in ran.err) == (4, True)
    studio.settings(f'{SETTINGS}[verifier]\nname = "none"\n')
    none = studio("conflicts", "--verify")
    assert (none.code, "no verifier is set" in none.err, reader.asked) == (4, True, [])
