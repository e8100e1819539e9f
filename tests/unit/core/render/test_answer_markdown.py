"""One answer as Markdown: its sentences, and each source by where it stands, its day and its words."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from full_verdicts import verdict
from store_values import citation, exchange
from voice.core.messages.showing import HERE_ONLY
from voice.core.render.conversation import answer_markdown
from voice.core.session.values import DialogueExchange

pytestmark = pytest.mark.requirement("web:copy")


def _answered() -> DialogueExchange:
    dated = replace(citation(), created_at=datetime(2024, 3, 5, 23, tzinfo=UTC))
    return exchange(sources=(dated,), sentences=(verdict("Ada moved.", dated.source_id),))


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
