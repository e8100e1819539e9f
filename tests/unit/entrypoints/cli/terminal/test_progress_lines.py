"""Progress without a terminal: a line every ten seconds, with records, rate and time left."""

import pytest

from voice.entrypoints.cli.terminal.printing import EVERY_S, ProgressLines, report_until, reported_in_lines

pytestmark = pytest.mark.requirement("imports:watched")


class Hands:
    """A clock that is put to a moment."""

    def __init__(self) -> None:
        self.moment = 0.0

    def __call__(self) -> float:
        return self.moment


@pytest.fixture
def hands() -> Hands:
    return Hands()


def test_a_line_says_rows_rate_and_time_left_as_of_the_last_that_was_heard(hands: Hands) -> None:
    lines = ProgressLines(clock=hands)
    lines.advance("reading", 0, None)
    lines.advance("storing", 0, None)
    hands.moment = 10.0
    assert lines.line() == "starting"
    lines.advance("storing", 9, None)
    assert lines.line() == "storing: 9 records, 54 a minute"
    hands.moment = 20.0
    lines.advance("storing", 1_000, None)
    lines.advance("reading", 10, 100)
    assert lines.line() == "reading: 10 %, about 3 min left; storing: 1,000 records, 50 a second"
    hands.moment = 30.0
    assert lines.line() == "reading: 10 %, about 4 min left; storing: 1,000 records, 50 a second"


def test_what_comes_last_is_told_of_until_it_has_begun(hands: Hands) -> None:
    lines = ProgressLines(clock=hands, then="looking for names")
    assert lines.line() == "starting; then looking for names"
    lines.advance("reading", 5, 10)
    assert lines.line() == "reading: 50 %; then looking for names"
    lines.advance("looking for names", 0, 10)
    assert lines.line() == "reading: 50 %; looking for names: 0 %"


def test_a_part_is_as_quick_as_it_was_since_it_began(hands: Hands) -> None:
    lines = ProgressLines(clock=hands)
    lines.advance("reading", 100, 100)
    hands.moment = 500.0
    lines.advance("looking for names", 0, 100)
    assert lines.line() == "reading: 100 %; looking for names: 0 %"
    hands.moment = 510.0
    lines.advance("looking for names", 50, 100)
    assert lines.line() == "reading: 100 %; looking for names: 50 %, about 10 s left"


def test_what_was_heard_of_at_one_moment_alone_has_no_rate(hands: Hands) -> None:
    lines = ProgressLines(clock=hands)
    lines.advance("reading", 5, 10)
    lines.advance("storing", 7, None)
    assert lines.line() == "reading: 50 %; storing: 7 records"


def test_a_line_is_told_every_ten_seconds_until_the_work_has_ended_whether_it_is_new_or_not(hands: Hands) -> None:
    lines, told, waited = ProgressLines(clock=hands), list[str](), list[float]()
    lines.advance("reading", 5, 10)

    def ended(seconds: float) -> bool:
        waited.append(seconds)
        lines.advance("reading", 5 + len(waited) // 3, 10)
        return len(waited) > 3

    report_until(ended, lines, told.append)
    assert (told, waited) == ([*["reading: 50 %"] * 2, "reading: 60 %"], [EVERY_S] * 4)


def test_nothing_is_told_of_a_work_that_is_done_at_once(hands: Hands) -> None:
    told = list[str]()
    with reported_in_lines(ProgressLines(clock=hands), told.append):
        told.append("at work")
    assert told == ["at work"]
