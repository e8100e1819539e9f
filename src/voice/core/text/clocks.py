"""The clock times of a text as somebody else may write them: "18:30" for "6:30 pm", "1 hour 58 minutes" for "in 1:58".

Law: only what is certain is written otherwise; the half of the day that a text leaves open stays open.

Source: DESIGN 6 stage 4 (numbers); ruling D1.
"""

from functools import lru_cache

import regex

from voice.core.text.amounts import run_times
from voice.core.text.numbers import quantities
from voice.core.text.patterns import late_pattern

_MAY_HOLD = late_pattern(r"\p{Nd}(?::\p{Nd}|\s?[ap]\.?\s?m\b)", regex.IGNORECASE)


def times_in_other_words(text: str) -> tuple[str, ...]:
    """Return the other spellings of the clock times and run times that `text` states."""
    return _times_of(text) if _MAY_HOLD.search(text) else ()


@lru_cache(maxsize=1024)
def _times_of(text: str) -> tuple[str, ...]:
    lasted = {int(time.value) for time in run_times(text)}
    told = [_clock(int(time.value), certain=time.unit is not None) for time in quantities(text) if time.is_time]
    return (*told, *map(_duration, sorted(lasted)))


def _clock(minutes: int, *, certain: bool) -> str:
    hour, minute = divmod(minutes, 60)
    short = f"{(hour - 1) % 12 + 1}:{minute:02}"
    half = f" {'pm' if hour % 24 >= 12 else 'am'}" if certain else ""
    return f"{hour}:{minute:02} {hour:02}:{minute:02} {short}{half}"


def _duration(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour} hours {minute} minutes {second} seconds"
