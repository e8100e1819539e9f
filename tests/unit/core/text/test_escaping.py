"""What of a text is shown, and what of it steers."""

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.text.display import CONTROL_CHARS, escape_json, is_control_char, printable, printable_block

pytestmark = pytest.mark.requirement("ruling:I7")
WORST = "a\x1b[31m\u202eb\u2066\u200fc\u200b\ufeff\x9b\u00ad\U000e0041d"


def test_a_text_is_shown_without_what_steers() -> None:
    assert printable(f" {WORST}\r\n\tnext\u2028line ") == "a[31mbcd next line"
    assert printable_block(f"{WORST}\r\n\tnext\u2028line\r") == "a[31mbcd\n\tnextline"


def test_spaces_of_any_width_and_joiners_stay() -> None:
    assert printable_block("10\u00a0km می\u200cخواهم 👩\u200d👧") == "10\u00a0km می\u200cخواهم 👩\u200d👧"


def test_what_can_stand_in_json_and_steers_is_never_shown() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    assert all(is_control_char(char) for char in every if CONTROL_CHARS.match(char))


def test_every_control_and_direction_mark_outside_ascii_is_escaped_in_json() -> None:
    marks = [chr(code) for code in range(0x80, sys.maxunicode + 1) if unicodedata.bidirectional(chr(code)) in _TURN]
    controls = [chr(code) for code in range(0x7F, 0xA0)]
    assert all(CONTROL_CHARS.fullmatch(char) for char in (*marks, *controls))


_TURN = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


@given(st.text() | st.text(st.sampled_from(WORST)))
def test_a_reader_of_json_gets_back_what_was_put_in(text: str) -> None:
    told = escape_json(json.dumps({text: [text]}, ensure_ascii=False, indent=1))
    assert json.loads(told) == {text: [text]}
    assert CONTROL_CHARS.search(told) is None
