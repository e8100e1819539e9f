"""`voice conflicts --verify`: what a verifier says of pairs of statements."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import pytest

import voice.bootstrap
from cli_runner import SETTINGS, Ran, Voice, always
from played_turns import PAID
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import ProviderUnavailable
from voice.ports.llm import LlmRequest
from voice.testing.verifiers import say_verbatim

pytestmark = pytest.mark.requirement("conflicts:verifier")
USED, BROKEN = "The kiln in the shed is used every day.", "The kiln in the shed is broken."
HOT, HOTTER = "The oven fires at 1200 degrees.", "The oven fires at 1250 degrees."


class Reader:
    """A model that finds contradictions by one word, or fails."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, object]] = []
        self.verdict = "contradicted"
        self.only_one_side = False
        self.is_busy = False

    def __call__(self, request: LlmRequest) -> str:
        asked = cast("Mapping[str, object]", json.loads(request.prompt))
        claims = cast("Sequence[Mapping[str, object]]", asked["claims"])
        if any(one.get("question") for one in claims) or asked["question"]:
            return say_verbatim(request)
        if self.is_busy:
            raise ProviderUnavailable("the provider is busy")
        self.asked.append(asked)
        said: list[Mapping[str, object]] = [
            {"number": one["number"], "words": list[str](), "verdict": self.verdict}
            for one in claims
            if not self.only_one_side or cast("int", one["number"]) % 2
        ]
        return json.dumps({"claims": said, "answers_question": True})


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Put the reader in the place of every model."""
    script = Reader()
    monkeypatch.setattr(voice.bootstrap, "make_llm", always(lambda: ScriptedClient(script, profile=PAID)))
    return script


@pytest.fixture
def studio(voice: Voice, reader: Reader) -> Voice:
    """A memory with one pair that is found and one that is near, and a verifier."""
    for text in (USED, BROKEN, HOT, HOTTER):
        voice.ok("remember", text)
    lines = '[verifier]\nname = "llm"\nmodel = "openai/judge-1"\n'
    (voice.home / "voice.toml").write_text(f"{SETTINGS}{lines}", encoding="utf-8")
    return voice


def pairs(ran: Ran) -> list[tuple[object, object]]:
    found = cast("Mapping[str, Sequence[Mapping[str, object]]]", ran.json)["conflicts"]
    return [(each["difference"], each["verified"]) for each in found]


def test_found_and_near_pairs_are_asked_about_in_both_directions_and_the_cost_is_said_first(
    studio: Voice, reader: Reader, is_as_documented: Callable[[str, Ran], None]
) -> None:
    studio.ok("verifier", "check")
    ran = studio.ok("conflicts", "--verify", "--json")
    is_as_documented("cli/conflicts", ran)
    assert pairs(ran) == [("number", True), ("meaning", True)]
    assert "about 2 pairs: $" in ran.err
    (asked,) = reader.asked
    claims = cast("Sequence[Mapping[str, object]]", asked["claims"])
    texts = {str(one["source_id"]): one["text"] for one in cast("Sequence[Mapping[str, object]]", asked["sources"])}
    held = {(one["text"], *(texts[each] for each in cast("list[str]", one["cites"]))) for one in claims}
    assert held == {(HOT, HOTTER), (HOTTER, HOT), (USED, BROKEN), (BROKEN, USED)}
    assert "the verifier says that they contradict each other, verified" in studio.ok("conflicts", "--waiting").out


def test_no_more_pairs_are_asked_about_than_wanted(studio: Voice, reader: Reader) -> None:
    studio.ok("verifier", "check")
    assert pairs(studio.ok("conflicts", "--verify", "1", "--json")) == [("number", True)]
    assert [len(cast("list[object]", asked["claims"])) for asked in reader.asked] == [2]


def test_what_contradicts_from_one_side_alone_is_not_verified(studio: Voice, reader: Reader) -> None:
    studio.ok("verifier", "check")
    reader.only_one_side = True
    assert pairs(studio.ok("conflicts", "--verify", "--json")) == [("number", False)]


def test_one_that_fails_has_no_opinion_and_that_is_told(studio: Voice, reader: Reader) -> None:
    studio.ok("verifier", "check")
    reader.is_busy = True
    ran = studio.ok("conflicts", "--verify", "--json")
    assert pairs(ran) == [("number", False)]
    assert "the verifier gave no opinion on 2 pairs" in ran.err


def test_one_that_was_not_tried_or_is_not_there_is_not_asked(studio: Voice, reader: Reader) -> None:
    ran = studio("conflicts", "--verify")
    assert (ran.code, "run `voice verifier check`" in ran.err) == (4, True)
    (studio.home / "voice.toml").write_text(f'{SETTINGS}[verifier]\nname = "none"\n', encoding="utf-8")
    none = studio("conflicts", "--verify")
    assert (none.code, "no verifier is set" in none.err, reader.asked) == (4, True, [])


@pytest.mark.requirement("conflicts:private")
def test_private_rows_leave_this_machine_with_consent_alone(studio: Voice, reader: Reader) -> None:
    studio.ok("verifier", "check")
    ran = studio("conflicts", "--verify", "--private")
    assert (ran.code, "SURR_ALLOW_PRIVATE_REMOTE" in ran.err, reader.asked) == (4, True, [])
