"""HTML as the words it shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.interchange.foreign.html_text import html_words


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>One  <b>two</b>\nthree.</p><p>Four &amp; five</p>", "One two three.\n\nFour & five"),
        ("<head><title>x</title></head><style>p{}</style><script>a()</script>Hello<br>there", "Hello\nthere"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("a<blockquote><p>quoted</p></blockquote>b", "a\n\nquoted\nb"),
        ("plain", "plain"),
        ("<template><p>no</p></template>yes", "yes"),
        (
            "<p>A:</p><table><tr><th>Thing</th><th>Euro</th></tr><tr><td>Kiln</td><td><b>12</b></td></tr></table>B",
            "A:\n\nThing | Euro\nKiln | 12\nB",
        ),
        ("a<pre>if x:\n    y = 1\n</pre>b", "a\nif x:\n    y = 1\n\nb"),
        ("</p></b>x<i", "x<i"),
        ("<![foo[><b>x</b>", "x"),
        ("a<!-- <p>no</p> -->b<!-- c", "ab<!-- c"),
        ("<head><title>x</title><body>No end of the head.", "No end of the head."),
    ],
)
def test_it_reads_as_it_is_shown(html: str, words: str) -> None:
    assert html_words(html) == words


def test_quotations_can_be_left_out() -> None:
    html = "Yes.<div class=gmail_quote>On Monday<blockquote>Tuesday?<blockquote>x</blockquote>y</blockquote></div>"
    assert html_words(html, without_quotations=True) == "Yes.\nOn Monday"


@given(st.text(alphabet="<>/!-[]&;pbliscrt= \"'\n", max_size=80))
def test_any_text_is_read(html: str) -> None:
    assert isinstance(html_words(html), str)
