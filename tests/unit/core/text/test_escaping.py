"""What of a text is shown, and what of it steers.

How a message shows a name that somebody asked for.
Text inside XML and HTML is shown and never obeyed.
"""

import json
import sys
import unicodedata
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.text.escaping import (
    CONTROL_CHARS,
    escape_json,
    escape_markup,
    is_control_char,
    printable,
    printable_block,
    quoted_name,
)

WORST = "a\x1b[31m\u202eb\u2066\u200fc\u200b\ufeff\x9b\u00ad\U000e0041d"


@pytest.mark.requirement("ruling:I7")
def test_a_text_is_shown_without_what_steers() -> None:
    assert printable(f" {WORST}\r\n\tnext\u2028line ") == "a[31mbcd next line"
    assert printable_block(f"{WORST}\r\n\tnext\u2028line\r") == "a[31mbcd\n\tnextline"


@pytest.mark.requirement("ruling:I7")
def test_spaces_of_any_width_and_joiners_stay() -> None:
    assert printable_block("10\u00a0km می\u200cخواهم 👩\u200d👧") == "10\u00a0km می\u200cخواهم 👩\u200d👧"


@pytest.mark.requirement("ruling:I7")
def test_what_can_stand_in_json_and_steers_is_never_shown() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    assert all(is_control_char(char) for char in every if CONTROL_CHARS.match(char))


@pytest.mark.requirement("ruling:I7")
def test_every_control_and_direction_mark_outside_ascii_is_escaped_in_json() -> None:
    marks = [chr(code) for code in range(0x80, sys.maxunicode + 1) if unicodedata.bidirectional(chr(code)) in _TURN]
    controls = [chr(code) for code in range(0x7F, 0xA0)]
    assert all(CONTROL_CHARS.fullmatch(char) for char in (*marks, *controls))


_TURN = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


@pytest.mark.requirement("ruling:I7")
@given(st.text() | st.text(st.sampled_from(WORST)))
def test_a_reader_of_json_gets_back_what_was_put_in(text: str) -> None:
    told = escape_json(json.dumps({text: [text]}, ensure_ascii=False, indent=1))
    assert json.loads(told) == {text: [text]}
    assert CONTROL_CHARS.search(told) is None


@pytest.mark.requirement("web:errors")
@pytest.mark.parametrize("name", ["", " ", "\x00", "t:1\x00", "t:\u202e1", "a\nb", "\u200c"])
def test_a_name_that_nobody_could_read_is_not_shown(name: str) -> None:
    assert quoted_name(name) is None
    assert quoted_name("t:1") is not None


@pytest.mark.requirement("web:errors")
def test_a_name_stands_in_quotation_marks_and_its_end_is_cut_where_it_is_long() -> None:
    assert quoted_name("the kiln") == "'the kiln'"
    assert quoted_name("O'Brien\\Co") == "'O'Brien\\Co'"
    assert quoted_name("x" * 500) == f"'{'x' * 100}…'"


@pytest.mark.requirement("web:errors")
@pytest.mark.parametrize("name", ["می\u200cخواهم", "👩\u200d👧"])
def test_a_name_that_needs_a_joiner_to_be_read_is_a_name(name: str) -> None:
    assert quoted_name(name) == f"'{name}'"


_LEGAL = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\ufffe\uffff", min_codepoint=0x20))


@given(_LEGAL | st.text("\t\n\r <>&'\"", max_size=20))
def test_a_reader_of_xml_gets_back_what_was_put_in(text: str) -> None:
    element = ET.fromstring(f'<a b="{escape_markup(text)}">{escape_markup(text)}</a>')
    assert (element.get("b"), element.text or "") == (text, text)


@given(st.text())
def test_no_text_opens_a_tag_or_ends_an_attribute(text: str) -> None:
    safe = escape_markup(text)
    assert not set(safe) & set("<>\"'\n\r\u202e\x1b\x7f")
    assert len(ET.fromstring(f"<a>{safe}</a>")) == 0


def test_what_xml_cannot_hold_is_marked() -> None:
    assert escape_markup("a\x00b\x1bc\ud800d") == "a\ufffdb\ufffdc\ufffdd"
    assert escape_markup("\u202ex") == "&#8238;x"


@pytest.mark.parametrize(
    ("text", "line"), [(" a\n b\x00c ", "a bc"), ("a\u202eb\u200f", "ab"), ("\x1b[31m", "[31m"), ("日本 語", "日本 語")]
)
def test_one_line_holds_nothing_that_steers(text: str, line: str) -> None:
    assert printable(text) == line
