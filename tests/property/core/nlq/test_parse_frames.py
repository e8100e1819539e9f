"""A time phrase means the same wherever it stands in a question, and what is no time is none wherever it stands."""

from datetime import UTC, datetime

import pytest

from tables import tables
from voice.core.nlq.parse import parse_query
from voice.core.retrieval.values import Window

TABLES = tables(__file__)

NOW = datetime(2026, 5, 14, 10, tzinfo=UTC)
PHRASES = (
    """
today|yesterday|the day before yesterday|3 days ago|two weeks ago|a month ago|five years ago|a week ago
a couple of days ago|ten days ago|this week|last week|this month|last month|this quarter|last quarter|this year
last year|in the last 5 days|over the past two weeks|in the past 3 months|in the last six hours
in the past 30 minutes|during the last few days|since Monday|since last Friday|since March|since March 5
since 5 March 2024|since yesterday|since last month|since 2023|after March|after last Friday|after 5 March 2024
after last week|before March 2024|before 2023|before last week|before yesterday|before 5 March 2024|before March
until last Friday|until March 2025|until yesterday|until 2024|through March 2025|through last week
between March 3 and March 10|between Monday and Wednesday|between January and March|between 2020 and 2022
between 5 March 2024 and 10 April 2024|between March and May 2025|from Monday to Wednesday|from March 3 to March 10
from 2020 to 2022|from January to March 2025|from 5 March to 10 March|from last Monday until yesterday|on Friday
last Friday|this Friday|on Tuesday|last Tuesday|in March|in May|in June|in March 2024|in May 2024|in 2023|on March 5
on May 3|on 5 March 2024|on March 5, 2024|on the 5th of March|on March 5th|on 2024-03-05|March 5, 2024|5 March 2024
2024-03-05|in early March|in mid-March|in late March|early March|mid March|late March|in late May 2025|last summer
last winter|last spring|last autumn|last fall|last weekend|over the weekend|this morning|this afternoon|this evening
last night|tonight|in Q1 2024|in the first half of 2023|in the second half of 2024|in the third quarter of 2025
Q1 2024|yesterday morning|yesterday evening|on Friday evening|at 3pm yesterday|yesterday at 15:30|on Monday at 9am
between 2 and 4 pm yesterday|in '24|in '98|by the end of last month|until the end of March
before the end of last year|since the beginning of May|up to and including March 2025|on or before 5 March 2024
""".strip()
    .replace("\n", "|")
    .split("|")
)
FRAMES = tuple(TABLES["frames"])
LOOKALIKES = tuple(TABLES["lookalikes"])
LOOKALIKE_FRAMES = tuple(TABLES["lookalike_frames"])


def window(question: str) -> Window | None:
    return parse_query(question, now=NOW, timezone="UTC").window


@pytest.fixture(scope="module")
def meant() -> dict[str, Window | None]:
    return {phrase: window(f"What did I do {phrase}?") for phrase in PHRASES}


def test_every_phrase_is_understood(meant: dict[str, Window | None]) -> None:
    assert [phrase for phrase, found in meant.items() if found is None] == []
    assert meant.keys() == set(PHRASES)


@pytest.mark.requirement("ruling:E.1", "ruling:E.3")
@pytest.mark.parametrize("frame", FRAMES)
def test_a_phrase_means_the_same_in_every_frame(frame: str, meant: dict[str, Window | None]) -> None:
    said = {
        phrase: frame.format(p=phrase, P=phrase[0].upper() + phrase[1:], U=phrase.upper(), l=phrase.lower())
        for phrase in PHRASES
    }
    assert [question for phrase, question in said.items() if window(question) != meant[phrase]] == []
    assert len(said) == len(set(PHRASES))


@pytest.mark.requirement("ruling:E.1")
@pytest.mark.parametrize("frame", LOOKALIKE_FRAMES)
def test_what_only_looks_like_time_is_none_in_every_frame(frame: str) -> None:
    asked = [frame.format(t=thing, T=thing[0].upper() + thing[1:]) for thing in LOOKALIKES]
    assert [question for question in asked if window(question) is not None] == []
    assert window("What did I do yesterday?") is not None
