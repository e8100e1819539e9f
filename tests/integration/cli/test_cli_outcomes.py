"""How a turn ends, as an exit code: answered, refused, failed, too dear; and what a long conversation leaves."""

import pytest

from cli_runner import Documented, Playing, Voice, always
from voice.adapters.llm.scripted import SCRIPTED_PROFILE, Line
from voice.core.errors import DeadlineExceeded, ProviderUnavailable

QUESTION = "Where is the kiln?"
INVENTED = '{"answer": "The kiln is on the moon.", "sources": [{"source_id": "S1", "span": "on the moon"}]}'


@pytest.mark.requirement("ruling:D6", "promise:7", "spending:caps")
def test_every_outcome_has_its_exit_code_and_is_kept(
    told: Voice, playing: Playing, is_as_documented: Documented, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes: tuple[tuple[Line, int, tuple[str, str]], ...] = (
        (ProviderUnavailable("busy"), 5, ("error", "provider_error")),
        (DeadlineExceeded("too late"), 5, ("error", "deadline")),
        (INVENTED, 3, ("refused", "invalid_citation")),
        ("not json", 3, ("refused", "malformed")),
    )
    for line, code, ended in outcomes:
        playing(always(lambda: line), profile=SCRIPTED_PROFILE)  # noqa: B023 - it is asked within the loop
        ran = told("ask", QUESTION, "--new", ended[1], "--json")
        is_as_documented("cli/ask", ran)
        turn = ran.json
        assert (ran.code, (turn["status"], turn["reason"]), '"event"' in ran.err) == (code, ended, False)
        assert "moon" not in ran.out + told.ok("sessions", "show", turn["session_id"]).out
    playing([])
    monkeypatch.setenv("SURR_INNER_VOICE_MAX_COST", "0.0001")
    dear = told("ask", QUESTION, "--json")
    is_as_documented("cli/ask", dear)
    assert (dear.code, dear.json["status"], dear.json["reason"]) == (6, "refused", "budget")
    assert "the spending cap of this turn ($0.0001, llm.max_turn_cost)" in dear.json["notes"]
    report = told.ok("report").out
    reasons = ("provider_error", "deadline", "invalid_citation", "malformed", "budget")
    assert [reason for reason in reasons if f"{reason} 1" not in report] == []
