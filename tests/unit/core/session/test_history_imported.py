"""What was imported, or lost its words, comes back into a prompt only as far as it can be held to something."""

from dataclasses import replace

import pytest

from store_values import exchange, full_exchange, session
from voice.core.session.history import answers_open_to, is_repeatable
from voice.core.session.rolling_summary import summary_lines_of

FULL = replace(full_exchange(), status="answered", refused=False, reason=None)
pytestmark = pytest.mark.requirement("sessions:imported")


def test_an_imported_answer_that_names_no_grounds_does_not_come_back() -> None:
    bare = replace(exchange(), sentences=tuple(replace(each, receipts=()) for each in FULL.sentences))
    assert is_repeatable(bare)
    assert not is_repeatable(replace(bare, imported_from="f" * 64))
    assert is_repeatable(replace(FULL, imported_from="f" * 64))


def test_an_answer_whose_words_were_taken_away_does_not_come_back() -> None:
    gone = replace(FULL, answer="", redacted=(("answer", "c" * 64),))
    assert list(answers_open_to(session(context_window=(gone, FULL)), include_private=True)) == [FULL]
    assert summary_lines_of(FULL, "UTC") != []
    assert summary_lines_of(gone, "UTC") == []
