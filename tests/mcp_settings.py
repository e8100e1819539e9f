"""The settings that docs/mcp.md gives for each host."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
_BLOCK: Final = re.compile(
    r"^(?P<who>\*\*[^`\n]*`[^\n]*\n(?:[^\n]+\n)*)\n```(?P<form>json|toml)\n(?P<text>.*?)```", re.DOTALL | re.MULTILINE
)
STARTED, OVER_HTTP = PAGE[: PAGE.index("## The tools")].split("## Over HTTP")
BLOCKS: Final = [
    {**at.groupdict(), "host": host}
    for at in _BLOCK.finditer(STARTED)
    for host in re.findall(r"\*\*(.+?)\*\*", at["who"])
]
"""Where the host starts the server itself: the host's name, and the form and the text of its settings."""


def settings_of(host: str) -> str:
    """Return the settings of a host as the page has them."""
    return next(block["text"] for block in BLOCKS if block["host"] == host)
