"""A check-up tells what was learned of the endpoints that are set, and of no other."""

from datetime import date
from pathlib import Path

import pytest

from voice.adapters.system.state_files import EndpointFile
from voice.core.model_endpoints import LearnedEndpoint
from voice.core.settings.providers import LlmSettings, VerifierSettings
from voice.core.settings.values import Settings
from voice.entrypoints.shared.doctor import check_endpoints

TODAY = date(2026, 11, 28)
WRITER = LlmSettings(provider="openai", model="m", api_base="http://127.0.0.1:8080/v1")


@pytest.mark.requirement("ruling:J3")
def test_a_check_up_tells_of_the_endpoints_that_write_and_check(tmp_path: Path) -> None:
    kept = EndpointFile(tmp_path)
    for endpoint in ("openai/m at http://127.0.0.1:8080/v1", "xai/grok", "openai/m"):
        kept.keep(LearnedEndpoint(endpoint=endpoint, untaken=("stream",), learned_on=TODAY))
    settings = Settings(llm=WRITER, verifier=VerifierSettings(model="xai/grok"))
    found = [finding.detail.split(" takes ")[0] for finding in check_endpoints(settings, kept)]
    assert found == ["openai/m at http://127.0.0.1:8080/v1", "xai/grok"]
    alone = Settings(llm=WRITER)
    assert len(check_endpoints(alone, kept)) == 1
    assert check_endpoints(Settings(), kept) == []
