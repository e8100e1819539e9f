"""One answer as Markdown: its sentences, and each source by where it stands, its day and its words."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from store_values import exchange, full_exchange
from voice.core.grounding.values import Receipt, RefusalReason, SentenceVerdict
from voice.core.messages.showing import HERE_ONLY
from voice.core.render.conversation import answer_markdown
from voice.core.session.values import DialogueExchange

pytestmark = pytest.mark.requirement("web:copy")


def _answered() -> DialogueExchange:
    full = full_exchange()
    dated = replace(full.sources[0], created_at=datetime(2024, 3, 5, 23, tzinfo=UTC))
    receipt = Receipt(row_id=dated.source_id, content_hash="", start=0, end=4)
    said = SentenceVerdict(start=0, end=4, text="Ada moved.", kind="claim", rung="quoted", receipts=(receipt,))
    return exchange(sources=(dated,), sentences=(said,))


def test_each_source_of_an_answer_stands_by_its_note_its_line_and_its_day() -> None:
    turn = _answered()
    first = turn.sources[0]
    text = answer_markdown(turn, {first.source_id: "Garden/Gate.md:12"}, timezone="Asia/Tokyo")
    assert text.startswith("> ")
    assert "[^1]" in text.partition("[^1]: ")[0], "a sentence names its footnote"
    assert f"[^1]: “{first.span}”" in text
    assert "(Garden/Gate.md:12, 2024-03-06, " in text
    assert first.source_id not in text


def test_a_source_that_stands_in_no_file_is_a_note_and_never_an_id() -> None:
    turn = _answered()
    text = answer_markdown(turn, {}, timezone="UTC")
    assert f"({HERE_ONLY}, " in text
    assert turn.sources[0].source_id.replace("_", "\\_") not in text


def test_a_refusal_says_why_and_what_was_found() -> None:
    found = full_exchange().evidence_found
    turn = exchange(
        status="refused",
        refused=True,
        reason=RefusalReason.TOO_FEW_SOURCES,
        notes="one is not enough",
        evidence_found=found,
    )
    text = answer_markdown(turn, {}, timezone="UTC")
    assert "Found, but not enough:[^1]" in text
    assert "[^1]: “" in text


def test_a_question_is_no_markup() -> None:
    assert answer_markdown(exchange(my_query="# *a*\nb"), {}, timezone="UTC").startswith("> \\# \\*a\\* b\n")
