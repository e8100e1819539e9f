"""Text inside XML and HTML is shown and never obeyed."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from voice.core.text.display import escape_markup, inert_markdown

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


def test_in_markdown_no_image_link_or_tag_is_left_and_the_rest_stays() -> None:
    live = r"![a](u) [b](j:x) \<img> </p> [c]: u, 3 < 4, a[0] (*so*) <3!"
    inert = r"!\[a]\(u) [b]\(j:x) \\\<img> \</p> [c]\: u, 3 < 4, a[0] (*so*) <3!"
    assert inert_markdown(live) == inert
    code = "```py\na[0](x) <b>\n```"
    assert inert_markdown(f"{live}\n{code}\n{live}") == f"{inert}\n{code}\n{inert}"
    assert inert_markdown(f"```a``` {live}") == f"```a``` {inert}"
    assert inert_markdown(f"a\n    ```\n    {live}\n    ```") == f"a\n    ```\n    {inert}\n    ```"
    assert inert_markdown(f"- ```\n{live}\n  ```\n") == f"- ```\n{inert}\n  ```\n"
    assert inert_markdown(f"````\n```\n{live}\n````\n{live}") == f"````\n```\n{live}\n````\n{inert}"
