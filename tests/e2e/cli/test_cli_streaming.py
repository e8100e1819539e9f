"""The real command against a provider that streams: ended early, cut, slow, or switched off."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli_runner import Ran, data_directory, run_command
from fakes.fake_provider import INVENTED, FakeProvider
from told_events import require_schema

_NOTES = "The kiln moved to the shed behind the house in March.", "Marta fired the first bowls in the kiln on Sunday."


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        yield fake


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = data_directory(tmp_path / "home")
    stored = run_command("remember", "\n".join(_NOTES), home=home)
    assert stored.code == 0, stored
    return home


def _ask(home: Path, fake: FakeProvider, behaviour: str, *options: str, **env: str) -> Ran:
    at = {
        "SURR_INNER_VOICE_PROVIDER": "gemini",
        "SURR_INNER_VOICE_MODEL": f"fake-{behaviour}",
        "SURR_INNER_VOICE_API_BASE": fake.url,
        "SURR_INNER_VOICE_API_KEY": "canary-key",
        "SURR_INNER_VOICE_MIN_SOURCES": "1",
        **env,
    }
    return run_command("ask", "Where is the kiln?", *options, home=home, env=at)


def _events(ran: Ran) -> list[dict[str, object]]:
    events = [json.loads(line) for line in ran.out.splitlines()]
    for event in events:
        require_schema(event)
    return events


@pytest.mark.requirement("stream:cli", "stream:early", "stream:unseen", "stream:saved")
def test_a_draft_that_cites_what_was_not_sent_is_ended_while_the_provider_still_writes(
    home: Path, provider: FakeProvider
) -> None:
    """All after its sources is held back until the caller hangs up: who waited for the end would wait for ever."""
    ran = _ask(home, provider, "held", "--stream-json")
    events = _events(ran)
    assert provider.hung_up.wait(20)
    assert ran.code == 3
    assert [event["event"] for event in events][-3:] == ["judged", "refused", "done"]
    assert (events[-3]["reason"], events[-3]["stopped"]) == ("invalid_citation", True)
    assert INVENTED not in ran.out
    assert "a quotation of nothing" not in ran.out
