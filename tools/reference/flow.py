"""A chart of stages as the site shows it: what Mermaid draws on a forge, as a list that needs no script.

What is read is the chart that `reference.retrieval_page` prints: labelled stages, an arrow from each to the
next, and a dotted arrow to what is left out there.
"""

import re
from collections.abc import Iterator
from html import escape

_CHART = re.compile(r"^```mermaid\nflowchart TD\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_STAGE = re.compile(r'^ *(\w+)\["(\w+): (.*)"\]$', flags=re.MULTILINE)
_LEFT = re.compile(r"^ *(\w+) -\. left out \.-> (\w+)\(", flags=re.MULTILINE)


def without_mermaid(markdown: str) -> str:
    """Return a page with its flow charts as lists."""
    return _CHART.sub(lambda found: "\n".join(_list(found[1])), markdown)


def _list(chart: str) -> Iterator[str]:
    left = _LEFT.findall(chart)
    yield '<ol class="flow">'
    for name, title, about in _STAGE.findall(chart):
        drops = ", ".join(f"<code>{escape(what)}</code>" for stage, what in left if stage == name)
        told = f"<small>left out here: {drops}</small>" if drops else ""
        yield f"<li><strong>{escape(title)}</strong> {escape(about)}{told}</li>"
    yield "</ol>"
