"""Which messages of a session come in, and as what."""

from dataclasses import replace

import pytest

from interchange_values import record_of
from retrieval_rows import thought
from voice.core.capture.hosts import CaptureOutcome, CaptureTotals, Host
from voice.core.capture.message_filter import (
    CREDENTIALS,
    IGNORED,
    IgnoreRules,
    claims_of,
    filter_messages,
    with_unfound,
)
from voice.core.context.prompt_evidence import instruction_in
from voice.core.interchange.memory_lines import BadLine, Omission, ParsedLine, ThoughtLine
from voice.core.records import Origin
from voice.core.vouch import Vouch


def line(text: str) -> ParsedLine:
    return ParsedLine(where="entry 1", record=ThoughtLine(content=text, source_ref="s"))


@pytest.mark.requirement("capture:waits")
def test_what_comes_in_waits_for_its_owner_and_says_who_handed_it_over() -> None:
    (kept,) = filter_messages([line("The kiln is hot.")], Host.CODEX, IgnoreRules())
    assert record_of(kept) == ThoughtLine(
        content="The kiln is hot.", source_ref="s", vouched=Vouch.WAITING, noted_by="codex"
    )


@pytest.mark.requirement("capture:waits")
@pytest.mark.parametrize("host", list(Host))
def test_what_a_model_said_is_told_by_its_host_and_a_persons_words_have_no_name(host: Host) -> None:
    said = ThoughtLine(content="Hot.", source_ref="s", speaker="assistant", claimed_origin=Origin.MODEL)
    (kept,) = filter_messages([ParsedLine(where="entry 1", record=said)], host, IgnoreRules())
    assert record_of(kept).speaker == host.called
    assert instruction_in("Hot.", record_of(kept).speaker) is None


@pytest.mark.requirement("capture:secrets", "capture:ignored")
def test_a_secret_and_what_is_ignored_stay_out_whole_and_are_counted() -> None:
    lines = [line("password = hunter2hunter2"), line("See keys/a.pem."), BadLine(where="x", reason="y")]
    assert list(filter_messages(lines, Host.CODEX, IgnoreRules(globs=("*.pem",)))) == [
        Omission(where="entry 1", reason=CREDENTIALS),
        Omission(where="entry 1", reason=IGNORED),
        lines[2],
    ]


@pytest.mark.requirement("capture:checked")
def test_what_a_model_names_is_looked_for_and_what_a_person_names_is_not() -> None:
    said = thought("1", "I wrote src/a.py in 1a2b3c4, and src/a.py again.", origin=Origin.MODEL)
    typed = replace(said, id="t:2", origin=Origin.TOOL)
    assert claims_of((said, typed)) == ("src/a.py", "1a2b3c4")
    assert claims_of((typed,)) == ()
    assert with_unfound(said, {"src/a.py"}).unfound == ("1a2b3c4",)
    assert with_unfound(typed, set()).unfound == ()


@pytest.mark.requirement("capture:status")
def test_a_session_that_grew_adds_its_messages_and_tells_what_was_left_out_once() -> None:
    once = CaptureTotals().with_session("s", CaptureOutcome(messages=2, left_out={"x": 1}, unfound=1)).with_ignored()
    grown = once.with_session("s", CaptureOutcome(messages=1, left_out={"x": 3})).with_session(
        "z", CaptureOutcome(left_out={"x": 1})
    )
    assert (grown.messages, grown.left_out, grown.unfound, grown.ignored) == (3, {"x": 4}, 0, 1)
