"""What an endpoint does not take is told in words, under a label that holds no secret."""

from datetime import date

import pytest

from voice.core.health import judge_endpoint
from voice.core.model_endpoints import REPLACEMENTS, LearnedEndpoint, endpoint_label


@pytest.mark.requirement("ruling:J3", "ruling:D24")
@pytest.mark.parametrize(
    ("api_base", "label"),
    [
        (None, "openai/m"),
        ("http://127.0.0.1:8080/v1/", "openai/m at http://127.0.0.1:8080/v1"),
        ("https://me:secret@host.example/v1?key=secret", "openai/m at https://host.example/v1"),
    ],
)
def test_an_endpoint_is_known_by_what_it_is_asked_for_and_where(api_base: str | None, label: str) -> None:
    names = [("openai", "m"), ("openai", "openai/m"), ("litellm", "openai/m")]
    assert {endpoint_label(provider, model, api_base) for provider, model in names} == {label}


@pytest.mark.requirement("ruling:J3")
def test_a_check_up_says_what_an_endpoint_does_not_take_and_how_to_try_it_again() -> None:
    learned = LearnedEndpoint(endpoint="openai/m", untaken=("schema", "stream"), learned_on=date(2026, 11, 28))
    found = judge_endpoint(learned, program="voice --home h")
    assert (found.name, found.state) == ("endpoint", "ok")
    assert found.detail == (
        "openai/m takes no reply schema (response_format), no streaming; "
        "voice learned this on 2026-11-28 and has asked that way since"
    )
    assert found.advice == "if that has changed, run: voice --home h doctor --reach"
    assert set(learned.untaken) < set(REPLACEMENTS)
