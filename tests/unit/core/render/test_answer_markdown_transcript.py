"""A transcript: marks, footnotes, local days, and nothing that is markup by accident."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from full_verdicts import verdict
from store_values import exchange, full_exchange, session
from voice.core.grounding.values import RefusalReason
from voice.core.render.answer import render_plain
from voice.core.render.conversation import transcript_markdown
from voice.core.session.turn_traces import redact
from voice.core.session.values import DialogueExchange

pytestmark = pytest.mark.requirement("sessions:portable")
LATE = datetime(2026, 3, 20, 23, 30, tzinfo=UTC)


def text_of(*exchanges: DialogueExchange, include_private: bool = False) -> str:
    talk = session(thread_topic="*moving* house")
    return transcript_markdown(talk, exchanges, timezone="Asia/Tokyo", include_private=include_private)


def test_days_and_hours_are_those_of_the_person() -> None:
    text = text_of(exchange(timestamp=LATE))
    assert "## 1 · 2026-03-21 08:30\n" in text
    assert "1 turn · open · 2026-03-21 (Asia/Tokyo)" in text
    assert "2026-03-21 to 2026-03-22" in text_of(
        exchange(timestamp=LATE), exchange(index=1, timestamp=LATE.replace(day=21))
    )


def test_what_a_memory_holds_is_no_markup() -> None:
    text = text_of(exchange(my_query="<b>`x`</b> [a](b) _c_\n# d | ~~e~~"))
    assert text.startswith("# \\*moving\\* house\n")
    assert "> \\<b\\>\\`x\\`\\</b\\> \\[a\\](b) \\_c\\_ \\# d \\| \\~\\~e\\~\\~\n" in text


def test_a_doubtful_sentence_says_why_and_a_sound_one_does_not() -> None:
    doubtful = verdict("Ada moved.", rung="unsupported", reasons=("no source says so",))
    text = text_of(exchange(sentences=(doubtful, verdict("Yes."))))
    assert "- **✗ not supported:** Ada moved.\n  - no source says so\n- ✓ Yes.\n" in text


def test_a_refusal_gives_its_reason_and_what_was_found() -> None:
    found = full_exchange().evidence_found
    refused = exchange(
        status="refused",
        refused=True,
        reason=RefusalReason.TOO_FEW_SOURCES,
        notes="one is not enough; add one",
        evidence_found=found,
    )
    text = text_of(refused)
    assert "\n*One is not enough. Add one.*\n\nReason: `too_few_sources`\n" in text
    assert "Found, but not enough:[^1-1]" in text
    assert "[^1-1]: “" in text
    assert "*" not in text_of(replace(refused, reason=None, notes=None, evidence_found=())).split("## 1")[1]


def test_a_private_turn_is_left_out_unless_it_is_asked_for() -> None:
    turns = exchange(), exchange(index=1, my_query="SECRET", is_private=True)
    assert "SECRET" not in text_of(*turns)
    assert "*1 private turn left out.*" in text_of(*turns)
    assert "SECRET" in text_of(*turns, include_private=True)


def test_what_was_imported_or_taken_away_is_said() -> None:
    answered = replace(full_exchange(), refused=False, status="answered")
    gone, absent = (redact(answered, key=b"k" * 32, names=names) for names in (("answer", "my_query"), None))
    gone = replace(gone, sentences=tuple(replace(each, text="") for each in answered.sentences))
    gone = replace(gone, sources=tuple(replace(each, span="") for each in answered.sources))
    for turn, why in ((gone, "*Words of this turn were deleted:"), (absent, "*This store does not hold what")):
        text = text_of(turn, include_private=True)
        assert why in text
        assert not any(sign in text for sign in ("✓", "overage", "> ", "“”", "[^"))
        assert render_plain(turn, str) == ""
    assert " · imported\n" in text_of(exchange(imported_from="f" * 64))


def test_a_conversation_without_turns_has_a_title() -> None:
    assert text_of() == "# \\*moving\\* house\n\n*s:1 · 0 turns · open*\n"
