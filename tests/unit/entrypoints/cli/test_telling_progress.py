"""Progress without a terminal: a line every ten seconds, with rows, rate and time left."""

import pytest

from voice.entrypoints.cli.telling_progress import ProgressLines


@pytest.mark.requirement("imports:watched")
def test_a_line_every_ten_seconds_says_rows_rate_and_time_left() -> None:
    told: list[str] = []
    moments = iter([0.0, 3.0, 9.9, 10.0, 15.0, 19.9, 620.0, 700.0])
    lines = ProgressLines(clock=lambda: next(moments), tell=told.append)
    lines.advance("reading", 1, 100)
    lines.advance("storing", 90, None)
    lines.advance("storing", 1_000, None)
    lines.advance("reading", 50, 100)
    lines.advance("reading", 51, 100)
    lines.advance("reading", 62, 100)
    lines.advance("reading", 100, 100)
    assert told == [
        "reading: 1 %, about 990 s left; storing: 1,000 rows, 100 a second".replace("990 s", "16 min"),
        "reading: 62 %, about 6 min left; storing: 1,000 rows, 2 a second",
        "reading: 100 %; storing: 1,000 rows, 1 a second",
    ]


def test_what_has_not_begun_says_no_time() -> None:
    told: list[str] = []
    moments = iter([0.0, 20.0, 35.0])
    lines = ProgressLines(clock=lambda: next(moments), tell=told.append)
    lines.advance("reading", 0, 100)
    lines.advance("reading", 50, 100)
    assert told == ["reading: 0 %", "reading: 50 %, about 35 s left"]
